"""Columns are views: typed, read-only, not copied, and they outlive what they were taken from."""

import gc
import pickle
import unittest

import numpy as np
import orrery
from support import DATA, DDP, GPT, data, has, main


class Views(unittest.TestCase):
    def setUp(self):
        self.trace = orrery.open(GPT)
        self.rank = self.trace[0]

    def test_types(self):
        kinds = {"start_ps": "int64", "duration_ps": "int64", "name_id": "uint32", "lane": "uint32", "ordinal": "uint32", "category": "uint16",
                 "source_offset": "uint64"}
        for name, kind in kinds.items():
            column = getattr(self.rank, name)
            self.assertEqual(str(column.dtype), kind, name)
            self.assertEqual(len(column), len(self.rank), name)

    def test_read_only_and_shared(self):
        column = self.rank.start_ps
        self.assertFalse(column.flags.owndata)
        self.assertTrue(np.shares_memory(column, self.rank.start_ps))
        with self.assertRaises(ValueError):
            column[0] = 1
        with self.assertRaises(ValueError):
            column.flags.writeable = True

    def test_a_view_keeps_the_trace(self):
        column = self.rank.start_ps
        event, value = self.rank.field("stream")
        total, streams = int(column.sum()), int(value.sum())
        self.trace = self.rank = None
        gc.collect()
        hold = [np.full(1 << 20, 7, dtype=np.int64) for _ in range(4)]  # would reuse memory that was given back
        self.assertEqual((int(column.sum()), int(value.sum())), (total, streams))
        self.assertEqual(len(hold), 4)

    def test_what_they_hold(self):
        info = data("info", GPT)["ranks"][0]
        self.assertEqual(len(self.rank), info["events"])
        names = self.trace.names
        self.assertEqual(names[0], "")
        self.assertEqual(self.trace.name(int(self.rank.name_id[0])), names[int(self.rank.name_id[0])])
        self.assertEqual(names[-1], names[len(names) - 1])
        with self.assertRaises(IndexError):
            names[len(names)]
        self.assertEqual([step.name for step in self.rank.steps], [step["name"] for step in info["steps"]])
        self.assertEqual(self.trace.epoch_unix_ns, data("info", GPT)["epoch_unix_ns"])

    def test_fields(self):
        event, value = self.rank.field("stream")
        self.assertEqual((str(event.dtype), str(value.dtype)), ("uint32", "int64"))
        dense = self.rank.dense("stream", missing=-5)
        self.assertTrue((dense[event] == value).all())
        self.assertEqual(int((dense == -5).sum()), len(self.rank) - len(event))
        self.assertTrue(np.array_equal(self.rank.field("External id")[1], self.rank.field("external_id")[1]))
        with self.assertRaises(KeyError):
            self.rank.field("no such field")

    def test_several_ranks(self):
        trace = orrery.open(DDP)
        self.assertEqual([rank.rank for rank in trace.ranks], [0, 1, 2, 3])
        self.assertEqual(len(orrery.open(DATA + "/ddp4.rank*.kineto.json.gz")), 4)
        with self.assertRaises(KeyError):
            trace[9]
        first = trace[2].start_ps
        self.assertTrue(np.array_equal(first, orrery.open(DDP, threads=1)[2].start_ps))

    def test_lanes_and_source(self):
        self.assertEqual(self.rank.source.path, GPT)
        self.assertEqual(self.rank.source.format, "kineto")
        self.assertEqual(max(self.rank.lane) + 1, len(self.rank.lanes))
        self.assertIn("kernel", {category.activity for category in self.rank.categories})

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_frames(self):
        frame = self.rank.to_pandas()
        self.assertEqual(len(frame), len(self.rank))
        self.assertEqual(str(frame["name"].iloc[0]), self.trace.name(int(self.rank.name_id[0])))
        kernels = self.rank.to_pandas(["name", "activity", "stream", "duration_ps"]).query("activity == 'kernel'")
        self.assertTrue(kernels["stream"].notna().all())
        self.assertTrue(self.rank.to_pandas(["stream"])["stream"].isna().any())

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_one_frame_over_all_ranks(self):
        trace = orrery.open(DDP)
        frame = trace.to_pandas()
        self.assertEqual(len(frame), sum(map(len, trace)))
        self.assertEqual(frame.groupby("rank").size().to_dict(), {rank.rank: len(rank) for rank in trace})
        for rank in trace:
            alone, here = rank.to_pandas(), frame[frame["rank"] == rank.rank]
            for column in alone:
                self.assertEqual(list(alone[column]), list(here[column]), column)
        chosen = trace.to_pandas(["name", "stream", "dtype"])
        self.assertEqual(list(chosen), ["rank", "name", "stream", "dtype"])
        self.assertTrue(chosen["stream"].isna().any())


class Graphs(unittest.TestCase):
    def test_the_graph_of_a_step(self):
        trace = orrery.open(GPT)
        step = orrery.step(trace)
        answer = orrery.path(trace)
        self.assertEqual((len(step.rows) - 1, len(step.source)), (answer.nodes, answer.edges))
        for column, kind in ((step.rows, "uint32"), (step.source, "uint32"), (step.weight_ps, "int64"), (step.kind, "uint8"), (step.owner, "uint32")):
            self.assertEqual(str(column.dtype), kind)
            self.assertFalse(column.flags.writeable)
        counted = np.bincount(step.kind, minlength=len(step.kinds))
        # Kinds that only jobs of several ranks have are named, too, and never occur here.
        of_rank = {name: int(n) for name, n in zip(step.kinds, counted) if n > 0 or name in answer.edges_per_type}
        self.assertEqual(of_rank, answer.edges_per_type)

    def test_solving_it(self):
        trace = orrery.open(GPT)
        step = orrery.step(trace)
        measured = step.solve()
        self.assertEqual(measured.length_ps, step.length_ps)
        self.assertEqual(int(step.weight_ps[measured.path].sum()), measured.length_ps)
        weights = step.weight_ps.copy()
        weights[step.kind == step.kinds.index("cpu_operator")] //= 2
        halved = orrery.whatif(trace, "op * 0.5")
        self.assertAlmostEqual(step.solve(weights).length_ps / 1e6, halved.after_us, delta=0.01)  # the engine rounds each edge to the nearest
        with self.assertRaises(ValueError):
            step.solve(weights[:-1])

    def test_weights_are_whole_picoseconds(self):
        step = orrery.step(GPT)
        weights = step.weight_ps.copy()
        plain = step.solve(weights)
        for same in (weights.astype("float64"), weights.astype("uint64"), weights.tolist(), weights.astype("object")):
            self.assertEqual(step.solve(same).length_ps, plain.length_ps)
        for changed in (0.5, np.nan, np.inf):
            cut = weights.astype("float64")
            cut[3] = changed
            with self.assertRaises(orrery.UsageError):
                step.solve(cut)
        for wrapped in (np.where(weights == weights.max(), 2**63, weights.astype("uint64")), weights * 0 + 2**61, [2**70] * len(weights), ["1"] * len(weights)):
            with self.assertRaises(orrery.UsageError):
                step.solve(wrapped)
        for column in (plain.finish_ps, plain.path):
            with self.assertRaises(ValueError):
                column[0] = 1

    def test_pickles(self):
        trace = orrery.open(DDP[:2])
        again = pickle.loads(pickle.dumps(trace))
        self.assertTrue(np.array_equal(again[1].start_ps, trace[1].start_ps))
        self.assertEqual(pickle.loads(pickle.dumps(trace[1])).rank, 1)
        step = orrery.step(trace, rank=1, annotation="ProfilerStep", instance=(0, 1))
        again = pickle.loads(pickle.dumps(step))
        self.assertEqual((again.rank, again.label, again.length_ps), (1, step.label, step.length_ps))
        self.assertTrue(np.array_equal(again.weight_ps, step.weight_ps))

    def test_instances(self):
        trace = orrery.open(GPT)
        self.assertEqual(orrery.step(trace, annotation="ProfilerStep", instance=0).label, "ProfilerStep#2")
        both = orrery.step(trace, annotation="ProfilerStep", instance=(0, 1))
        self.assertGreater(both.length_ps, orrery.step(trace).length_ps)
        for wrong in ("x", (3, 1), -1):
            with self.assertRaises(orrery.UsageError):
                orrery.step(trace, instance=wrong)
        with self.assertRaises(orrery.Error):
            orrery.step(trace, annotation="no such range")

    def test_it_outlives_its_trace(self):
        weights = orrery.step(GPT).weight_ps
        gc.collect()
        self.assertGreater(int(weights.sum()), 0)


if __name__ == "__main__":
    main()
