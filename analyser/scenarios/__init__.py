"""Check scenarios (files, mappings or pairs of units), and encode them for the engines.

Attacks become records of integers, and battles become tables. Charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2)
become programs of operations, which the engines run (:mod:`analyser.engine.fight.program`).
"""
