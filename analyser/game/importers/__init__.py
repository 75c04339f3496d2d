"""Importers of units and armies from files of other programs."""
