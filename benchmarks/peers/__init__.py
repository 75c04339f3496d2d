"""Dice libraries that can give the law of hits of the plain attack; none goes on to what becomes of the unit.

Each file has ``law_of_hits(dice)``: the chances of 0, 1, 2, ... hits.
"""
