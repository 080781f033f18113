"""orrery.hta beyond the tables: frames of traces, time series, launches, graphs that are changed, saved and restored, and what HTA's users import."""

import contextlib
import copy
import enum
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import DDP, GPT, data, has, main, skip

# What HTA 0.6.1 itself gave for these traces, all its sorts stable: rows, types of columns, and sums of what can be added up.
EXPECTED = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hta_digests.json")))
# The order of HTA's ids is that of a Python set, which changes from run to run.
SYMBOLS = {"name", "cat", "user_annotation"}


def digest(frame):
    """What of a frame is compared."""
    import pandas as pd

    if isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    columns = {}
    for column in frame.columns:
        values, name = frame[column], column if isinstance(column, str) else "/".join(column)
        if name in SYMBOLS and values.dtype.kind in "if":
            continue
        if values.dtype.kind in "if":
            columns[name] = [str(values.dtype), round(float(values.sum()), 4)]
        else:
            columns[name] = [str(values.dtype), len({str(value) for value in values})]
    return {"rows": len(frame), "index": str(frame.index.dtype), "columns": columns}


def answers(job, ranks):
    """Every frame by what it was asked by. The trace comes first: HTA's other answers add columns to it."""
    traces = {f"trace{rank}": digest(job.t.get_trace(rank)) for rank in ranks}
    types, kernels = job.get_gpu_kernel_breakdown(visualize=False)
    idle, intervals = job.get_idle_time_breakdown(ranks=ranks, visualize=False, show_idle_interval_stats=True)
    graph, _ = job.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=0)
    found = {"temporal": job.get_temporal_breakdown(visualize=False), "overlap": job.get_comm_comp_overlap(visualize=False), "types": types, "kernels": kernels,
             "idle": idle, "intervals": intervals, "queue": job.get_queue_length_summary(ranks=ranks), "copies": job.get_memory_bw_summary(ranks=ranks),
             "full": job.get_time_spent_blocked_on_full_queue(job.get_queue_length_time_series(ranks=ranks), max_queue_length=3),
             "annotations": job.get_gpu_user_annotation_breakdown(use_gpu_annotation=False, visualize=False),
             "path": graph.get_critical_path_breakdown(), "operators": job.get_aten_op_kernels_and_delay(ranks=[0])[0]}
    for name, frames in (("queues", job.get_queue_length_time_series(ranks=ranks)), ("rates", job.get_memory_bw_time_series(ranks=ranks)),
                         ("launches", job.get_cuda_kernel_launch_stats(ranks=ranks, visualize=False))):
        found.update({f"{name}{rank}": frame for rank, frame in frames.items()})
    return {**traces, **{name: digest(frame) for name, frame in found.items()}}


class Peer(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        from orrery.hta import TraceAnalysis

        cls.gpt = TraceAnalysis(trace_files={0: GPT})
        cls.ddp = TraceAnalysis(trace_files=dict(enumerate(DDP)))

    def test_frames_are_those_of_hta(self):
        from orrery.hta import TraceAnalysis

        for name, files in (("gpt_small", [GPT]), ("ddp4", DDP)):
            for question, found in answers(TraceAnalysis(trace_files=dict(enumerate(files))), list(range(len(files)))).items():
                with self.subTest(f"{name} {question}"):
                    self.assertEqual(found, EXPECTED[name][question])

    def test_the_trace(self):
        trace = self.gpt.t
        frame = trace.get_trace(0)
        names = trace.symbol_table.sym_table
        self.assertEqual(trace.symbol_table.sym_index[names[5]], 5)
        self.assertEqual(list(frame.index), list(frame["index"]))
        launch = frame[(frame["index_correlation"] > 0) & (frame["stream"] == -1)].iloc[0]
        kernel = frame.loc[launch["index_correlation"]]
        self.assertEqual(kernel["correlation"], launch["correlation"])
        self.assertEqual(trace.get_ranks(), [0])
        self.assertEqual(trace.get_iterations(), self.gpt.get_profiler_steps())
        self.assertEqual(trace.meta_data[0]["device_type"], "NVIDIA GPU")
        other = copy.deepcopy(trace)
        other.get_trace(0)["dur"] = 0
        self.assertGreater(frame["dur"].sum(), 0)
        trace.decode_symbol_ids(use_shorten_name=False)
        self.assertEqual([names[number] for number in frame["name"]], list(frame["s_name"]))

    def test_summaries_are_those_of_the_command(self):
        queue = self.ddp.get_queue_length_summary(ranks=[0, 1, 2, 3])
        self.assertEqual(list(queue.index.names), ["rank", "stream"])
        expected = data("launches", *DDP, "--compat", "hta")["queue"]
        self.assertEqual(list(queue.index), [(row["rank"], row["stream"]) for row in expected])
        self.assertEqual(list(queue["queue_length"]["max"]), [row["max"] for row in expected])
        copies = self.ddp.get_memory_bw_summary(ranks=[2])
        self.assertEqual([kind for _, kind in copies.index], [row["kind"] for row in data("memory", *DDP, "--compat", "hta")["copies"] if row["rank"] == 2])
        stats = self.ddp.get_cuda_kernel_launch_stats(ranks=[1], visualize=False)[1]
        row = data("launches", *DDP, "--compat", "hta")["launches"][1]
        self.assertEqual((len(stats), stats["launch_delay"].sum()), (row["delay_us"]["count"], row["delay_us"]["sum"]))

    def test_annotations(self):
        # Names of the host's annotations are cut behind the first, but for those that are to stay.
        cut = self.gpt.get_gpu_user_annotation_breakdown(use_gpu_annotation=False, visualize=False, num_kernels=1)
        kept = self.gpt.get_gpu_user_annotation_breakdown(use_gpu_annotation=False, visualize=False, num_kernels=1, allowlist_patterns=["Optimizer.step"])
        self.assertFalse(cut["name"].str.contains("Optimizer.step").any())
        self.assertTrue(kept["name"].str.contains("Optimizer.step").any())
        from orrery.hta import TraceAnalysis

        work = [("outer", "gpu_user_annotation", 0, 50), ("inner", "gpu_user_annotation", 10, 20), ("void a<int>()", "kernel", 2, 5), ("b", "kernel", 12, 5),
                ("c", "kernel", 60, 5)]
        events = [{"ph": "X", "name": name, "cat": category, "ts": 1000 + start, "dur": duration, "pid": 0, "tid": 7,
                   "args": {"stream": 7, "correlation": number} if category == "kernel" else {}} for number, (name, category, start, duration) in enumerate(work)]
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/rank0.json", "w") as file:
                json.dump({"traceEvents": events}, file)
            rows = TraceAnalysis(trace_dir=folder).get_gpu_kernels_with_user_annotations(rank=0)
            self.assertEqual(list(rows["s_name"]), ["a", "b", "c"])
            self.assertEqual(list(rows["s_user_annotation"]), ["outer", "inner", ""])
            self.assertEqual(list(rows["user_annotation"] < 0), [False, False, True])

    def test_sequences(self):
        with tempfile.TemporaryDirectory() as folder:
            frame = self.gpt.get_frequent_cuda_kernel_sequences("aten::linear", folder, top_k=1, min_pattern_len=1)
            expected = data("kernels", GPT, "--compat", "hta", "--sequences", "aten::linear", "--min-length", 1)["sequences"]
            self.assertEqual(list(frame["count"]), [row["count"] for row in expected])
            self.assertEqual(frame["pattern"][0], "|".join([expected[0]["operator"], *expected[0]["kernels"]]))
            events = json.load(gzip.open(folder + "/overlaid_" + os.path.basename(GPT)))["traceEvents"]
            marked = [event for event in events if "Patterns" in event.get("args", {})]
            self.assertEqual(sum(event["cat"] == "kernel" for event in marked), expected[0]["count"] * len(expected[0]["kernels"]))
            self.assertTrue(self.gpt.get_frequent_cuda_kernel_sequences("", folder).empty)
            self.assertTrue(self.gpt.get_frequent_cuda_kernel_sequences("aten::linear", folder + "/no such folder").empty)

    def test_counters_in_the_trace(self):
        from orrery.hta import TimeSeriesTypes, TraceAnalysis

        with tempfile.TemporaryDirectory() as folder:
            os.symlink(GPT, folder + "/rank0.json.gz")
            job = TraceAnalysis(trace_files={0: folder + "/rank0.json.gz"})
            job.generate_trace_with_counters()
            written = json.load(gzip.open(folder + "/rank0_with_counters.json.gz"))["traceEvents"]
            counters = [event for event in written if event["ph"] == "C"]
            points = len(job.get_queue_length_time_series()[0]) + len(job.get_memory_bw_time_series()[0])
            before = json.load(gzip.open(GPT))["traceEvents"]
            self.assertEqual(len(written), len(before) + points)
            self.assertGreaterEqual(min(event["ts"] for event in counters), min(event["ts"] for event in before if event["ph"] == "X"))
            job.generate_trace_with_counters(TimeSeriesTypes.QUEUE_LENGTH, output_suffix="_queue")
            queue = json.load(gzip.open(folder + "/rank0_queue.json.gz"))["traceEvents"]
            self.assertEqual({event["name"] for event in queue if event["ph"] == "C"}, {"Queue Length"})

    def test_a_graph_that_is_changed_saved_and_restored(self):
        import orrery
        from orrery.hta import CPEdgeType, restore_cpgraph

        graph, success = self.gpt.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=1)
        self.assertTrue(success)
        below_zero = [edge for _, _, edge in graph.edges(data=True) if edge["object"].weight < 0]
        self.assertEqual({edge["weight"] for edge in below_zero}, {0})  # what rounding left
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            graph.summary()
        self.assertEqual(printed.getvalue(), "Critical Path broken down by boundedness = (in % of duration)\n")
        path = list(graph.critical_path_nodes)
        weight = sum(edge.weight for edge in graph.critical_path_edges_set)
        theirs = enum.Enum("CPEdgeType", {"OPERATOR_KERNEL": "critical_path_operator"})  # as HTA has it
        self.assertTrue(theirs.OPERATOR_KERNEL == CPEdgeType.OPERATOR_KERNEL and CPEdgeType.DEPENDENCY not in set(theirs))
        self.assertIn(CPEdgeType.OPERATOR_KERNEL, set(theirs))
        self.assertTrue(graph.critical_path())  # found again by the engine, it is the same
        self.assertEqual(graph.critical_path_nodes, path)
        for u, v, edge in graph.edges(data=True):
            self.assertEqual((edge["object"].begin, edge["object"].end), (u, v))
            if edge["object"].type == CPEdgeType.OPERATOR_KERNEL:
                self.assertIn(edge["object"], graph.get_edges_attributed_to_event(graph.edge_to_event_map[u, v]))
                break
        with tempfile.TemporaryDirectory() as folder:
            file = graph.save(folder + "/graph")
            self.assertEqual(file, folder + "/graph.zip")
            again = restore_cpgraph(file, self.gpt.t, 0)
            self.assertEqual((len(again.nodes), len(again.edges), again.critical_path_nodes), (len(graph.nodes), len(graph.edges), path))
            self.assertEqual(again.summary().to_dict(), graph.summary().to_dict())
            longest = max(again.critical_path_edges_set, key=lambda edge: edge.weight)
            again.edges[longest.begin, longest.end]["weight"] = 0  # what if it were free
            self.assertTrue(again.critical_path())
            self.assertLessEqual(sum(again.edges[u, v]["weight"] for u, v in zip(again.critical_path_nodes, again.critical_path_nodes[1:])), weight)
            self.assertEqual(sorted(os.listdir(folder)), ["graph.zip"])
            with open(folder + "/other.zip", "w") as other:
                other.write("no zip")
            with self.assertRaises(orrery.Error):
                restore_cpgraph(folder + "/other.zip", self.gpt.t, 0)
        graph.add_edge(path[1], path[0], weight=1, object=type(longest)(path[1], path[0], CPEdgeType.OPERATOR_KERNEL, 1))
        self.assertFalse(graph.critical_path())  # a cycle

    def test_a_rank_without_devices_is_no_obstacle_to_others(self):
        from orrery.hta import TraceAnalysis

        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/host.json", "w") as file:
                json.dump({"traceEvents": [{"ph": "X", "name": "aten::add", "cat": "cpu_op", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "args": {}}]}, file)
            job = TraceAnalysis(trace_files={0: GPT, 1: folder + "/host.json"})
            idle, _ = job.get_idle_time_breakdown(visualize=False)
            self.assertEqual(len(idle), len(self.gpt.get_idle_time_breakdown(visualize=False)[0]))
            self.assertEqual(list(job.get_queue_length_time_series(ranks=[0, 1])), [0])

    def test_two_traces(self):
        from orrery.hta import DeviceType, LabeledTrace, TraceDiff

        with tempfile.TemporaryDirectory() as folder:
            for rank, name in enumerate(("a", "b")):
                os.mkdir(f"{folder}/{name}")
                os.symlink(DDP[rank], f"{folder}/{name}/trace.json.gz")
            first, second = LabeledTrace("A", trace_dir=folder + "/a"), LabeledTrace("B", trace_dir=folder + "/b")
            frame = TraceDiff.compare_traces(first, second, device_type=DeviceType.GPU)
            expected = data("diff", DDP[0], DDP[1], "--compat", "hta", "--on", "gpu")
            self.assertEqual(list(frame.index), [row["name"] for row in expected["rows"]])
            self.assertEqual(list(frame["diff_duration"]), [row["diff_us"] for row in expected["rows"]])
            self.assertEqual(list(frame["counts_change_categories"]), [row["change"] for row in expected["rows"]])
            whole = data("diff", DDP[0], DDP[1], "--compat", "hta")
            self.assertEqual(TraceDiff.ops_diff(folder + "/a", folder + "/b"), whole["operators"])
            self.assertIsNone(TraceDiff.visualize_counts_diff(frame, show_image=False))
            with self.assertRaises(ValueError):
                first.extract_ops(rank=99)
            with self.assertRaises(ValueError):
                LabeledTrace("nothing")

    def test_memory(self):
        import orrery
        from orrery.hta import MemoryAnalysis

        with tempfile.TemporaryDirectory() as folder:
            file = folder + "/timeline.raw.json.gz"
            with gzip.open(file, "wt") as out:
                json.dump([[-1, 0, 100, 0], [5, 1, 10, 4], [5, 1, 3, 4], [9, 2, -13, 4]], out)
            times, sizes = MemoryAnalysis(file)._process_raw_events()
            self.assertEqual(times, [5, 5, 9])
            self.assertEqual([(at[0], at[4]) for at in sizes], [(100, 0), (100, 13), (100, 0)])
            with self.assertRaises(orrery.Error):
                MemoryAnalysis(folder + "/none")._process_raw_events()

    def test_counted_kernels(self):
        from orrery.hta import TraceAnalysis

        def event(name, category, start, duration, thread, **arguments):
            return {"ph": "X", "name": name, "cat": category, "ts": 1000 + start, "dur": duration, "pid": 1, "tid": thread, "args": arguments}

        events = [event("aten::conv2d", "cpu_op", 0, 50, 1), event("aten::mm", "cpu_op", 10, 30, 1), event("cudaLaunchKernel", "cuda_runtime", 20, 5, 1, correlation=7),
                  event("gemm", "cuda_profiler_range", 60, 9, 2, fadd=12), {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "args": {}}]
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/rank0.json", "w") as file:
                json.dump({"traceEvents": events}, file)
            [frame] = TraceAnalysis(trace_dir=folder).get_cupti_counter_data_with_operators()
            row = frame.iloc[0]
            self.assertEqual((row["name"], row["cat"], row["fadd"]), ("gemm", "cuda_profiler_range", 12))
            self.assertEqual((row["op_stack"], row["top_level_op"], row["bottom_level_op"]), (["aten::conv2d", "aten::mm"], "aten::conv2d", "aten::mm"))
            self.assertEqual(row["index_runtime"], 2)

            self.assertEqual([(name, frame[name].dtype.str[1:], row[name]) for name in ("depth", "parent", "num_kernels", "last_kernel_end")],
                             [("depth", "i1", -1), ("parent", "i4", -1), ("num_kernels", "i1", 0), ("last_kernel_end", "f8", -1)])

    def test_types_follow_the_file(self):
        from orrery.hta import TraceAnalysis

        # What HTA has for starts and durations with a fraction or without, in a file all of whose events last, and in one with another behind them.
        expected = {
            (0, 0, False): ("int8", "int16", [4, 9], "int64"), (0, 0, True): ("float64", "float64", [4, 9], "float64"),
            (0, 0.5, False): ("float64", "float64", [4.5, 9.5], "float64"), (0, 0.5, True): ("float64", "float64", [4.5, 9.5], "float64"),
            (0.25, 0.5, False): ("int8", "int16", [3, 8], "int64"), (0.25, 0.5, True): ("float64", "float64", [3, 8], "float64"),
        }
        for (start, more, with_other), (of_durations, of_ends, durations, of_times) in expected.items():
            events = []
            for number in range(4):
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1000 + 20 * number + start, "dur": 4 + more,
                               "args": {"correlation": number + 1}})
                events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1008 + 20 * number + start, "dur": 9 + more,
                               "args": {"correlation": number + 1, "stream": 7, "device": 0}})
            events.append({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": 1, "tid": 1, "ts": 1000, "dur": 100, "args": {}})
            if with_other:
                events.append({"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "ts": 1000, "args": {}})
            with self.subTest(start=start, more=more, with_other=with_other), tempfile.TemporaryDirectory() as folder:
                with open(folder + "/rank0.json", "w") as file:
                    json.dump({"traceEvents": events}, file)
                job = TraceAnalysis(trace_dir=folder)
                frame = job.t.get_trace(0)
                self.assertEqual([str(frame[name].dtype) for name in ("ts", "dur", "end")], ["int16", of_durations, of_ends])
                self.assertEqual(frame["dur"].tolist()[:2], durations)
                queue = job.get_queue_length_time_series()[0]
                self.assertEqual([str(queue[name].dtype) for name in ("ts", "pid", "tid")], ["int16", "int8", "int8"])
                self.assertEqual(str(job.get_cuda_kernel_launch_stats(visualize=False)[0]["launch_delay"].dtype), of_ends)
                self.assertEqual(str(job.get_temporal_breakdown(visualize=False)["idle_time(us)"].dtype), of_times)

    def test_filters(self):
        from orrery.hta.common.trace_filter import CompositeFilter, CPUOperatorFilter, GPUKernelFilter, IterationFilter, IterationIndexFilter, NameFilter, TimeRangeFilter

        trace = self.ddp.t
        frame, symbols = trace.get_trace(0), trace.symbol_table
        step = self.ddp.get_profiler_steps()[0]
        in_step = IterationFilter(step)(frame)
        self.assertTrue(0 < len(in_step) < len(frame) and in_step.equals(IterationIndexFilter([0])(frame)))
        self.assertTrue(IterationIndexFilter(99)(frame).empty)
        device, host = GPUKernelFilter()(frame, symbols), CPUOperatorFilter()(frame, symbols)
        self.assertEqual((len(device) + len(host), bool((device["stream"] >= -1).all())), (len(frame), True))
        named = NameFilter("aten::.*mm", symbols)(frame)
        self.assertTrue(len(named) and all(symbols.sym_table[number].startswith("aten::") for number in named["name"]))
        start, end = int(in_step["ts"].iloc[5]), int(in_step["ts"].iloc[50])
        self.assertTrue((TimeRangeFilter((start, end))(frame)["ts"] >= start).all())
        both = CompositeFilter([GPUKernelFilter(), NameFilter("^Mem")])(frame, symbols)
        self.assertTrue(both["index"].isin(device["index"]).all())
        for wrong in (lambda: TimeRangeFilter((2, 1)), lambda: CompositeFilter([3]), lambda: IterationFilter("1")):
            self.assertRaises((TypeError, ValueError), wrong)

    def test_charts(self):
        code = """
import sys, types
from unittest import mock
shown = []
def figure(title):
    drawn = mock.MagicMock()
    drawn.update_layout.side_effect = lambda **layout: setattr(drawn, "title_text", layout.get("title_text", layout.get("title", drawn.title_text)))
    drawn.title_text = title
    drawn.show.side_effect = lambda **how: shown.append(str(drawn.title_text))
    return drawn
plotly = types.ModuleType("plotly")
plotly.__path__ = []
sys.modules["plotly"] = plotly
for name in ("express", "graph_objects", "subplots"):
    sys.modules["plotly." + name] = mock.MagicMock()
for kind in ("bar", "pie", "histogram", "timeline"):
    getattr(sys.modules["plotly.express"], kind).side_effect = lambda frame, title, **what: figure(title)
sys.modules["plotly.graph_objects"].Figure.side_effect = lambda data: figure("")
sys.modules["plotly.subplots"].make_subplots.side_effect = lambda **how: figure("")

from orrery.hta import TraceAnalysis, TraceDiff
job = TraceAnalysis(trace_files=dict(enumerate(sys.argv[2:])))
job.get_temporal_breakdown()
job.get_comm_comp_overlap()
idle, _ = job.get_idle_time_breakdown(ranks=[1, 2])
assert idle["stream"].dtype == object, "HTA leaves what it drew"
assert shown == ["Temporal breakdown across ranks", "Computation-Communication Overlap", "Idle time breakdown on rank 1 per CUDA stream",
                 "Idle time breakdown on rank 2 per CUDA stream"], shown
shown.clear()
_, kernels = job.get_gpu_kernel_breakdown(num_kernels=3)
names = [f'Kernel type "{kind}" - {name}' for kind, name in kernels[["kernel_type", "name"]].drop_duplicates().itertuples(index=False) if name != "others"]
pies = [f'Kernel type "{kind}" - kernel distribution on each rank' for kind in ("COMPUTATION", "COMMUNICATION", "MEMORY")]
assert sorted(shown) == sorted(["Kernel Type Percentage Across All Ranks", *names, *pies]), shown
shown.clear()
job.get_cuda_kernel_launch_stats()
job.get_aten_op_kernels_and_delay()
job.get_frequent_cuda_kernel_sequences("aten::linear", sys.argv[1], min_pattern_len=1, visualize=True)
assert len(shown) == 5 and shown[0].startswith("Short GPU kernels") and shown[4].startswith("Top "), shown
shown.clear()
frame = TraceDiff.compare_traces(job.t, job.t, control_rank=0, test_rank=1)
TraceDiff.visualize_counts_diff(frame)
TraceDiff.visualize_duration_diff(frame)
assert shown == ["Ops Count Comparison", "Ops Duration Comparison"], shown
"""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code, folder, *DDP], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_is_imported(self):
        code = """
import sys
sys.modules['networkx'] = sys.modules['plotly'] = None  # neither is needed
import orrery.hta as hta
from orrery.hta.trace_analysis import TimeSeriesTypes, TraceAnalysis
from orrery.hta.trace_diff import DeviceType, LabeledTrace, TraceDiff
from orrery.hta.memory_analysis import MemoryAnalysis
from orrery.hta.analyzers.critical_path_analysis import CPGraph, CriticalPathAnalysis, restore_cpgraph
from orrery.hta.analyzers.cupti_counter_analysis import CUDA_SASS_INSTRUCTION_COUNTER_FLOPS
from orrery.hta.common.trace import PHASE_COUNTER, Trace
from orrery.hta.common.trace_filter import Filter, GPUKernelFilter
from orrery.hta.analyzers.timeline import plot_timeline_gpu_kernels
from orrery.hta.configs.config import logger
from orrery.hta.common.trace_parser import ParserBackend, set_default_trace_parsing_backend
from orrery.hta.common.trace_symbol_table import TraceSymbolTable
from orrery.hta.utils.utils import flatten_column_names, shorten_name
assert hta.common.trace.Trace is Trace and hta.TraceAnalysis is TraceAnalysis
job = TraceAnalysis(trace_files={0: sys.argv[1]})
graph, success = job.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=1)
assert success and graph.critical_path()
job.get_temporal_breakdown()
"""
        subprocess.run([sys.executable, "-c", code, GPT], check=True)


if __name__ == "__main__":
    if not has("pandas"):
        skip("pandas is not installed")
    main()
