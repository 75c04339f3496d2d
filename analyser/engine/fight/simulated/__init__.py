"""Simulated fights: trials run through the program of a fight."""
