"""The calculator in a browser: the exact engines as one WebAssembly module, and the data that it is asked with."""
