"""One room a rule system: pure transitions of (state, draws), compiled, and nothing else."""
