"""Simulated fights: trials are played through the program of a fight."""
