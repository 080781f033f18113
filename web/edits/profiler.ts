// The run without a profiler: what recording an event costs its thread, taken off every recorded event (src/analyze/profiler_cost.cc).
import type { Graph } from "../graph";
import { kindNumbers } from "../graph";

/** By how much each of `slots` becomes shorter. */
export interface Savings {
  slots: Uint32Array;
  times: Float64Array;
}

/** Time of a host thread in which a recorder may have been called: not waits, and not the calls of a device's runtime. */
const MAY_HOLD_RECORDER = ["cpu_operator", "cpu_python", "cpu_untraced", "data_loading"];

/** `times`: by node, as measured. */
export function profilerSavings(graph: Graph, times: Float64Array): Savings {
  const slots: number[] = [];
  const taken: number[] = [];
  const seen = new Uint8Array(graph.owner.name.length);
  let owed = 0;
  let lane = -1;
  let end = -1;
  for (const place of stretches(graph, times)) {
    // Never carried across a wait: only a stretch that begins where the one before it ended can hold what that one could not.
    if (place.lane !== lane || place.begin !== end) owed = 0;
    ({ lane, end } = place);
    const owner = graph.owners[place.slot]!;
    if (owner >= 0 && seen[owner] === 0) {
      seen[owner] = 1;
      owed += graph.facts.profiler_ps;
    }
    const time = Math.min(owed, graph.weights[place.slot]!);
    if (time > 0) {
      slots.push(place.slot);
      taken.push(time);
    }
    owed -= time;
  }
  return { slots: Uint32Array.from(slots), times: Float64Array.from(taken) };
}

interface Stretch {
  lane: number;
  begin: number;
  end: number;
  slot: number;
}

/** Thread by thread, in order. */
function stretches(graph: Graph, times: Float64Array): Stretch[] {
  const kinds = new Set(kindNumbers(graph, MAY_HOLD_RECORDER));
  const all: Stretch[] = [];
  for (let p = 0; p < graph.nodes; p++) {
    // Moments on no lane come last, of all ranks together.
    const lane = graph.facts.lanes[graph.lanes[p]!]![2] === 1 ? graph.lanes[p]! : Infinity;
    for (let slot = graph.rows[p]!; slot < graph.rows[p + 1]!; slot++) {
      if (!kinds.has(graph.kinds[slot]!) || graph.weights[slot]! <= 0) continue;
      all.push({ lane, begin: times[graph.sources[slot]!]!, end: times[p]!, slot });
    }
  }
  const compare = (x: number, y: number) => (x < y ? -1 : x > y ? 1 : 0);
  return all.sort((a, b) => compare(a.lane, b.lane) || a.begin - b.begin || a.end - b.end);
}
