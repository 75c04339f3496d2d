"""Scenarios: from a file, a mapping or two units to checked records of integers that the engines read.

An attack becomes records. Charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2) become programs of operations, which
the engines run (:mod:`analyser.engine.fight.program`).
"""
