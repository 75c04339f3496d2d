"""The notebooks, and what runs them: ``python -m notebooks`` runs each from top to bottom and keeps its outputs."""
