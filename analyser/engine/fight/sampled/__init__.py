"""Fights by Monte Carlo: trials are played through the program."""
