"""The engines: exact distributions, and Monte Carlo by random streams and dice kernels."""
