"""How fast the engines are, against what a user would otherwise write: ``python -m benchmarks``."""
