// What an edit says once it is understood; the grammar is docs/WHATIF.md's.
import type { NamePattern } from "./name_pattern";

/** First and last, both included, as written: 0-3,7. */
export type NumberRange = readonly [first: number, last: number];

/** Whose pieces, when, and of which group; what is null does not matter. */
export interface EditScope {
  ranks: NumberRange[] | null;
  steps: NumberRange[] | null; // by the number in the step's name
  group: NamePattern | null;
}

export type Action = "scale" | "set" | "add";

/** A change: pieces of time, and what becomes of each. */
export interface EditRule {
  sort: "rule";
  text: string; // as written
  selector: string; // the text before the action: rules alike in it select the same pieces
  scope: EditScope;
  kinds: readonly string[];
  name: NamePattern;
  exchanged: "anything" | "collectives" | "messages";
  collective: NamePattern; // of collectives: their kind
  stream: number | null;
  device: number | null;
  inside: NamePattern | null;
  action: Action;
  factor: number;
  amount: number; // ps
}

/** What recording costs is taken off every recorded event. */
export interface ProfilerEdit {
  sort: "profiler";
  text: string;
}

/** The main thread of each selected rank stands still once, at the begin of each selected step. */
export interface DelayEvent {
  sort: "delay";
  text: string;
  scope: EditScope;
  amount: number;
}

/** The selected ranks stand still from the job's begin + `at` for `restart`. */
export interface FailureEvent {
  sort: "failure";
  text: string;
  scope: EditScope;
  at: number;
  restart: number;
  fromStep: number | null; // then the whole job goes back to the begin of this step
}

/** A change of the machine that exchanges are simulated on, which only the engine can do. */
export interface NetworkEdit {
  sort: "network";
  text: string;
}

export type Edit = EditRule | ProfilerEdit | DelayEvent | FailureEvent | NetworkEdit;

export function contains(ranges: readonly NumberRange[], number: number): boolean {
  return ranges.some(([first, last]) => first <= number && number <= last);
}

/** Why the edit cannot be applied to the graph of one rank; empty if it can. */
export function needsWholeJob(edit: Edit): string {
  if (edit.sort !== "rule") return "";
  if (edit.scope.group) return "which group a communication is of is known from all its ranks";
  return edit.exchanged === "anything" ? "" : "what ranks exchange is known from all of them; of one rank, say comm";
}
