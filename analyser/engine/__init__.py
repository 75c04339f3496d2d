"""The engines: exact distributions, and Monte Carlo simulation with random streams and dice kernels."""
