// The run without a profiler: what the engine found recording to cost each edge (src/analyze/whatif/recording_cost.h), as the column gr.recorded says it.
import type { Graph, GraphFacts } from "../graph";

/** By how much each of `slots` becomes shorter. */
export interface Savings {
  slots: Uint32Array;
  times: Float64Array;
}

/** Of all edges in which a recorder may be called. */
export function profilerSavings(graph: Graph): Savings {
  const { recorded, weights, facts } = graph;
  let count = 0;
  for (let slot = 0; slot < recorded.length; slot++) if (recorded[slot]! > 0) count++;
  const slots = new Uint32Array(count);
  const times = new Float64Array(count);
  for (let slot = 0, i = 0; slot < recorded.length; slot++) {
    const code = recorded[slot]!;
    if (code === 0) continue;
    slots[i] = slot;
    times[i++] = savingOf(code, weights[slot]!, facts);
  }
  return { slots, times };
}

function savingOf(code: number, weight: number, facts: GraphFacts): number {
  if (code === 1) return 0; // it waits, or nothing is known of its cost
  if (code === 2) return weight;
  const left = weight - (code - 3) * facts.recording_unit_ps;
  const slowed = Math.min(left, facts.slowed_at_most_ps);
  return weight - left + slowed - Math.floor((slowed * 1000) / facts.slowdown_permille); // the product is far below 2^53
}
