"""Sweeps: a plan of very many fights, worked out in parts by one or many machines, into a store of Parquet."""
