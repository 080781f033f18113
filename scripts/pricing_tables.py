#!/usr/bin/env python3
"""Puts the tables that build/bench/pricing_modes writes into docs/NETWORK_EVIDENCE.md, in the place of those that are there.
Usage: pricing_modes | pricing_tables.py DOCUMENT   (used by bench.sh)"""
import re, sys

TABLE = re.compile(r"^\| port \| communication \|.*\n(?:\|.*\n)+", re.MULTILINE)

path = sys.argv[1]
new = TABLE.findall(sys.stdin.read())
with open(path) as file:
    text = file.read()
old = TABLE.findall(text)
if len(new) != len(old) or not new:
    sys.exit(f"pricing_tables: {len(new)} tables were measured, {path} has {len(old)}")
tables = iter(new)
with open(path, "w") as file:
    file.write(TABLE.sub(lambda _: next(tables), text))
