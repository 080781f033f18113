// Why events happened when they did: what the graph in the page says about the path, and about each event.
import type { Columns } from "./columns";
import { EditSolver, Solved } from "./edits/solver";
import { NAMED_KINDS } from "./edits/words";
import { decodeGraph, Graph, kindNumbers, measuredTimes, targetsOf } from "./graph";
import type { ReportData } from "./report_data";
import { chosenSlot, edgeSlacks, longestPath } from "./sweep";

/** Pieces of a longest path in order of time. Times in ps of the page. */
export interface PathPieces {
  begin: Float64Array;
  end: Float64Array;
  kind: Uint8Array; // index into ReportData.kinds
  event: Int32Array; // event id; -1: time that belongs to no event
  lane: Int32Array; // index into ReportData.lanes; -1: none
}

export interface WaitedFor {
  event: number; // event id; -1: none
  kind: number; // index into ReportData.kinds
  text: string; // "launch delay · cudaLaunchKernel"
  ps: number;
  binding: boolean; // this one was waited for
}

export interface EventCauses {
  own_ps: number; // its own pieces of time, without those of events inside it
  on_path_ps: number;
  slack_ps: number | null; // null: nothing that leads to the end of the step
  derivative: number; // the part of a saving in it, and in the delays before it, that reaches the step
  waited_for: WaitedFor[]; // the binding one first
}

const MOST_WAITED_FOR = 8;
/** How far back to look for the event that a moment stands for. */
const MOST_HOPS = 8;

export class Causes {
  readonly solver: EditSolver;
  readonly critical: Uint8Array; // by event id
  readonly measured: PathPieces;
  readonly length_ps: number;
  readonly kinds_ps: Float64Array; // by kind: on the path as measured
  private readonly times: Float64Array; // by node, as measured
  private readonly path: Uint32Array;
  private readonly isNamed: Uint8Array; // by kind
  private readonly ownerOfEvent: Int32Array;
  private index: OwnedEdges | null = null;

  /** Null if the graph is not in the page. */
  static make(columns: Columns, data: ReportData): Causes | null {
    const graph = decodeGraph(columns, data);
    return graph && new Causes(graph, data);
  }

  private constructor(private readonly graph: Graph, private readonly data: ReportData) {
    this.solver = new EditSolver(graph);
    this.times = measuredTimes(graph, this.solver.finish);
    this.path = longestPath(graph, graph.weights, this.solver.finish);
    this.length_ps = this.solver.finish[graph.end];
    this.isNamed = new Uint8Array(256);
    for (const kind of kindNumbers(graph, NAMED_KINDS)) this.isNamed[kind] = 1;
    this.kinds_ps = new Float64Array(data.kinds.length);
    for (const slot of this.path) this.kinds_ps[graph.kinds[slot]] += graph.weights[slot];
    this.measured = this.pieces(this.path, this.times, graph.weights);

    const events = data.lanes.reduce((sum, lane) => sum + lane.count, 0);
    this.ownerOfEvent = new Int32Array(events).fill(-1);
    graph.owner.event.forEach((event, owner) => {
      if (event >= 0) this.ownerOfEvent[event] = owner;
    });
    this.critical = new Uint8Array(events);
    for (const event of this.measured.event) if (event >= 0) this.critical[event] = 1;
  }

  /** The path of the graph with edits. */
  edited(solved: Solved): PathPieces {
    return this.pieces(solved.path, solved.finish, solved.weights);
  }

  /** Null: no piece of the graph belongs to it. */
  event(id: number): EventCauses | null {
    const owner = this.ownerOfEvent[id] ?? -1;
    if (owner < 0) return null;
    const { graph } = this;
    const edges = (this.index ??= new OwnedEdges(graph, this.solver.finish, this.path));
    let own_ps = 0;
    let on_path_ps = 0;
    let total = 0;
    let total_on_path = 0;
    let slack = Infinity;
    for (const slot of edges.of(owner)) {
      const weight = graph.weights[slot];
      const on_path = edges.onPath[slot] === 1 ? weight : 0;
      total += weight;
      total_on_path += on_path;
      slack = Math.min(slack, edges.slacks[slot]);
      if (this.isNamed[graph.kinds[slot]] === 0) continue; // a delay is not the event's own time
      own_ps += weight;
      on_path_ps += on_path;
    }
    const derivative = total === 0 ? 0 : total_on_path / total;
    return { own_ps, on_path_ps, slack_ps: slack === Infinity ? null : slack, derivative, waited_for: this.waitedFor(owner, edges) };
  }

  private pieces(path: Uint32Array, times: Float64Array, weights: Float64Array): PathPieces {
    const { graph } = this;
    let count = 0;
    for (let i = 0; i < path.length; i++) if (weights[path[i]] > 0) count++;
    const pieces: PathPieces = {
      begin: new Float64Array(count),
      end: new Float64Array(count),
      kind: new Uint8Array(count),
      event: new Int32Array(count),
      lane: new Int32Array(count),
    };
    const origin = this.data.step.begin_ps;
    for (let i = 0, piece = 0; i < path.length; i++) {
      const slot = path[i];
      if (!(weights[slot] > 0)) continue; // what takes no time is no piece that could be seen
      const target = i + 1 < path.length ? graph.sources[path[i + 1]] : graph.end;
      pieces.begin[piece] = origin + times[graph.sources[slot]];
      pieces.end[piece] = origin + times[target];
      pieces.kind[piece] = graph.kinds[slot];
      pieces.event[piece] = this.eventOf(slot);
      pieces.lane[piece] = graph.facts.lanes[graph.lanes[target]][1];
      piece++;
    }
    return pieces;
  }

  /** The event whose own time the edge is; -1: none. */
  private eventOf(slot: number): number {
    const owner = this.graph.owners[slot];
    return owner < 0 || this.isNamed[this.graph.kinds[slot]] === 0 ? -1 : this.graph.owner.event[owner];
  }

  private waitedFor(owner: number, edges: OwnedEdges): WaitedFor[] {
    const found: (WaitedFor & { at: number })[] = [];
    for (const [slot, node] of this.waits(owner, edges)) {
      const { event, name } = this.causeOf(slot);
      const kind = this.graph.kinds[slot];
      const title = this.data.kinds[kind]?.title ?? "";
      found.push({
        event,
        kind,
        text: name === "" ? title : `${title} · ${name}`,
        ps: this.graph.weights[slot],
        binding: chosenSlot(this.graph, this.graph.weights, this.solver.finish, node) === slot,
        at: this.solver.finish[this.graph.sources[slot]] + this.graph.weights[slot],
      });
    }
    found.sort((a, b) => Number(b.binding) - Number(a.binding) || b.at - a.at);
    return found.slice(0, MOST_WAITED_FOR).map(({ at: _, ...waited }) => waited);
  }

  /** Edges into the moment the event begins, and the waits that are its own: what a synchronising call returned from. With their targets. */
  private waits(owner: number, edges: OwnedEdges): Map<number, number> {
    const { graph } = this;
    const waits = new Map<number, number>();
    let begin = -1;
    for (const slot of edges.of(owner)) {
      const source = graph.sources[slot];
      if (this.isNamed[graph.kinds[slot]] === 0) waits.set(slot, edges.targets[slot]);
      else if (graph.kindIds[graph.kinds[slot]] === "sync_return") waits.set(slot, edges.targets[slot]);
      else if (begin < 0 || this.times[source] < this.times[begin]) begin = source;
    }
    if (begin < 0) return waits;
    for (let slot = graph.rows[begin]; slot < graph.rows[begin + 1]; slot++) waits.set(slot, begin);
    return waits;
  }

  /** The event at the other end of a wait. */
  private causeOf(slot: number): { event: number; name: string } {
    const { graph } = this;
    const owner = graph.owners[slot];
    if (owner >= 0 && this.isNamed[graph.kinds[slot]] === 1 && graph.kindIds[graph.kinds[slot]] !== "sync_return") return this.named(owner);
    const launch = owner >= 0 ? graph.owner.launch[owner] : -1;
    if (launch >= 0 && graph.kindIds[graph.kinds[slot]] === "launch_delay") return this.named(launch);
    let node = graph.sources[slot];
    for (let hop = 0; hop < MOST_HOPS; hop++) {
      const before = chosenSlot(graph, graph.weights, this.solver.finish, node);
      if (before < 0) break;
      const from = graph.owners[before];
      if (from >= 0 && this.isNamed[graph.kinds[before]] === 1) return this.named(from);
      if (graph.weights[before] > 0) break; // behind a delay stands another cause
      node = graph.sources[before];
    }
    return { event: -1, name: "" };
  }

  private named(owner: number): { event: number; name: string } {
    return { event: this.graph.owner.event[owner], name: this.graph.names[this.graph.owner.name[owner]] };
  }
}

/** Edges by the event they belong to, and what is asked of each: made when the first event is asked for. */
class OwnedEdges {
  readonly slacks: Float64Array;
  readonly targets: Uint32Array;
  readonly onPath: Uint8Array;
  private readonly first: Uint32Array;
  private readonly slots: Uint32Array;

  constructor(graph: Graph, finish: Float64Array, path: Uint32Array) {
    this.slacks = edgeSlacks(graph, graph.weights, finish);
    this.targets = targetsOf(graph);
    this.onPath = new Uint8Array(graph.edges);
    for (const slot of path) this.onPath[slot] = 1;
    this.first = new Uint32Array(graph.owner.name.length + 1);
    for (const owner of graph.owners) if (owner >= 0) this.first[owner + 1]++;
    for (let owner = 0; owner + 1 < this.first.length; owner++) this.first[owner + 1] += this.first[owner];
    const next = this.first.slice();
    this.slots = new Uint32Array(this.first[this.first.length - 1]);
    graph.owners.forEach((owner, slot) => {
      if (owner >= 0) this.slots[next[owner]++] = slot;
    });
  }

  of(owner: number): Uint32Array {
    return this.slots.subarray(this.first[owner], this.first[owner + 1]);
  }
}
