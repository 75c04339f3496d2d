"""Scenarios: a file, a mapping or two units are checked and turned into records of integers for the engines.

An attack becomes records. Charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2) become programs of operations, which
the engines run (:mod:`analyser.engine.fight.program`).
"""
