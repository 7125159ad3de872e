#!/usr/bin/env python3
"""Rewrites every launch file of the corpus. Run it from anywhere; its output is the same everywhere."""

import sys

sys.dont_write_bytecode = True

import apps  # noqa: E402
import control  # noqa: E402
import floating  # noqa: E402
import integer  # noqa: E402
import memory  # noqa: E402
import sync  # noqa: E402
import tensor  # noqa: E402

for module in (integer, floating, control, memory, sync, tensor, apps):
    module.cases()
