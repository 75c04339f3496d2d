"""Longer fights: charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2), each compiled to a program of operations.

`strikes` makes records of the rows of units, and `charge`, `focus` and `duel` put the strikes in order; the engines run
the program (:mod:`analyser.engine.fight.program`).
"""
