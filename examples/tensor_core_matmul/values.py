#!/usr/bin/env python3
"""Writes the matrices of the example and their product, as numpy computes it."""
import os

import numpy as np

folder = os.path.dirname(os.path.abspath(__file__))
n = 64
i, k = np.indices((n, n))
a = ((i * 7 + k * 3) % 29 - 14).astype(np.float16) / np.float16(8)
b = ((i * 5 + k * 11) % 23 - 11).astype(np.float16) / np.float16(4)
for name, m in (("a", a), ("b", b), ("c", a.astype(np.float32) @ b.astype(np.float32))):
    np.save(os.path.join(folder, name + ".npy"), m)
