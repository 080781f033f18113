"""orrery.hta: HTA's frames on the shipped traces. The expected values were given by HTA 0.6.1 itself, all its sorts stable."""

import gzip
import json
import os
import tempfile
import unittest

from support import DATA, DDP, GPT, has, main, skip

# Whole microseconds; row order is free.
TEMPORAL_COLUMNS = ["rank", "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)", "idle_time_pctg", "compute_time_pctg",
                    "non_compute_time_pctg"]
EXPECTED = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hta_frames.json")))


def rows(frame):
    return sorted(json.loads(frame.to_json(orient="values", double_precision=9)), key=repr)


class Frames(unittest.TestCase):
    def setUp(self):
        from orrery.hta import TraceAnalysis

        self.jobs = {"gpt_small": TraceAnalysis(trace_files={0: GPT}), "ddp4": TraceAnalysis(trace_files=dict(enumerate(DDP)))}

    def same(self, frame, expected):
        if frame.index.nlevels > 1:  # what HTA has as its index, the expected tables have in front
            frame = frame.reset_index()
        self.assertEqual([list(c) if isinstance(c, tuple) else c for c in frame.columns], expected["columns"])
        have, want = rows(frame), sorted(expected["rows"], key=repr)
        have.sort(key=lambda row: repr([float(v) if isinstance(v, int) else v for v in row]))
        want.sort(key=lambda row: repr([float(v) if isinstance(v, int) else v for v in row]))
        self.assertEqual(len(have), len(want))
        for row, other in zip(have, want):
            for a, b in zip(row, other):
                if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                    self.assertAlmostEqual(a, b, places=6)
                else:
                    self.assertEqual(a, b)

    def test_frames(self):
        for name, expected in EXPECTED.items():
            job, ranks = self.jobs[name], list(self.jobs[name].trace_files)
            with self.subTest(name):
                self.assertEqual(job.get_profiler_steps(), expected["get_profiler_steps"])
                self.same(job.get_temporal_breakdown(visualize=False), expected["get_temporal_breakdown"])
                self.same(job.get_comm_comp_overlap(visualize=False), expected["get_comm_comp_overlap"])
                for frame, wanted in zip(job.get_gpu_kernel_breakdown(visualize=False), expected["get_gpu_kernel_breakdown"]):
                    self.same(frame, wanted)
                idle, intervals = job.get_idle_time_breakdown(ranks=ranks, visualize=False)
                self.same(idle, expected["get_idle_time_breakdown"][0])
                self.assertIsNone(intervals)
                self.same(job.get_queue_length_summary(ranks=ranks), expected["get_queue_length_summary"])

    def test_arguments(self):
        job = self.jobs["ddp4"]
        self.assertEqual(set(job.get_idle_time_breakdown(visualize=False)[0]["rank"]), {0})
        only, _ = job.get_idle_time_breakdown(ranks=[1, 2], streams=[7], visualize=False)
        self.assertEqual((set(only["rank"]), set(only["stream"])), ({1, 2}, {7}))
        _, intervals = job.get_idle_time_breakdown(visualize=False, show_idle_interval_stats=True)
        self.assertEqual(intervals.index.name, "idle_category")
        self.assertEqual(list(intervals.columns), ["rank", "stream", "count", "mean", "std", "min", "25%", "50%", "75%", "max"])
        self.assertNotIn("MEMORY", set(job.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=False)[0]["kernel_type"]))
        import orrery

        fewer = job.get_gpu_kernel_breakdown(visualize=False, num_kernels=1, duration_ratio=0.5)[1]
        expected = orrery.kernels(DDP, compat="hta", top=1, duration_ratio=0.5).kernels
        self.assertEqual(sorted(fewer["name"]), sorted(row["name"] for row in expected))
        self.assertLess(len(fewer), len(job.get_gpu_kernel_breakdown(visualize=False)[1]))

        with self.assertRaises(orrery.UsageError):
            job.get_idle_time_breakdown(ranks=[9], visualize=False)

    def test_ranks_are_those_of_the_caller(self):
        from orrery.hta import TraceAnalysis

        self.assertEqual(list(TraceAnalysis(trace_files={7: GPT}).get_temporal_breakdown(visualize=False)["rank"]), [7])

    def test_a_folder(self):
        from orrery.hta import TraceAnalysis

        with tempfile.TemporaryDirectory() as folder:
            for file in DDP:
                os.symlink(file, os.path.join(folder, os.path.basename(file)))
            job = TraceAnalysis(trace_dir=folder)
            self.assertEqual(list(job.trace_files), [0, 1, 2, 3])
            self.same(job.get_temporal_breakdown(visualize=False), EXPECTED["ddp4"]["get_temporal_breakdown"])
            import orrery

            kept = TraceAnalysis(trace_dir=folder, include_last_profiler_step=True).get_temporal_breakdown(visualize=False)
            expected = orrery.breakdown(DDP, compat="hta", include_last_step=True).temporal
            self.assertEqual(list(kept["kernel_time(us)"]), [row["kernel_us"] for row in expected])
            self.assertNotEqual(list(kept["kernel_time(us)"]), list(job.get_temporal_breakdown(visualize=False)["kernel_time(us)"]))

    def events_of(self, file):
        """Arrows have numbers, by the order of the path here and of a set in HTA."""
        events = json.load(gzip.open(file))["traceEvents"]
        return sorted((event for event in events if event.pop("id", 0) is not None), key=lambda event: json.dumps(event, sort_keys=True))

    def test_critical_path(self):
        job = self.jobs["gpt_small"]
        graph, success = job.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=1)
        self.assertTrue(success)
        import orrery

        expected = orrery.path(GPT, compat="hta", annotation="ProfilerStep", instance=1, breakdown=True).json()
        frame = graph.get_critical_path_breakdown()
        self.assertEqual(len(frame), len(expected["breakdown"]))
        self.assertEqual(int(frame["duration"].sum()), expected["path"]["weight_us"])
        self.assertEqual(graph.summary().to_dict(), expected["summary_pct"])
        self.assertEqual(list(frame["s_name"].fillna("")), [row.get("s_name", "") for row in expected["breakdown"]])
        self.assertEqual(list(frame["bound_by"]), [row["bound_by"] for row in expected["breakdown"]])
        # Events whose time is on the path, and those that only a dependency passes through.
        self.assertLessEqual({row["event_idx"] for row in expected["breakdown"]} - {None}, graph.critical_path_events_set)
        self.assertEqual(len(graph.critical_path_events_set), expected["path"]["events"])
        self.assertEqual((len(graph.nodes), len(graph.edges)), (expected["nodes"], expected["edges"]))
        whole, _ = job.critical_path_analysis(0, "ProfilerStep", (0, 1))
        self.assertGreater(len(whole.nodes), len(graph.nodes))
        with tempfile.TemporaryDirectory() as folder:
            file = job.overlay_critical_path_analysis(0, graph, folder + "/out")
            self.assertEqual(file, folder + "/out/overlaid_critical_path_gpt_small.kineto.json.gz")
            orrery.path(GPT, compat="hta", annotation="ProfilerStep", instance=1, overlay=folder + "/same.json.gz", only_critical=True)
            self.assertEqual(self.events_of(file), self.events_of(folder + "/same.json.gz"))
            job.overlay_critical_path_analysis(0, graph, folder + "/all", only_show_critical_events=False, show_all_edges=True)
            everything = gzip.open(folder + "/all/" + os.path.basename(file)).read()
            self.assertGreater(len(everything), len(gzip.open(file).read()))

    def test_stragglers(self):
        import orrery
        from orrery.hta import TraceAnalysis

        def event(name, category, start, duration, thread, **arguments):
            return {"ph": "X", "name": name, "cat": category, "ts": 1000 + start, "dur": duration, "pid": 1, "tid": thread, "args": arguments}

        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for rank, start in enumerate([10, 60, 12]):  # of a collective that all leave at 90
                events = [event(f"ProfilerStep#{step}", "user_annotation", 100 * step - 100, 100, 1) for step in (1, 2)]
                events.append(event("cudaLaunchKernel", "cuda_runtime", 5, 2, 1, correlation=1))
                events.append(event("ncclKernel_AllReduce", "kernel", start, 90 - start, 7, correlation=1, stream=7, device=rank))
                files[rank] = f"{folder}/rank{rank}.json"
                with open(files[rank], "w") as file:
                    json.dump({"traceEvents": events, "distributedInfo": {"rank": rank}}, file)
            job = TraceAnalysis(trace_files=files)
            self.assertEqual(job.get_potential_stragglers(num_candidates=1), [1])
            self.assertEqual(job.get_potential_stragglers([1], num_candidates=2), [1, 2])
            with self.assertRaises(ValueError):
                job.get_potential_stragglers([99])
            asked = []

            def longest(rows, symbols, candidates, visualize):
                asked.append((set(rows["iteration"]), "ncclKernel_AllReduce" in symbols.sym_index, candidates))
                return rows[rows["stream"] == 7].groupby("rank")["dur"].sum()

            self.assertEqual(job.get_potential_stragglers(num_candidates=1, straggler_identification_impl=longest), [0])
            self.assertEqual(asked, [({1}, True, 1)])

    def test_what_hta_cannot_answer(self):
        import orrery
        from orrery.hta import TraceAnalysis

        with self.assertRaises(orrery.Error):
            self.jobs["gpt_small"].get_potential_stragglers()
        with self.assertRaises(ValueError):
            self.jobs["gpt_small"].get_memory_bw_summary(ranks=[3])
        # Where HTA has no answer and says so by None, so do we.
        self.assertIsNone(self.jobs["gpt_small"].critical_path_analysis(0, "no such annotation", 0))
        with tempfile.TemporaryDirectory() as folder:
            nothing = TraceAnalysis(trace_dir=folder)  # a word in the log
            self.assertEqual((nothing.t.get_ranks(), nothing.get_cupti_counter_data_with_operators()), ([], []))
            with self.assertRaises(orrery.UsageError):
                nothing.get_temporal_breakdown(visualize=False)
            with open(folder + "/host.json", "w") as file:
                json.dump({"traceEvents": [{"ph": "X", "name": "aten::add", "cat": "cpu_op", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "args": {}}]}, file)
            host = TraceAnalysis(trace_dir=folder)
            self.assertEqual((host.get_queue_length_time_series(), host.get_memory_bw_time_series()), ({}, {}))
            for ask in (host.get_queue_length_summary, host.get_memory_bw_summary, host.get_gpu_user_annotation_breakdown):
                self.assertIsNone(ask())
            self.assertIsNone(host.get_gpu_kernels_with_user_annotations(rank=0))
            self.assertTrue(host.get_frequent_cuda_kernel_sequences("aten::", folder).empty)


if __name__ == "__main__":
    if not has("pandas"):
        skip("pandas is not installed")
    main()
