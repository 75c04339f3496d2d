"""Check scenarios (files, mappings or two units), and turn them into records of integers for the engines.

An attack becomes records. Charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2) become programs of operations, which
the engines run (:mod:`analyser.engine.fight.program`).
"""
