#!/usr/bin/env bash
# Writes gpt_small/ again, from the traces in data/. Needs build/orrery (make build).
set -euo pipefail
cd "$(dirname "$0")/../.."
build/orrery -q replay data/gpt_small.et.json.gz data/gpt_small.kineto.json.gz --emit torch -o examples/replay/gpt_small
# In the repository the runtime is there already, once.
ln -sf ../../../src/replay/torch/replay.py examples/replay/gpt_small/replay.py
