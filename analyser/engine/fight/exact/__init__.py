"""Exact engine of fights: a distribution over pairs of states is pushed through the program."""
