"""Ways in which a file is damaged, or becomes another."""

import numpy as np


def emptied(path):
    path.write_bytes(b"")


def cut_in_half(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def made_random(path):
    size = path.stat().st_size
    path.write_bytes(np.random.default_rng(size).bytes(max(size, 64)))


def made_a_list(path):
    path.write_bytes(b"[1, 2]")


def made_another_table(path):
    path.write_bytes(b'{"program": 3, "files": [], "file": {"sample": 1}, "digest": [], "battles": {"a": 2}}')


def made_too_deep(path):
    path.write_bytes(b"[" * 100_000)


def taken_away(path):
    path.unlink()


def made_a_folder(path):
    path.unlink()
    path.mkdir()


DAMAGES = (emptied, cut_in_half, made_random, made_a_list, made_another_table, made_too_deep, taken_away, made_a_folder)
