"""replay --emit torch --scale: what was scaled has the sizes of the recording times the factor, PyTorch makes the same of them, and it runs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ORRERY_SOURCE"])
try:
    import torch
except ImportError:
    torch = None


def emit(name, folder, *scale):
    files = [f"data/{name}.{kind}.json.gz" for kind in ("et", "kineto")]
    subprocess.run([os.environ["ORRERY_BINARY"], "-q", "replay", *files, "--emit", "torch", "-o", folder, *scale], cwd=SOURCE, check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads((pathlib.Path(folder) / "rank0.json").read_text())


def tensors_of(value):
    if isinstance(value, list):
        return [tensor for entry in value for tensor in tensors_of(entry)]
    return [value["t"]] if isinstance(value, dict) and "t" in value else []


def calls_of(operations):
    """Per call: its operator, and the descriptor and storage of each of its tensors."""
    for entry in operations["sequence"]:
        if isinstance(entry[0], int):
            form = operations["forms"][entry[0]]
            places = tensors_of(form["args"]) + tensors_of(list(form.get("kw", {}).values())) + [out for out in form["outs"] if out is not None]
            storages = (entry[1] if len(entry) > 1 else []) + (entry[2] if len(entry) > 2 else [])
            yield form["op"], [operations["tensors"][place] for place in places], [operations["storages"][storage] for storage in storages]


class Sizes(unittest.TestCase):
    # gpt_small: a batch of 8 with 8 heads and sequences of 256 out of 257 tokens; 2048 is 8 * 256, and the width of the inner layer.
    def compare(self, name, selector, factor, changes):
        with tempfile.TemporaryDirectory() as folder:
            before = emit(name, f"{folder}/before")
            after = emit(name, f"{folder}/after", "--scale", selector, str(factor))
        changed = 0
        for (operator, were, _), (same, are, storages) in zip(calls_of(before), calls_of(after), strict=True):
            self.assertEqual(operator, same)
            for (dtype, shape, _, _), (other, sizes, strides, offset), storage in zip(were, are, storages, strict=True):
                self.assertEqual(dtype, other)
                different = [(old, new) for old, new in zip(shape, sizes, strict=True) if old != new]
                self.assertLessEqual(len(different), 1, (operator, shape, sizes))
                for old, new in different:
                    self.assertIn((old, new), changes, (operator, shape, sizes))
                    changed += 1
                width = {"float32": 4, "bfloat16": 2, "int64": 8, "float64": 8, "uint8": 1}[dtype]
                self.assertLessEqual((offset + 1 + sum((n - 1) * step for n, step in zip(sizes, strides))) * width, storage[1], operator)
        self.assertGreater(changed, 100)

    def test_batch(self):
        self.compare("gpt_small", "batch", 2, {(8, 16), (2048, 4096), (24, 48)})

    def test_less_of_it(self):
        self.compare("gpt_small", "batch", 0.25, {(8, 2), (2048, 512), (24, 6)})

    def test_sequence(self):
        self.compare("gpt_small", "sequence", 0.5, {(256, 128), (2048, 1024), (257, 129)})

    def test_of_a_rank_of_many(self):
        self.compare("ddp4.rank0", "batch", 3, {(512, 1536)})


@unittest.skipIf(torch is None, "there is no PyTorch here")
class Runs(unittest.TestCase):
    def value(self, operations, value):
        if isinstance(value, list):
            return [self.value(operations, entry) for entry in value]
        if not isinstance(value, dict):
            return value
        kind, content = next(iter(value.items()))
        if kind == "t":
            dtype, shape, stride, offset = operations["tensors"][content]
            memory = torch.zeros(offset + 1 + sum((n - 1) * step for n, step in zip(shape, stride)), dtype=getattr(torch, dtype))
            return memory.as_strided(shape, stride, offset)
        return torch.device("cpu") if kind == "device" else getattr(torch, content)

    def test_pytorch_returns_what_the_list_says(self):
        for name, scale in (("gpt_small", ("sequence", "0.125")), ("gpt_small", ("batch", "0.125"))):
            with tempfile.TemporaryDirectory() as folder:
                operations = emit(name, f"{folder}/scaled", "--scale", *scale)
            checked = 0
            for form in operations["forms"]:
                space, operator = form["op"].split("::")
                overloads = getattr(getattr(torch.ops, space), operator, None)
                if overloads is None:  # of newer versions, or for GPUs
                    continue
                call = getattr(overloads, form["overload"] or "default")
                keywords = {key: self.value(operations, value) for key, value in form.get("kw", {}).items()}
                try:
                    with torch.no_grad():
                        returned = call(*self.value(operations, form["args"]), **keywords)
                except RuntimeError as error:  # what this processor's library has no product of two bytes for
                    self.assertIn("could not create a primitive", str(error))
                    continue
                returned = returned if isinstance(returned, (tuple, list)) else [returned]
                for wanted, tensor in zip(form["outs"], returned):
                    if wanted is not None and torch.is_tensor(tensor):
                        self.assertEqual(list(tensor.shape), operations["tensors"][wanted][1], form["op"])
                        checked += 1
            self.assertGreater(checked, 20)

    def test_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            emit("ddp4.rank0", f"{folder}/scaled", "--scale", "batch", "0.0625")
            done = subprocess.run([sys.executable, "-B", f"{folder}/scaled/replay.py", "--device", "cpu", "--compute-only", "--no-trace", "--warmup", "1",
                                   "--repeat", "1", "--json"], capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["left_out"], {})


if __name__ == "__main__":
    unittest.main()
