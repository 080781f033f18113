"""The runtime of emitted folders, src/replay/torch/replay.py: what it refuses needs no PyTorch; what it runs is tried where there is one."""
import copy
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

SOURCE = pathlib.Path(os.environ["ORRERY_SOURCE"])
RUNTIME = SOURCE / "src/replay/torch/replay.py"
spec = importlib.util.spec_from_file_location("replay", RUNTIME)
replay = importlib.util.module_from_spec(spec)
spec.loader.exec_module(replay)

try:
    import torch
except ImportError:
    torch = None

JOB = {"format": "orrery-replay-job", "version": 1, "world_size": 1, "ranks": [{"rank": 0, "file": "rank0.json"}], "groups": [[0]],
       "source": [], "remarks": []}
N = 8 * 4 * 4
# x is 8 x 4, seen as itself and transposed; y = x x^T; then another thread adds to x, and y's rows are summed.
LIST = {
    "format": "orrery-operations", "version": 1, "rank": 0, "device": "cpu", "streams": [], "threads": 2, "steps": 2, "settings": {},
    "storages": [["cpu", N, "given", "float32", 0, 0, 1], ["cpu", 256, "made", "float32", 0, 0, 0], ["cpu", 32, "made", "float32", 0, 0, 0],
                 ["cpu", 80, "given", "int64", 3, 0, 0], ["cpu", 32, "given", "float32", 0, 0, 0]],
    "tensors": [["float32", [8, 4], [4, 1], 0], ["float32", [4, 8], [1, 4], 0], ["float32", [8, 8], [8, 1], 0], ["float32", [4], [1], 4],
                ["float32", [8], [1], 0]],
    "forms": [{"op": "aten::mm", "overload": "", "args": [{"t": 0}, {"t": 1}], "outs": [2]},
              {"op": "aten::add_", "overload": "Tensor", "args": [{"t": 0}, {"t": 3}], "kw": {"alpha": 1}, "outs": [0]},
              {"op": "aten::sum", "overload": "dim_IntList", "args": [{"t": 2}, [1], False], "kw": {"dtype": {"dtype": "float32"}}, "outs": [4]}],
    "sequence": [["begin", "ProfilerStep#1"], [0, [0, 0], [1]], ["thread", 1], [1, [0, 4], [0]], ["thread", 0], [2, [1], [2], [1]], ["free", [2]],
                 ["end"]],
}


def write(folder, operations=LIST, job=JOB):
    (folder / "job.json").write_text(json.dumps(job))
    (folder / "rank0.json").write_text(json.dumps(operations))
    (folder / "replay.py").write_bytes(RUNTIME.read_bytes())
    return folder / "rank0.json"


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") else pathlib.Path(tempfile.mkdtemp())

    def refusal(self, **changes):
        operations = copy.deepcopy(LIST)
        operations.update(changes)
        with self.assertRaises(replay.Refusal) as caught:
            replay.Operations(write(self.folder, operations), [[0]])
        return str(caught.exception)

    def test_a_right_list_is_read_and_says_its_peak(self):
        operations = replay.Operations(write(self.folder), [[0]])
        self.assertEqual(len(operations.sequence), 8)
        self.assertEqual(operations.peak_bytes(), N + 80 + 32 + 256 + 32)

    def test_each_damage_has_its_sentence(self):
        self.assertIn("is not a file of format", self.refusal(format="something else"))
        self.assertIn("emit the folder again", self.refusal(version=2))
        self.assertIn("neither cuda nor cpu", self.refusal(device="tpu"))
        self.assertIn("storage 0", self.refusal(storages=[["cpu", -1, "given", "float32", 0, 0, 0]]))
        self.assertIn("not as many strides", self.refusal(tensors=[["float32", [1, 2], [1], 0]] * 5))
        self.assertIn("not the name of an operator", self.refusal(forms=[{"op": "os.system"}]))
        self.assertIn("not the name of an operator", self.refusal(forms=[{"op": "aten::__import__('os')"}]))
        self.assertIn("an argument", self.refusal(forms=[{"op": "aten::mm", "args": [{"code": "1"}]}]))
        self.assertIn("entry 0", self.refusal(sequence=[[99]]))
        self.assertIn("other tensors than its form", self.refusal(sequence=[[0, [0], [1]]]))
        self.assertIn("not known", self.refusal(sequence=[["exec", "print(1)"]]))
        self.assertIn("entry 0", self.refusal(sequence=[["free", [5]]]))
        self.assertIn("one number per entry", self.refusal(pace=[1]))
        self.assertIn("not what pause looks like", self.refusal(sequence=[["pause", "1 s"]]))

    def test_a_pause_lasts_and_is_no_hang(self):
        clock = types.SimpleNamespace(now=0)

        def look():
            clock.now += 1000
            return clock.now

        def sleep(seconds):
            self.assertFalse(player.is_running)  # nobody watches now
            clock.now += int(seconds * 1e9)

        player, real = types.SimpleNamespace(is_running=True), replay.time
        replay.time = types.SimpleNamespace(perf_counter_ns=look, sleep=sleep)
        try:
            replay.Player._stand_still(player, 5_000_000)
        finally:
            replay.time = real
        self.assertTrue(player.is_running)
        self.assertTrue(5_000_000 <= clock.now <= 5_010_000, clock.now)

    def test_an_overload_that_was_not_recorded_is_the_one_that_takes_the_arguments(self):
        def argument(kind, name, default=None, by_name=False):
            return types.SimpleNamespace(type=kind, name=name, default_value=default, has_default_value=lambda: default is not None, kwarg_only=by_name)

        alpha, out = argument("number", "alpha", 1, True), argument("Tensor", "out", None, True)
        forms = {"int": [argument("int", "a"), argument("int", "b"), argument("int", "c")],
                 "Scalar": [argument("Tensor", "self"), argument("number", "other"), argument("number", "alpha", 1)],
                 "Tensor": [argument("Tensor", "self"), argument("Tensor", "other"), alpha],
                 "dim": [argument("Tensor", "self"), argument("Optional[List[int]]", "dim"), argument("str", "how", "none", True)],
                 "out": [argument("Tensor", "self"), argument("Tensor", "other"), alpha, out]}
        schemas = [types.SimpleNamespace(overload_name=name, arguments=arguments) for name, arguments in forms.items()]
        real = getattr(replay, "torch", None)
        replay.torch = types.SimpleNamespace(_C=types.SimpleNamespace(_jit_get_schemas_for_operator=lambda name: schemas))
        try:
            def settled(*args):
                form = {"op": "aten::add", "overload": None, "args": list(args)}
                return (form["overload"], form["args"], form["kw"]) if replay.settle_overload(form) else None

            x, y = {"t": 0}, {"t": 1}
            self.assertEqual(settled(x, y, 2), ("Tensor", [x, y], {"alpha": 2}))
            self.assertEqual(settled(x, 0.5, 1), ("Scalar", [x, 0.5, 1], {}))
            self.assertEqual(settled(x, [0, 1], None), ("dim", [x, [0, 1]], {"how": "none"}))
            self.assertEqual(settled(x, None, None), ("dim", [x, None], {"how": "none"}))
            self.assertEqual(settled(x, y, 1, y), ("out", [x, y], {"alpha": 1, "out": y}))
            self.assertIsNone(settled(x, [True], 1))
            self.assertIsNone(settled(x))
        finally:
            replay.torch = real

    def test_what_was_one_launch_is_launched_as_one(self):
        done = []
        step = lambda number: (number, lambda: done.append(number))
        mark = lambda number, is_begin: (number, replay.Mark(is_begin))
        # The last one ends on another thread, and the first waits for something: both are done one by one.
        player = types.SimpleNamespace(memory=None, operations=types.SimpleNamespace(sequence=[["work", 1, "x", 1]] * 3 + [["sync"]] + [["work", 1, "x", 1]] * 5))
        actions = replay.Player._with_graphs(player, [step(0), mark(1, True), step(2), step(3), mark(4, False), step(5), mark(6, True), step(7), step(8)])
        self.assertEqual([number for number, _ in actions], [0, 1, 5, 7, 8])
        self.assertIs(type(actions[1][1]), replay.Launch)
        for _, action in actions:
            action()
        self.assertEqual(done, [0, 2, 3, 5, 7, 8])

    def test_what_is_no_json_is_said(self):
        path = write(self.folder)
        for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 100000):
            path.write_bytes(content)
            with self.assertRaises(replay.Refusal):
                replay.Operations(path, [[0]])

    def test_a_job_names_files_of_its_own_folder_only(self):
        job = copy.deepcopy(JOB)
        job["ranks"] = [{"rank": 0, "file": "../rank0.json"}]
        write(self.folder, LIST, job)
        with self.assertRaises(replay.Refusal) as caught:
            replay.read_job(self.folder)
        self.assertIn("names no file of this folder", str(caught.exception))


@unittest.skipIf(torch is None, "there is no PyTorch here")
class Running(Reading):
    def run_it(self, operations, *options):
        write(self.folder, operations)
        return subprocess.run([sys.executable, "-B", self.folder / "replay.py", "--repeat", "2", "--warmup", "1", "--no-trace", *options],
                              capture_output=True, text=True, timeout=120)

    def test_it_runs_and_answers(self):
        done = self.run_it(LIST, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((answer["rank"], answer["steps"], answer["windows"], answer["left_out"]), (0, 2, 2, {}))

    def test_overloads_that_were_not_recorded_are_found(self):
        operations = copy.deepcopy(LIST)
        operations["forms"][1] = {"op": "aten::add_", "overload": None, "args": [{"t": 0}, {"t": 3}, 1], "outs": [0]}
        operations["forms"][2] = {"op": "aten::sum", "overload": None, "args": [{"t": 2}, [1], False, 6], "outs": [4]}
        done = self.run_it(operations, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["left_out"], {})

    def test_views_share_their_storage_and_values_are_in_bounds(self):
        replay.torch = torch
        operations = replay.Operations(write(self.folder), [[0]])
        memory = replay.Memory(operations, torch.device("cpu"))
        memory.give()
        plain, turned = memory.view(memory.number(0, 0)), memory.view(memory.number(0, 1))
        plain[2, 3] = 7
        self.assertEqual(turned[3, 2], 7)
        self.assertTrue(bool((memory.base[3] < 3).all()) and bool((memory.base[3] >= 0).all()))
        memory.free([0])
        self.assertIsNotNone(memory.base[0])  # what was given stays

    def test_integers_whose_values_decide_the_work_are_of_that_kind(self):
        replay.torch = torch
        operations = copy.deepcopy(LIST)
        operations["storages"].append(["cpu", 16 * 8, "given", "int64", 0, 0, 0])
        storage = len(operations["storages"]) - 1
        operations["integers"] = [[storage, 0, 5, "offsets", 10, 4], [storage, 5, 4, "lengths", 10, 4], [storage, 9, 7, "spread", 3, 7]]
        memory = replay.Memory(replay.Operations(write(self.folder, operations), [[0]]), torch.device("cpu"))
        memory.give()
        values = memory.base[storage].tolist()
        self.assertEqual(values[:5], [0, 2, 5, 7, 10])
        self.assertEqual(values[5:9], [2, 3, 2, 3])
        self.assertEqual(set(values[9:]), {0, 1, 2})
        operations["integers"] = [[storage, 0, 5, "sizes", 10, 4]]
        with self.assertRaises(replay.Refusal):
            replay.Operations(write(self.folder, operations), [[0]])

    def test_a_faster_binding_is_taken_only_if_it_is_the_same_operator(self):
        replay.torch = torch
        witness = replay.find_witness()
        if witness is None:
            self.skipTest("this PyTorch cannot tell what is called")
        x, y = torch.ones(2, 3), torch.ones(3, 2)

        def chosen(operator, *arguments, **keywords):
            call = types.SimpleNamespace(operator=operator, function=operator._op, name=operator._schema.name)
            trial = replay.Trial(call, witness)
            with replay.without_autograd():
                result = trial(*arguments, **keywords)
                expected = operator(*[one.clone() if isinstance(one, torch.Tensor) else one for one in arguments], **keywords)
            self.assertEqual(result.shape, expected.shape)
            return trial.chosen is not call.function

        self.assertTrue(chosen(torch.ops.aten.mm.default, x, y))
        self.assertTrue(chosen(torch.ops.aten.add_.Tensor, x, x.clone(), alpha=2))
        self.assertFalse(chosen(torch.ops.aten.add.Scalar, x, 2, 1))  # torch.add makes a tensor of the number and calls another overload

    def test_windows_with_faster_bindings_give_what_the_first_gave(self):
        replay.torch = torch
        operations = replay.Operations(write(self.folder), [[0]])
        memory = replay.Memory(operations, torch.device("cpu"))
        memory.give()
        options = types.SimpleNamespace(communication_only=False, compute_only=False, substitute=False, warmup=2)
        communication = types.SimpleNamespace(is_on=False, complete_all=lambda: None)
        sums = []
        with replay.without_autograd():
            player = replay.Player(operations, memory, communication, options)
            for _ in range(4):
                memory.give(first=False)
                player.window()
                sums.append(memory.base[0].clone())
        for later in sums[1:]:
            self.assertTrue(torch.equal(later, sums[0]))
        self.assertEqual(len(player.quick), 3)

    def test_an_operator_that_is_not_known_is_refused_before_anything_runs(self):
        operations = copy.deepcopy(LIST)
        operations["forms"][0]["op"] = "aten::no_such_operator"
        done = self.run_it(operations)
        self.assertEqual(done.returncode, 3)
        self.assertIn("does not know 1 of the recorded operators: aten::no_such_operator (1)", done.stderr)
        self.assertEqual(self.run_it(operations, "--substitute").returncode, 0)

    def test_a_call_that_fails_is_named(self):
        operations = copy.deepcopy(LIST)
        operations["tensors"][1] = ["float32", [3, 8], [1, 3], 0]
        done = self.run_it(operations)
        self.assertEqual(done.returncode, 3)
        self.assertIn("entry 1: aten::mm cannot be called as it was recorded", done.stderr)

    def test_operators_that_reach_beyond_tensors_are_never_called(self):
        operations = copy.deepcopy(LIST)
        operations["forms"][0]["op"] = "aten::from_file"
        done = self.run_it(operations, "--substitute")
        self.assertEqual(done.returncode, 3)
        self.assertIn("never replayed", done.stderr)


if __name__ == "__main__":
    unittest.main()
