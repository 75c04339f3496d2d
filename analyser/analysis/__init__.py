"""Many fights side by side, each a tidy frame: loadouts on one target, attackers on defenders.

`matchups` is the grid and `cells`, `shooting`, `charging`, `frame` and `gaps` its parts.
"""
