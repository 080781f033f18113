// The graph with edits, solved as `orrery whatif` does: to the picosecond.
import type { Graph } from "../graph";
import { finishTimes, isExact, longestPath } from "../sweep";
import type { Edit, EditRule, FailureEvent } from "./edit";
import { needsWholeJob } from "./edit";
import { EditError, USE_THE_COMMAND } from "./edit_error";
import { parseEdit } from "./parser";
import type { Pause } from "./pauses";
import { solvePaused } from "./pauses";
import type { Savings } from "./profiler";
import { profilerSavings } from "./profiler";
import { MOST_WEIGHT_PS, scaled } from "./rounding";
import type { Selection } from "./selector";
import { count, selectDelay, selectFailure, selectRule } from "./selector";

export interface Solved {
  length_ps: number;
  kinds_ps: Float64Array; // by kind: on the path
  stopped_ps: number; // ranks that failed stand still, or the job does until it goes on
  matched: number[]; // per edit: what it selected
  notThere: string[][]; // per edit: what it names that is not there
  path: Uint32Array; // slots; of a job that goes back to a step: of the run without that failure
  finish: Float64Array; // until the next question is asked: then they are written again
  weights: Float64Array; // likewise
}

const KEPT_SELECTIONS = 64;

export class EditSolver {
  readonly finish: Float64Array; // of the graph as it is
  private readonly selections = new Map<string, Selection>();
  private savings: Savings | null = null;
  // Fresh memory for every move of a slider costs more than solving.
  private readonly weights: Float64Array;
  private readonly edited_finish: Float64Array;

  constructor(readonly graph: Graph) {
    this.finish = finishTimes(graph, graph.weights);
    this.weights = new Float64Array(graph.edges);
    this.edited_finish = new Float64Array(graph.nodes);
  }

  /** Throws an EditError if one cannot be understood, or not be done here. */
  solve(texts: readonly string[]): Solved {
    const edits = texts.map((text) => this.understood(text));
    const selections = edits.map((edit) => this.selectionOf(edit));
    const work = this.edited(edits, selections);
    const pauses = pausesOf(edits, selections);
    const solved = pauses.length > 0 ? solvePaused(this.graph, work, pauses) : { weights: work, finish: finishTimes(this.graph, work, this.edited_finish) };
    if (!isExact(solved.finish)) throw new EditError("this takes longer than a page can compute exactly (2.5 hours)", 0, USE_THE_COMMAND, texts[0] ?? "");
    const path = longestPath(this.graph, solved.weights, solved.finish);
    const times = this.pathTimes(path, work, solved, this.replayed(edits, selections, solved.finish));
    return { ...times, ...solved, path, matched: selections.map(count), notThere: selections.map((selection) => selection.notThere) };
  }

  private understood(text: string): Edit {
    const edit = parseEdit(text);
    if (edit.sort === "network") {
      throw new EditError("the network is edited where it is simulated", 0, `${USE_THE_COMMAND} ... --machine FILE`, text);
    }
    const why = this.graph.facts.is_job ? "" : needsWholeJob(edit);
    if (why !== "") throw new EditError(why, 0, "make the page of all ranks: orrery report FOLDER, without --rank", text);
    return edit;
  }

  private selectionOf(edit: Edit): Selection {
    switch (edit.sort) {
      case "rule": return this.ofRule(edit);
      case "delay": return selectDelay(this.graph, edit);
      case "failure": return selectFailure(this.graph, edit);
      default: return { slots: this.profilerSavings().slots, ranks: [], notThere: [] };
    }
  }

  private ofRule(rule: EditRule): Selection {
    const known = this.selections.get(rule.selector);
    if (known) return known;
    // A form is used with a few selectors; a loop in the console may try thousands.
    if (this.selections.size >= KEPT_SELECTIONS) this.selections.clear();
    const selection = selectRule(this.graph, rule);
    this.selections.set(rule.selector, selection);
    return selection;
  }

  private profilerSavings(): Savings {
    return (this.savings ??= profilerSavings(this.graph));
  }

  /** The weights after all changes, each to the result of those before it; standing still comes on top, since nothing makes it faster. */
  private edited(edits: readonly Edit[], selections: readonly Selection[]): Float64Array {
    const { weights } = this;
    weights.set(this.graph.weights);
    edits.forEach((edit, i) => {
      if (edit.sort === "rule") change(weights, selections[i]!.slots, edit);
      else if (edit.sort === "profiler") takeOff(weights, this.profilerSavings());
    });
    edits.forEach((edit, i) => {
      if (edit.sort !== "delay") return;
      for (const slot of selections[i]!.slots) weights[slot] = Math.min(weights[slot]! + edit.amount, MOST_WEIGHT_PS);
    });
    return weights;
  }

  /** A job that goes back to a step, by the last failure that says so. */
  private replayed(edits: readonly Edit[], selections: readonly Selection[], finish: Float64Array): Replayed | null {
    for (let i = edits.length - 1; i >= 0; i--) {
      const edit = edits[i]!;
      if (edit.sort !== "failure" || edit.fromStep === null || selections[i]!.ranks.length === 0) continue;
      const length = finish[this.graph.end]!;
      return { at: Math.min(edit.at, length), lasts: edit.restart, again: this.beginOfStep(edit, finish, length) };
    }
    return null;
  }

  /** When the first rank begins the step in this run. */
  private beginOfStep(failure: FailureEvent, finish: Float64Array, length: number): number {
    const { facts, stepSlots, stepBegins, sources, late } = this.graph;
    const step = facts.job_steps.lastIndexOf(failure.fromStep); // as the engine takes it if names repeat
    let earliest = length;
    for (let rank = 0; rank < facts.ranks.length; rank++) {
      const place = rank * facts.job_steps.length + step;
      const slot = stepSlots[place]!;
      if (slot < 0) {
        earliest = Math.min(earliest, stepBegins[place]!);
        continue;
      }
      // Within a piece that edits leave as it is, time passes as it did.
      const source = sources[slot]!;
      earliest = Math.min(earliest, finish[source]! + stepBegins[place]! - (this.finish[source]! + late[source]!));
    }
    return earliest;
  }

  private pathTimes(path: Uint32Array, work: Float64Array, solved: { weights: Float64Array; finish: Float64Array }, again: Replayed | null) {
    const { graph } = this;
    const kinds_ps = new Float64Array(graph.kindIds.length);
    let stopped_ps = again ? again.lasts : 0;
    for (let i = 0; i < path.length; i++) {
      const slot = path[i];
      const begin = solved.finish[graph.sources[slot]!]!;
      const worked = begin + work[slot]!;
      // A piece that a pause runs through is work first; what the rank stands still is behind it, wherever in between it was.
      kinds_ps[graph.kinds[slot]!] += passed(begin, worked, again);
      stopped_ps += passed(worked, begin + solved.weights[slot]!, again);
    }
    const length = solved.finish[graph.end]!;
    const length_ps = again ? again.at + again.lasts + Math.max(0, length - again.again) : length;
    return { length_ps, kinds_ps, stopped_ps };
  }
}

/** It runs up to `at`, stands still, and runs again what lies behind `again`. */
interface Replayed {
  at: number;
  lasts: number;
  again: number;
}

/** How much of [begin, end) the job goes through, the second time included. */
function passed(begin: number, end: number, again: Replayed | null): number {
  if (!again) return end - begin;
  return Math.max(0, Math.min(end, again.at) - begin) + Math.max(0, end - Math.max(begin, again.again));
}

function pausesOf(edits: readonly Edit[], selections: readonly Selection[]): Pause[] {
  return edits.flatMap((edit, i) =>
    edit.sort === "failure" && edit.fromStep === null ? selections[i]!.ranks.map((rank) => ({ rank, at: edit.at, lasts: edit.restart })) : [],
  );
}

function change(weights: Float64Array, slots: Uint32Array, rule: EditRule): void {
  const { factor, amount } = rule;
  switch (rule.action) {
    case "scale":
      for (let i = 0; i < slots.length; i++) weights[slots[i]!] = scaled(weights[slots[i]!]!, factor);
      return;
    case "set":
      for (let i = 0; i < slots.length; i++) weights[slots[i]!] = amount;
      return;
    case "add":
      // Taking more away than there is leaves nothing, not time that runs backwards.
      for (let i = 0; i < slots.length; i++) weights[slots[i]!] = Math.min(Math.max(weights[slots[i]!]! + amount, 0), MOST_WEIGHT_PS);
  }
}

function takeOff(weights: Float64Array, savings: Savings): void {
  savings.slots.forEach((slot, i) => (weights[slot] = Math.max(weights[slot]! - savings.times[i]!, 0)));
}
