// Jobs in which ranks stand still for a while, re-solved exactly (src/analyze/job_pauses.cc).
//
// How much longer a piece takes depends on when it begins, which a weight cannot say. But a moment before the pause is not changed by it, so
// the pieces that are held are found in rounds: solve, take what the moments say about each piece, solve again, until nothing changes.
import type { Graph } from "../graph";
import { kindNumbers } from "../graph";
import { finishTimes } from "../sweep";

export interface Pause {
  rank: number; // place
  at: number; // since the job's begin
  lasts: number;
}

/** When a piece that begins at `begin` and takes `weight` ends, if its rank pauses like this (by `at`). */
export function endWithPauses(begin: number, weight: number, pauses: readonly Pause[]): number {
  let end = begin + weight;
  for (const pause of pauses) {
    if (end <= pause.at) break;
    if (begin <= pause.at) {
      end += pause.lasts;
    } else {
      // It has not begun when this pause begins, so no earlier one has made it longer.
      begin = Math.max(begin, pause.at + pause.lasts);
      end = begin + weight;
    }
  }
  return end;
}

/** The weights with which every piece takes as long as the pauses make it. `weights` are those of work. */
export function solvePaused(graph: Graph, weights: Float64Array, pauses: readonly Pause[]): { weights: Float64Array; finish: Float64Array } {
  const ofRank = graph.facts.ranks.map((_, rank) => pauses.filter((pause) => pause.rank === rank).sort((a, b) => a.at - b.at));
  // Arrivals are moments of others, and the begin of a window is that of the recording.
  const unheld = new Set(kindNumbers(graph, ["arrival", "before", "earlier_work"]));
  let held = weights;
  let finish = finishTimes(graph, weights);
  for (;;) {
    const now = weights.slice();
    let changed = false;
    for (let p = 0; p < graph.nodes; p++) {
      const rank = graph.ranks[p]!;
      if (rank < 0 || ofRank[rank]!.length === 0) continue;
      for (let slot = graph.rows[p]!; slot < graph.rows[p + 1]!; slot++) {
        if (unheld.has(graph.kinds[slot]!)) continue;
        const begin = finish[graph.sources[slot]!]!;
        now[slot] = endWithPauses(begin, weights[slot]!, ofRank[rank]!) - begin;
        if (now[slot] !== held[slot]) changed = true;
      }
    }
    if (!changed) return { weights: held, finish };
    held = now;
    finish = finishTimes(graph, held);
  }
}
