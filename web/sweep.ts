// The longest path, by the engine's rule: a node finishes at the largest of finish(source) + weight over its incoming edges, the first among
// equals; with none, or when the largest is negative, it begins a new path at 0.
import type { Graph } from "./graph";

/** Sums above this are not exact in doubles. */
export const LARGEST_EXACT = Number.MAX_SAFE_INTEGER;

/** When each node finishes; written to `finish` if it is given. */
export function finishTimes(graph: Graph, weights: Float64Array, finish = new Float64Array(graph.nodes)): Float64Array {
  const { nodes, rows, sources } = graph;
  let slot = 0;
  for (let p = 0; p < nodes; p++) {
    const end = rows[p + 1]!;
    let best = 0;
    for (; slot < end; slot++) {
      const candidate = finish[sources[slot]!]! + weights[slot]!;
      if (candidate > best) best = candidate;
    }
    finish[p] = best;
  }
  return finish;
}

/** Whether every finish is exact: a sum beyond what doubles hold makes the finish it leads to as large. */
export function isExact(finish: Float64Array): boolean {
  let most = 0;
  for (let p = 0; p < finish.length; p++) if (finish[p]! > most) most = finish[p]!;
  return most <= LARGEST_EXACT;
}

/** The edge that the node waited for longest; -1 when it begins a path. */
export function chosenSlot(graph: Graph, weights: Float64Array, finish: Float64Array, node: number): number {
  let best = -1; // so that 0 is taken and anything negative is not
  let chosen = -1;
  for (let slot = graph.rows[node]!; slot < graph.rows[node + 1]!; slot++) {
    const candidate = finish[graph.sources[slot]!]! + weights[slot]!;
    if (candidate <= best) continue;
    best = candidate;
    chosen = slot;
  }
  return chosen;
}

/** The slots of the longest path to the end, from its begin. */
export function longestPath(graph: Graph, weights: Float64Array, finish: Float64Array): Uint32Array {
  const slots = new Uint32Array(graph.nodes); // filled from behind: no node is on a path twice
  let first = slots.length;
  for (let node = graph.end; ; ) {
    const slot = chosenSlot(graph, weights, finish, node);
    if (slot < 0) return slots.slice(first);
    slots[--first] = slot;
    node = graph.sources[slot]!;
  }
}

/** By slot: by how much the edge can grow without the end being later; Infinity if it does not lead to the end. */
export function edgeSlacks(graph: Graph, weights: Float64Array, finish: Float64Array): Float64Array {
  const { nodes, rows, sources, end } = graph;
  const latest = new Float64Array(nodes).fill(Infinity);
  latest[end] = finish[end]!;
  const slacks = new Float64Array(graph.edges).fill(Infinity);
  for (let p = nodes - 1; p >= 0; p--) {
    const at = latest[p]!;
    if (at === Infinity) continue; // whatever it asks of others delays nothing
    for (let slot = rows[p]!; slot < rows[p + 1]!; slot++) {
      const source = sources[slot]!;
      const start = at - weights[slot]!;
      slacks[slot] = start - finish[source]!;
      if (start < latest[source]!) latest[source] = start;
    }
  }
  return slacks;
}
