"""Warmaster: confusion of units that are driven back, fall back, retreat or are burst through."""
