"""Engines of attacks: exact, simulated, and batches of many attacks."""
