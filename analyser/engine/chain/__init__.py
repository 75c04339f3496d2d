"""Markov chains of dice rolls: the engine of the morale systems."""
