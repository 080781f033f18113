"""replay --emit torch --edit: what an edit is about changes and nothing else does, and PyTorch runs it."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ORRERY_SOURCE"])
try:
    import torch
    import torch.distributed
except ImportError:
    torch = None


def emit(name, folder, *edits):
    """The lists of the job's ranks."""
    flags = [word for edit in edits for word in ("--edit", edit)]
    files = sorted(str(file.relative_to(SOURCE)) for file in (SOURCE / "data").glob(f"{name}.rank*.gz"))
    subprocess.run([os.environ["ORRERY_BINARY"], "-q", "replay", *files, "--emit", "torch", "-o", folder, *flags], cwd=SOURCE, check=True,
                   stdout=subprocess.DEVNULL)
    return [json.loads((pathlib.Path(folder) / f"rank{rank}.json").read_text()) for rank in range(4)]


def calls_of(operations):
    """Per call: what is called, with its tensors spelt out."""
    def spelt(value):
        if isinstance(value, list):
            return [spelt(one) for one in value]
        if isinstance(value, dict):
            return {key: operations["tensors"][inner] if key == "t" else spelt(inner) for key, inner in value.items()}
        return value
    for entry in operations["sequence"]:
        if isinstance(entry[0], int):
            form = operations["forms"][entry[0]]
            yield form["op"], spelt(form["args"]), spelt(form.get("kw", {})), [None if out is None else operations["tensors"][out] for out in form["outs"]]


def transfers_of(operations):
    """Per communication: what is said about it, and elements, type and storage of each tensor."""
    def seen(pair):
        dtype, shape, _, _ = operations["tensors"][pair[0]]
        elements = 1
        for size in shape:
            elements *= size
        return elements, dtype, pair[1]
    for entry in operations["sequence"]:
        if entry[0] == "collective":
            yield entry[1], [seen(pair) for pair in entry[2]], [seen(pair) for pair in entry[3]]


class Lists(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def test_more_is_carried_and_nothing_else_changes(self):
        for name in ("ddp4", "calls4"):
            for before, after in zip(emit(name, f"{self.folder}/b"), emit(name, f"{self.folder}/a", "comm * 3")):
                self.assertEqual(list(calls_of(before)), list(calls_of(after)))
                kinds = [[entry[0] for entry in operations["sequence"]] for operations in (before, after)]
                self.assertEqual([kind for kind in kinds[0] if isinstance(kind, str)], [kind for kind in kinds[1] if isinstance(kind, str)])
                given = {i for i, storage in enumerate(after["storages"]) if storage[2] == "given"}
                used = {s for entry in after["sequence"] if isinstance(entry[0], int) for some in entry[1:] for s in some}
                for (about, ins, outs), (same, more_ins, more_outs) in zip(transfers_of(before), transfers_of(after), strict=True):
                    self.assertEqual(about, same)
                    for (count, dtype, _), (more, other, storage) in zip(ins + outs, more_ins + more_outs, strict=True):
                        self.assertEqual((3 * count, dtype), (more, other))
                        self.assertTrue(storage in given and storage not in used)

    def test_what_is_removed_is_gone_and_what_it_made_is_there(self):
        before, after = emit("ddp4", f"{self.folder}/b")[1], emit("ddp4", f"{self.folder}/a", "op:aten::mm remove", "step:1 comm remove")[1]
        self.assertEqual([call for call in calls_of(before) if call[0] != "aten::mm"], list(calls_of(after)))
        self.assertEqual(len(list(transfers_of(before))), 2 * len(list(transfers_of(after))))
        there = {i for i, storage in enumerate(after["storages"]) if storage[2] == "given"}
        for entry in after["sequence"]:
            if isinstance(entry[0], int):
                self.assertTrue(there.issuperset(entry[1] if len(entry) > 1 else []), entry)
                there.update(entry[2] if len(entry) > 2 else [])
                there.difference_update(entry[3] if len(entry) > 3 else [])
            elif entry[0] in ("new", "free"):
                (there.update if entry[0] == "new" else there.difference_update)(entry[1])


@unittest.skipIf(torch is None or not torch.distributed.is_available(), "there is no PyTorch here")
class Runs(unittest.TestCase):
    def test_four_processes_do_it(self):
        with tempfile.TemporaryDirectory() as folder:
            emit("calls4", folder, "comm * 1.5", "collective:all_gather remove", "op:aten::mm remove", "rank:2 step:1 delay 1ms")
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            started = []
            for rank in range(4):
                about = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 4, "LOCAL_WORLD_SIZE": 4, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                         "OMP_NUM_THREADS": 1}
                command = [sys.executable, "-B", f"{folder}/replay.py", "--no-trace", "--warmup", "1", "--repeat", "1", "--timeout", "120", "--json"]
                started.append(subprocess.Popen(command, env={**os.environ, **{key: str(value) for key, value in about.items()}},
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            for process in started:
                out, error = process.communicate(timeout=250)
                self.assertEqual(process.returncode, 0, error)
                self.assertEqual(json.loads(out.splitlines()[-1])["left_out"], {})


if __name__ == "__main__":
    unittest.main()
