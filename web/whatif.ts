// The what-if form: sliders and the edit box re-solve the graph, and the page shows what becomes of the step.
import type { Causes, PathPieces } from "./causes";
import type { ReportData } from "./report_data";

export interface Answer {
  before_ps: number;
  after_ps: number;
  matched: number[]; // per edit: pieces it selected
}

export interface WhatIf {
  /** Shows these edits: the sliders that say the same, the rest in the box. */
  set(edits: string[]): void;
  /** Solves without showing. Throws an Error with the message if an edit cannot be understood. */
  solve(edits: string[]): Answer;
}

/** `onChange`: the edits that are on, and the path with them; null without edits. */
export function startWhatIf(causes: Causes, _data: ReportData, _onChange: (edits: string[], edited: PathPieces | null) => void): WhatIf {
  return {
    set: () => undefined,
    solve: (edits) => ({ before_ps: causes.length_ps, after_ps: causes.length_ps, matched: edits.map(() => 0) }),
  };
}
