"""Comparison of five systems: the morale rules of each under the same losses."""
