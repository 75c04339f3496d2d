"""Notebooks, and their runner: ``python -m notebooks`` runs each from top to bottom and stores its outputs."""
