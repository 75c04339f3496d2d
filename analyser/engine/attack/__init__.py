"""Engines of attacks: exact, simulated, and exact for batches of attacks."""
