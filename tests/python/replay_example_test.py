"""examples/replay is what the command there makes, to the byte; and it runs on a CPU where PyTorch is."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ORRERY_SOURCE"])
EXAMPLE = SOURCE / "examples/replay/gpt_small"


class Example(unittest.TestCase):
    def test_the_folder_is_what_the_command_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            pair = [f"data/gpt_small.{kind}.json.gz" for kind in ("et", "kineto")]
            subprocess.run([os.environ["ORRERY_BINARY"], "-q", "replay", *pair, "--emit", "torch", "-o", f"{folder}/gpt_small"], cwd=SOURCE, check=True,
                           stdout=subprocess.DEVNULL)
            made = {path.name: path.read_bytes() for path in (pathlib.Path(folder) / "gpt_small").iterdir()}
        self.assertEqual(sorted(made), ["job.json", "rank0.json", "replay.py"])
        for name, content in made.items():
            self.assertEqual(content, (EXAMPLE / name).read_bytes(), f"{name}: examples/replay/emit.sh writes it again")
        self.assertEqual(made["replay.py"], (SOURCE / "src/replay/torch/replay.py").read_bytes())

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "there is no PyTorch here")
    def test_it_runs_on_a_cpu(self):
        done = subprocess.run([sys.executable, "-B", EXAMPLE / "replay.py", "--device", "cpu", "--no-trace", "--warmup", "1", "--repeat", "1", "--json"],
                              capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(answer["steps"], 2)
        # Attention of cuDNN is for GPUs, and optimizers of newer versions call what older ones lack; where this processor's PyTorch has no products of two-byte
        # numbers, these are left out too. All else must run.
        import torch
        two_bytes = torch.ones(64, 64, dtype=torch.bfloat16)
        try:
            torch.mm(two_bytes, two_bytes)
            lacking = set()
        except RuntimeError:
            lacking = {"aten::mm", "aten::addmm", "aten::gelu", "aten::gelu_backward"}
        self.assertLess(sum(count for name, count in answer["left_out"].items() if name not in lacking), 30, answer["left_out"])


if __name__ == "__main__":
    unittest.main()
