// The causal graph of the step or of the whole job, as the engine solved it: the columns gr.*, ow.*, ex.*, dl.* of the page (docs/formats/page_graph.md).
//
// Nodes are numbered by their place in a topological order; the incoming edges of a node are neighbours, in the engine's order, and an edge is
// called by its slot. Times are picoseconds since the begin of the window, whole and below 2^53, so that sums of them are exact.
import type { Columns } from "./columns";
import type { NameEntry, ReportData } from "./report_data";

/** What the engine says about the graph besides columns: the column `gr.facts`. */
export interface GraphFacts {
  signed_weights: boolean; // weights are zigzag codes
  ranks: number[]; // by place
  is_job: boolean; // false: the graph of one rank
  // By number in gr.lane, in the engine's order: place of the rank and place in ReportData.lanes (-1: none), and whether it is a lane of the trace.
  lanes: [rank: number, lane: number, isLane: 0 | 1][];
  more_names: string[]; // of owners whose events are not in the page; counted on from `names`
  annotations: string[]; // names of ranges
  inside: number[][]; // by number in ow.inside: the annotations that an event was begun or launched in
  step_numbers: number[][]; // by number in gr.step: the numbers of the steps that an edge belongs to
  exchanges: [kind: string, group: string][]; // by number in ex.class, from 1: what was exchanged, and in which group
  job_steps: (number | null)[]; // of a job: number of each step
  span_ps: number;
  recording_unit_ps: number; // of what gr.recorded says
  slowdown_permille: number; // how long what was not the recorder's own took while it recorded
  slowed_at_most_ps: number; // up to so much of an edge
}

export interface Graph {
  readonly nodes: number;
  readonly edges: number;
  readonly end: number; // the node that the step ends with
  readonly rows: Uint32Array; // by node: its first slot; then the number of edges
  readonly sources: Uint32Array; // by slot
  readonly weights: Float64Array; // by slot
  readonly kinds: Uint8Array; // by slot: index into ReportData.kinds
  readonly owners: Int32Array; // by slot: the event it belongs to, by owner number; -1: none
  readonly recorded: Uint32Array | Float64Array; // by slot: 0 no recorder is called in it, 1 it stays as it is, 2 all of it is the recorder's, 3 + units that its calls take
  readonly steps: Uint32Array; // by slot: into facts.step_numbers
  readonly late: Float64Array; // by node: measured moment - solved finish
  readonly lanes: Uint32Array; // by node: into facts.lanes
  readonly ranks: Int32Array; // by node: place of the rank; -1: of none
  readonly facts: GraphFacts;
  readonly kindIds: readonly string[];
  readonly names: readonly string[]; // of the page, then facts.more_names
  readonly owner: OwnerColumns;
  readonly exchanged: Uint32Array; // by edge of kind communication, in order of slots: into facts.exchanges, from 1; 0: without partners
  readonly stepSlots: Int32Array; // of a job, by rank and step: the piece of the main thread when the step begins; -1: none
  readonly stepBegins: Float64Array; // likewise: when it began, as measured
}

export interface OwnerColumns {
  readonly event: Int32Array; // event id; -1: left out of the page
  readonly launch: Int32Array; // owner number of the call that launched it; -1
  readonly name: Uint32Array; // into Graph.names
  readonly device: Float64Array; // -1 on the host
  readonly stream: Float64Array;
  readonly inside: Uint32Array; // into facts.inside
}

/** Null if the graph is not in the page. */
export function decodeGraph(columns: Columns, data: ReportData): Graph | null {
  if (data.graph === null || data.graph.why !== undefined || !columns.has("gr.facts")) return null;
  const facts = columns.json<GraphFacts>("gr.facts");
  const indegree = columns.uint32("gr.indegree");
  const rows = new Uint32Array(indegree.length + 1);
  for (let p = 0; p < indegree.length; p++) rows[p + 1] = rows[p]! + indegree[p]!;
  const weights = columns.number("gr.weight");
  if (facts.signed_weights) fromZigzag(weights);
  scale(weights, data.weight_unit_ps);
  const late = columns.number("gr.late");
  fromZigzag(late);
  scale(late, data.weight_unit_ps);
  const lanes = columns.uint32("gr.lane");
  return {
    nodes: indegree.length,
    edges: weights.length,
    end: data.graph.end,
    rows,
    sources: sourcesOf(rows, columns.uint32("gr.back")),
    weights,
    kinds: columns.u8("gr.kind"),
    owners: ownersOf(columns.uint32("gr.owner")),
    recorded: columns.planes("gr.recorded") <= 4 ? columns.uint32("gr.recorded") : columns.number("gr.recorded"),
    steps: columns.uint32("gr.step"),
    late,
    lanes,
    ranks: ranksOf(lanes, facts),
    facts,
    kindIds: data.kinds.map((kind) => kind.id),
    names: [...columns.json<NameEntry[]>("names").map(([text]) => text), ...facts.more_names],
    owner: {
      event: lessOne(columns.int32("ow.event")),
      launch: launchesOf(columns.number("ow.launch")),
      name: columns.uint32("ow.name"),
      device: columns.number("ow.device"),
      stream: columns.number("ow.stream"),
      inside: columns.uint32("ow.inside"),
    },
    exchanged: columns.uint32("ex.class"),
    stepSlots: lessOne(columns.int32("dl.slot")),
    stepBegins: columns.number("dl.begin"),
  };
}

/** The measured moment of each node, given when it finishes in the graph as it is. */
export function measuredTimes(graph: Graph, finish: Float64Array): Float64Array {
  const times = new Float64Array(graph.nodes);
  for (let p = 0; p < graph.nodes; p++) times[p] = finish[p]! + graph.late[p]!;
  return times;
}

/** By slot. */
export function targetsOf(graph: Graph): Uint32Array {
  const targets = new Uint32Array(graph.edges);
  for (let p = 0; p < graph.nodes; p++) targets.fill(p, graph.rows[p]!, graph.rows[p + 1]!);
  return targets;
}

/** Kinds by their names; those that a page does not know are left out. */
export function kindNumbers(graph: Graph, ids: readonly string[]): number[] {
  return ids.map((id) => graph.kindIds.indexOf(id)).filter((kind) => kind >= 0);
}

function sourcesOf(rows: Uint32Array, back: Uint32Array): Uint32Array {
  const sources = back; // in place: nobody asks for the distances again
  for (let p = 0; p + 1 < rows.length; p++) {
    for (let slot = rows[p]!; slot < rows[p + 1]!; slot++) sources[slot] = p - back[slot]!;
  }
  return sources;
}

/** Owners are numbered as edges first name them: 0 none, 1 one that is new, 2 the newest, 3 the one before it, ... */
function ownersOf(codes: Uint32Array): Int32Array {
  const owners = new Int32Array(codes.length);
  let count = 0;
  for (let slot = 0; slot < codes.length; slot++) {
    const code = codes[slot]!;
    owners[slot] = code === 0 ? -1 : code === 1 ? count++ : count + 1 - code;
  }
  return owners;
}

/** How many owners back, zigzag; 0: none. */
function launchesOf(codes: Float64Array): Int32Array {
  fromZigzag(codes);
  const launches = new Int32Array(codes.length);
  for (let owner = 0; owner < codes.length; owner++) launches[owner] = codes[owner] === 0 ? -1 : owner - codes[owner]!;
  return launches;
}

function ranksOf(lanes: Uint32Array, facts: GraphFacts): Int32Array {
  const ranks = new Int32Array(lanes.length);
  for (let node = 0; node < lanes.length; node++) ranks[node] = facts.lanes[lanes[node]!]![0];
  return ranks;
}

function fromZigzag(values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    const code = values[i]!;
    values[i] = code % 2 === 1 ? -(code + 1) / 2 : code / 2;
  }
}

function scale(values: Float64Array, unit: number): void {
  if (unit === 1) return;
  for (let i = 0; i < values.length; i++) values[i] = values[i]! * unit;
}

function lessOne(values: Int32Array): Int32Array {
  for (let i = 0; i < values.length; i++) values[i] = values[i]! - 1;
  return values;
}
