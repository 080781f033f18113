// The what-if form: sliders and the edit box re-solve the graph, and the page shows what becomes of the step.
import type { Causes, PathPieces } from "./causes";
import { EditError } from "./edits/edit_error";
import type { Solved } from "./edits/solver";
import { shellQuoted, splitEdits } from "./edits/split";
import { duration } from "./format";
import type { ReportData } from "./report_data";
import { Waterfall } from "./waterfall";

export interface Answer {
  before_ps: number;
  after_ps: number;
  matched: number[]; // per edit: pieces it selected
}

export interface WhatIf {
  /** Shows these edits: those that a slider says are put there, the rest into the box. */
  set(edits: string[]): void;
  /** Solves without showing. Throws an Error with the message if an edit cannot be understood. */
  solve(edits: string[]): Answer;
}

/** `onChange`: the edits that are on, and the path with them; null without edits. */
export function startWhatIf(causes: Causes, data: ReportData, onChange: (edits: string[], edited: PathPieces | null) => void): WhatIf {
  const form = new WhatIfForm(causes, data, onChange);
  return {
    set: (edits) => form.set(edits),
    solve: (edits) => {
      refuseTwice(edits, data);
      const solved = causes.solver.solve(edits);
      return { before_ps: causes.length_ps, after_ps: solved.length_ps, matched: solved.matched };
    },
  };
}

interface Slider {
  input: HTMLInputElement;
  output: HTMLElement | null;
  what: string; // "gap:launch"
}

const EXAMPLE = "cpu * 0.8";
/** What the switch says. */
const UNPROFILED = "profiler remove";

class WhatIfForm {
  private readonly sliders: Slider[];
  private readonly unprofiled = document.querySelector<HTMLInputElement>("#unprofiled");
  private readonly box = document.querySelector<HTMLInputElement>("#edit");
  private readonly error = document.querySelector<HTMLElement>("#edit-error");
  private readonly step = document.querySelector<HTMLElement>("#whatif-step");
  private readonly change = document.querySelector<HTMLElement>("#whatif-change");
  private readonly interval = document.querySelector<HTMLElement>("#whatif-interval");
  private readonly command = document.querySelector<HTMLElement>("#whatif-command");
  private readonly gains = [...document.querySelectorAll<HTMLButtonElement>(".gain[data-edit]")];
  private readonly waterfall: Waterfall;
  private shown: string[] = [];

  constructor(
    private readonly causes: Causes,
    private readonly data: ReportData,
    private readonly onChange: (edits: string[], edited: PathPieces | null) => void,
  ) {
    this.waterfall = new Waterfall(data, causes.length_ps);
    this.sliders = [...document.querySelectorAll<HTMLInputElement>("#whatif input[type=range][data-edit]")].map((input) => ({
      input,
      output: input.parentElement?.querySelector("output") ?? null,
      what: input.dataset.edit ?? "",
    }));
    for (const { input } of this.sliders) {
      input.addEventListener("input", () => this.update(true));
      input.addEventListener("dblclick", () => {
        input.value = "1";
        this.update(true);
      });
    }
    this.unprofiled?.addEventListener("change", () => this.update(true));
    // While somebody types, what cannot be understood yet is no mistake yet.
    this.box?.addEventListener("input", () => this.update(false));
    this.box?.addEventListener("change", () => this.update(true));
    this.box?.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.update(true);
    });
    document.querySelector("#reset")?.addEventListener("click", () => this.set([]));
    for (const gain of this.gains) gain.addEventListener("click", () => this.toggle(gain.dataset.edit ?? ""));
    const copy = document.querySelector<HTMLButtonElement>("#whatif-copy");
    copy?.addEventListener("click", () => void this.copyCommand(copy));
    // A browser may bring back what was in the form before the page was loaded again; the address says what is on.
    this.set([]);
  }

  set(edits: string[]): void {
    const rest = [...edits];
    if (this.unprofiled) {
      this.unprofiled.checked = !this.unprofiled.disabled && rest[0] === UNPROFILED;
      if (this.unprofiled.checked) rest.shift();
    }
    for (const slider of this.sliders) {
      // Edits apply in order, and those of the switch and of sliders come first: one that stands behind another sort stays behind it, in the box.
      const factor = rest.length > 0 ? factorOnSlider(rest[0], slider) : null;
      slider.input.value = String(factor ?? 1);
      if (factor !== null) rest.shift();
    }
    if (this.box) this.box.value = rest.join("; ");
    this.update(true);
  }

  private toggle(edit: string): void {
    // Which run is looked at is not for a gain to say.
    this.set([...(this.isUnprofiled() ? [UNPROFILED] : []), ...(this.isAlone(edit) ? [] : [edit])]);
    document.querySelector("#whatif")?.scrollIntoView({ block: "nearest" });
  }

  private isUnprofiled(): boolean {
    return this.unprofiled?.checked ?? false;
  }

  /** Besides what the switch says, it is the only one that is on. */
  private isAlone(edit: string): boolean {
    const others = this.shown[0] === UNPROFILED ? this.shown.slice(1) : this.shown;
    return others.length === 1 && others[0] === edit;
  }

  /** The edits as the form has them: what recording cost is taken off the run as it was recorded, then sliders, then the box. */
  private edits(): string[] {
    const ofSliders = this.sliders.filter(({ input }) => Number(input.value) !== 1).map(({ input, what }) => `${what} * ${Number(input.value)}`);
    return [...(this.isUnprofiled() ? [UNPROFILED] : []), ...ofSliders, ...splitEdits(this.box?.value ?? "").map((part) => part.text)];
  }

  /** `complains`: what cannot be understood is said; else the last answer stays until it can. */
  private update(complains: boolean): void {
    for (const { input, output } of this.sliders) if (output) output.textContent = `×${Number(input.value)}`;
    const edits = this.edits();
    try {
      refuseTwice(edits, this.data);
      const solved = edits.length > 0 ? this.causes.solver.solve(edits) : null;
      this.say(solved ? [...unselected(edits, solved, this.causes.solver.graph.facts.is_job), ...this.unknownCost(edits)] : []);
      this.show(edits, solved);
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      if (complains) this.pointAt(error);
    }
  }

  private show(edits: string[], solved: Solved | null): void {
    const { causes } = this;
    const after = solved ? solved.length_ps : causes.length_ps;
    this.shown = edits;
    if (this.step) {
      this.step.textContent = duration(after);
      this.step.dataset.ps = String(after);
      this.step.dataset.edits = JSON.stringify(edits);
    }
    if (this.change) {
      this.change.textContent = solved ? changeText(causes.length_ps, after) : "unchanged";
      this.change.className = !solved || after === causes.length_ps ? "" : after < causes.length_ps ? "good" : "bad";
    }
    this.showInterval(edits);
    if (this.command) {
      const { program, operands, flags } = this.data.command; // quoted already
      const words = edits.length > 0 ? edits : [EXAMPLE];
      this.command.textContent = [program, "whatif", ...operands, ...words.map(quotedEdit), ...flags].join(" ");
      this.command.title = this.command.textContent;
    }
    for (const gain of this.gains) gain.setAttribute("aria-pressed", String(this.isAlone(gain.dataset.edit ?? "")));
    if (solved) this.waterfall.show(solved.kinds_ps, solved.stopped_ps);
    else this.waterfall.clear();
    this.onChange(edits, solved && causes.edited(solved));
  }

  /** Between what the step lies: the engine found that for the run without a profiler and no other edit. */
  private showInterval(edits: string[]): void {
    if (!this.interval || !this.unprofiled) return;
    const { lowPs, highPs } = this.unprofiled.dataset;
    const isKnown = this.isUnprofiled() && edits.length === 1;
    this.interval.textContent = isKnown ? `${duration(Number(lowPs))} to ${duration(Number(highPs))} in 8 of 10 cases` : "";
  }

  /** What the engine remarks on an edit that is understood and takes nothing off. */
  private unknownCost(edits: string[]): string[] {
    if (!this.unprofiled?.disabled || !edits.some(removesProfiler)) return [];
    return ["Nothing tells what recording cost: nothing was taken off (W406)."];
  }

  private say(sentences: string[]): void {
    this.box?.removeAttribute("aria-invalid");
    if (!this.error) return;
    this.error.textContent = sentences.join(" ");
    this.error.className = "warning";
  }

  private pointAt(error: EditError): void {
    this.box?.setAttribute("aria-invalid", "true");
    if (!this.error) return;
    const where = document.createElement("code");
    where.textContent = `${error.edit}\n${" ".repeat(error.position)}^`;
    const hint = document.createElement("span");
    hint.textContent = error.hint;
    this.error.replaceChildren(error.message, where, hint);
    this.error.className = "";
  }

  private async copyCommand(button: HTMLButtonElement): Promise<void> {
    if (!this.command) return;
    const was = button.textContent;
    try {
      await navigator.clipboard.writeText(this.command.textContent ?? "");
      button.textContent = "copied";
    } catch {
      // Some browsers give pages from disk no clipboard: then the command is selected, to be copied by hand.
      getSelection()?.selectAllChildren(this.command);
      button.textContent = "selected";
    }
    setTimeout(() => (button.textContent = was), 1500);
  }
}

function removesProfiler(edit: string): boolean {
  return edit.trim().split(/\s+/).join(" ") === UNPROFILED;
}

/** As the command does: the page may be of the run without a profiler already. */
function refuseTwice(edits: string[], data: ReportData): void {
  const again = data.command.flags.includes("--without-profiler") ? edits.find(removesProfiler) : undefined;
  if (again !== undefined) throw new EditError("what recording cost is taken off once", 0, "this page is of the run without the profiler", again);
}

/** The factor if the edit is what the slider says at one of its marks; else null. */
function factorOnSlider(edit: string, slider: Slider): number | null {
  const found = /^(\S+) \* (\d+(?:\.\d+)?)$/.exec(edit);
  if (!found || found[1] !== slider.what) return null;
  const factor = Number(found[2]);
  const marks = Math.round(factor * 20);
  return factor !== 1 && marks / 20 === factor && marks <= 40 && String(factor) === found[2] ? factor : null;
}

/** Edits always in quotes, also where a shell would not need them: they are easier to see. */
function quotedEdit(edit: string): string {
  const quoted = shellQuoted(edit);
  return quoted.startsWith("'") ? quoted : `'${edit}'`;
}

/** "−40.2 % against 58.2 ms" */
function changeText(before: number, after: number): string {
  const percent = before === 0 ? 0 : 100 * (after / before - 1);
  const size = Math.abs(percent);
  const digits = size >= 0.05 || percent === 0 ? size.toFixed(1) : size.toPrecision(1);
  return `${percent < 0 ? "−" : percent > 0 ? "+" : "±"}${digits} % against ${duration(before)}`;
}

/** What the engine reports: a misspelt name more often than not. */
function unselected(edits: string[], solved: Solved, isJob: boolean): string[] {
  return edits.flatMap((edit, i) => {
    const absent = solved.notThere[i].map((what) => (what.startsWith("after") ? what : `${what} is not there`)).join(", ");
    if (solved.matched[i] === 0) return [`“${edit}” selects nothing in this ${isJob ? "job" : "step"}${absent === "" ? "" : `: ${absent}`} (W401).`];
    return absent === "" ? [] : [`“${edit}”: ${absent} (W405).`];
  });
}
