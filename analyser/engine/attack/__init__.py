"""One attack: exactly, by Monte Carlo, and many at once."""
