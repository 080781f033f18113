// The table of kinds on the path, with edits: a second value and a second bar in each row, and rows for kinds that came onto the path.
import { duration } from "./format";
import type { ReportData } from "./report_data";

/** Of a run in which ranks stand still: no kind of the graph, but time on its path. */
const STOPPED = "stopped";
/** In percent of the bars' width: what is there must be seen. */
const NARROWEST = 0.4;

interface Row {
  row: HTMLTableRowElement;
  after: HTMLElement; // the value
  bar: HTMLElement;
  measured: { bar: HTMLElement; left: number; width: number } | null; // in percent, as the engine wrote them
}

export class Waterfall {
  private readonly table: HTMLTableElement | null;
  private readonly rows = new Map<string, Row>();

  constructor(private readonly data: ReportData, private readonly length_ps: number) {
    this.table = document.querySelector<HTMLTableElement>("#waterfall table");
  }

  /** As measured. */
  clear(): void {
    this.table?.classList.remove("edited");
    for (const { row, after, bar } of this.rows.values()) {
      if (row.dataset.ps === "0") row.hidden = true;
      after.textContent = "";
      delete after.dataset.ps;
      bar.hidden = true;
    }
    this.scaleMeasured(1);
  }

  /** `kinds_ps`: by kind, on the edited path. */
  show(kinds_ps: Float64Array, stopped_ps: number): void {
    if (!this.table) return;
    this.table.classList.add("edited");
    this.data.kinds.forEach((kind, number) => this.make(kind.id, kind.title, kinds_ps[number]));
    this.make(STOPPED, "stopped", stopped_ps);
    // Bars begin where the one before ended, as far as rows are in their order; both runs share one scale.
    let sum = 0;
    for (const value of kinds_ps) sum += value;
    const longest = Math.max(this.length_ps, sum + stopped_ps, 1);
    this.scaleMeasured(this.length_ps / longest);
    const scale = 100 / longest;
    let begin = 0;
    for (const row of this.table.tBodies[0].rows) {
      const kind = row.dataset.kind ?? "";
      const ps = kind === STOPPED ? stopped_ps : kinds_ps[this.data.kinds.findIndex((other) => other.id === kind)] ?? 0;
      this.fill(this.rows.get(kind), ps, begin * scale, ps * scale);
      begin += ps;
    }
  }

  private scaleMeasured(scale: number): void {
    for (const { measured } of this.rows.values()) {
      if (!measured) continue;
      measured.bar.style.left = `${measured.left * scale}%`;
      measured.bar.style.width = `${measured.width * scale}%`;
    }
  }

  private fill(made: Row | undefined, ps: number, left: number, width: number): void {
    if (!made) return;
    made.row.hidden = ps === 0 && made.row.dataset.ps === "0";
    made.after.textContent = duration(ps);
    made.after.dataset.ps = String(ps);
    made.bar.hidden = ps === 0;
    const shown = Math.max(width, NARROWEST);
    made.bar.style.left = `${Math.min(left, 100 - shown)}%`;
    made.bar.style.width = `${shown}%`;
  }

  /** The row of a kind with room for the second value; a new row only for time there is. */
  private make(kind: string, title: string, ps: number): void {
    if (!this.table || this.rows.has(kind)) return;
    const found = [...this.table.tBodies[0].rows].find((row) => row.dataset.kind === kind);
    if (!found && !(ps > 0)) return;
    const row = found ?? this.newRow(kind, title);
    const after = document.createElement("span");
    after.className = "after";
    const bar = document.createElement("span");
    bar.className = "bar edited-bar";
    bar.style.background = colourOf(kind);
    const before = row.querySelector<HTMLElement>(".bar");
    const measured = before && { bar: before, left: parseFloat(before.style.left), width: parseFloat(before.style.width) };
    (row.querySelector(".pieces") ?? row.cells[row.cells.length - 1]).append(after);
    row.querySelector(".bars")?.append(bar);
    this.rows.set(kind, { row, after, bar, measured });
  }

  private newRow(kind: string, title: string): HTMLTableRowElement {
    const row = this.table!.tBodies[0].insertRow();
    row.dataset.kind = kind;
    row.dataset.ps = "0";
    const heading = document.createElement("th");
    heading.scope = "row";
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = colourOf(kind);
    heading.append(swatch, title);
    row.append(heading);
    for (const [name, text] of [["number", "0"], ["number", "0 %"], ["number pieces", ""], ["bars", ""]]) {
      const cell = row.insertCell();
      cell.className = name;
      cell.textContent = text;
    }
    return row;
  }
}

function colourOf(kind: string): string {
  return `var(--k-${kind === STOPPED ? "idle_thread" : kind})`;
}
