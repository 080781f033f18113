// A thread that launches a kernel and waits for it: what is on the path, and what each event waited for.
import assert from "node:assert/strict";
import test from "node:test";
import { Causes } from "../../web/causes";
import { profilerSavings } from "../../web/edits/profiler";
import { ReportData } from "../../web/report_data";
import { makeColumns } from "./encode";

const KINDS = ["cpu_operator", "cpu_runtime", "kernel", "launch_delay", "sync_return"].map(id => ({ id, title: id.replace("_", " "), family: "" }));
const NS = 1000;

/** Nodes: begin, behind the operator, behind the launch, kernel's start, kernel's end, behind the wait. Times in ns. */
async function smallCauses(): Promise<Causes> {
  const columns = await makeColumns([
    { name: "names", codec: "json", values: [["aten::mm", 0], ["cudaLaunchKernel", 1], ["cudaStreamSynchronize", 1]] },
    { name: "gr.indegree", codec: "planes", values: [0, 1, 1, 1, 1, 2] },
    { name: "gr.back", codec: "planes", values: [1, 1, 2, 1, 3, 1] },
    { name: "gr.weight", codec: "planes", values: [10, 3, 5, 20, 1, 2] },
    { name: "gr.kind", codec: "planes", values: [0, 1, 3, 2, 1, 4] },
    { name: "gr.owner", codec: "planes", values: [1, 1, 1, 2, 1, 2] },
    { name: "gr.recorded", codec: "planes", values: [7, 3, 0, 0, 1, 2] },
    { name: "gr.late", codec: "planes", values: [0, 0, 0, 0, 0, 0] },
    { name: "gr.lane", codec: "planes", values: [1, 1, 1, 2, 2, 1] },
    { name: "gr.step", codec: "planes", values: [0, 0, 0, 0, 0, 0] },
    { name: "ow.event", codec: "delta", values: [1, 2, 4, 3] },
    { name: "ow.launch", codec: "planes", values: [0, 0, 2, 0] },
    { name: "ow.name", codec: "planes", values: [0, 1, 3, 2] },
    { name: "ow.device", codec: "delta", values: [-1, -1, 0, -1] },
    { name: "ow.stream", codec: "delta", values: [-1, -1, 7, -1] },
    { name: "ow.inside", codec: "planes", values: [0, 0, 0, 0] },
    { name: "ex.class", codec: "planes", values: [] },
    { name: "dl.slot", codec: "planes", values: [] },
    { name: "dl.begin", codec: "delta", values: [] },
    {
      name: "gr.facts", codec: "json",
      values: {
        is_job: false, ranks: [0], span_ps: 37 * NS, signed_weights: false, lanes: [[-1, -1, 0], [0, 0, 1], [0, 1, 1]], more_names: ["gemm"], annotations: [],
        inside: [[]], step_numbers: [[]], exchanges: [], job_steps: [], recording_unit_ps: NS, slowdown_permille: 1100, slowed_at_most_ps: 1e9,
      },
    },
  ]);
  const data = {
    weight_unit_ps: NS, graph: { nodes: 6, edges: 6, begin: 0, end: 5 }, kinds: KINDS, step: { begin_ps: 100 * NS }, lanes: [{ count: 3 }, { count: 1 }],
  };
  const causes = Causes.make(columns, data as unknown as ReportData);
  assert(causes);
  return causes;
}

test("the path in pieces, in time of the page", async () => {
  const { measured, critical, length_ps } = await smallCauses();
  assert.equal(length_ps, 37 * NS);
  assert.deepEqual([...measured.begin], [100, 110, 115, 135].map(ns => ns * NS));
  assert.deepEqual([...measured.end], [110, 115, 135, 137].map(ns => ns * NS));
  assert.deepEqual([...measured.kind], [0, 3, 2, 4]);
  assert.deepEqual([...measured.event], [0, -1, 3, 2]); // a delay is of no event
  assert.deepEqual([...measured.lane], [0, 1, 1, 0]);
  assert.deepEqual([...critical], [1, 0, 1, 1]);
});

test("a kernel waited for its launch", async () => {
  const kernel = (await smallCauses()).event(3);
  assert.deepEqual(kernel, {
    own_ps: 20 * NS, on_path_ps: 20 * NS, slack_ps: 0, derivative: 1,
    waited_for: [{ event: 1, kind: 3, text: "launch delay · cudaLaunchKernel", ps: 5 * NS, binding: true }],
  });
});

test("a call that synchronises waited for the kernel, and began behind the launch", async () => {
  const wait = (await smallCauses()).event(2);
  assert.deepEqual(wait, {
    own_ps: 3 * NS, on_path_ps: 2 * NS, slack_ps: 0, derivative: 2 / 3,
    waited_for: [
      { event: 3, kind: 4, text: "sync return · gemm", ps: 2 * NS, binding: true },
      { event: 1, kind: 1, text: "cpu runtime · cudaLaunchKernel", ps: 3 * NS, binding: true },
    ],
  });
});

test("what is not on the path has slack", async () => {
  const causes = await smallCauses();
  assert.equal(causes.event(1)?.slack_ps, 23 * NS);
  assert.equal(causes.event(1)?.derivative, 0);
  assert.equal(causes.event(77), null);
});

test("without the profiler: its calls go, what is left is as fast as without it, and a call that waits stays", async () => {
  const { solver } = await smallCauses();
  // The operator: 4 of 10 ns are the recorder's, the other 6 take 6000 / 1.1 ps; the launch: 3000 / 1.1 ps.
  const solved = solver.solve(["profiler remove"]);
  assert.deepEqual([...solved.weights], [5454, 2727, 5 * NS, 20 * NS, NS, 0]);
  assert.equal(solved.length_ps, 5454 + 25 * NS);
  assert.deepEqual(solved.matched, [4]);
});

test("what recording cost is taken off what the edits before it left, and never more than there is", async () => {
  const { solver } = await smallCauses();
  assert.equal(solver.solve(["op * 3", "profiler remove"]).weights[0], 30 * NS - 4546);
  assert.equal(solver.solve(["profiler remove", "op * 3"]).weights[0], 3 * 5454);
  assert.equal(solver.solve(["op * 0.1", "profiler remove"]).weights[0], 0);
});

test("of a long stretch only the first millisecond was slowed down", async () => {
  const { solver } = await smallCauses();
  const weight = 2 ** 52 + 1;
  const graph = { ...solver.graph, recorded: Float64Array.of(3), weights: Float64Array.of(weight) };
  assert.equal(profilerSavings(graph).times[0], 1e9 - Math.floor(1e12 / 1100));
});

test("edits move the path", async () => {
  const causes = await smallCauses();
  const solved = causes.solver.solve(["kernel remove", "gap = 0"]);
  assert.equal(solved.length_ps, 14 * NS);
  assert.deepEqual([...causes.edited(solved).event], [0, 1, 2]);
  assert.equal(causes.length_ps, 37 * NS);
});
