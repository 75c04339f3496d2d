"""Calculator for browsers: the exact engines as a WebAssembly module, with the data and pages that use it."""
