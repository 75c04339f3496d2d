"""The engines: random streams, dice kernels, exact laws, Monte Carlo."""
