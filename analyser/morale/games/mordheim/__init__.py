"""Mordheim: rout tests, flight, fear, frenzy, hatred and stupidity."""
