"""Fights in which somebody chooses: what can come of them, and how to choose best."""
