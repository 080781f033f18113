// Tables that can be sorted by a click on a heading, and filtered by a text. The rows are the engine's; only their order and visibility change.
import { count } from "./format";

/** The value of a cell: its data-sort, else its text. */
function cellValue(row: HTMLTableRowElement, column: number): number | string {
  const cell = row.cells[column];
  if (!cell) return "";
  const sort = cell.dataset.sort;
  return sort === undefined ? cell.textContent ?? "" : Number(sort);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** Numbers begin with the largest, texts with the first; a second click turns the order round. */
function sortBy(table: HTMLTableElement, heading: HTMLTableCellElement): void {
  const body = table.tBodies[0];
  if (!body) return;
  const column = heading.cellIndex;
  const rows = [...body.rows].map((row, place) => ({ row, place, value: cellValue(row, column) }));
  const isNumeric = rows.some(r => typeof r.value === "number");
  const before = heading.getAttribute("aria-sort");
  const isDown = before === "descending" ? false : before === "ascending" ? true : isNumeric;
  rows.sort((a, b) => (isDown ? compare(b.value, a.value) : compare(a.value, b.value)) || a.place - b.place);
  body.append(...rows.map(r => r.row));
  for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
}

/** Returns how many rows are left. */
function filterRows(table: HTMLTableElement, text: string): number {
  const low = text.trim().toLowerCase();
  let left = 0;
  for (const row of table.tBodies[0]?.rows ?? []) {
    const name = row.dataset.name ?? row.textContent ?? "";
    row.hidden = low !== "" && !name.toLowerCase().includes(low);
    if (!row.hidden) left++;
  }
  return left;
}

export function startTables(document: Document): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("th[aria-sort] button")) {
    const heading = button.closest("th");
    const table = button.closest("table");
    if (heading && table) button.addEventListener("click", () => sortBy(table, heading));
  }
  const filter = document.querySelector<HTMLInputElement>("#kernel-filter");
  const kernels = document.querySelector<HTMLTableElement>("#kernels table");
  const counter = document.querySelector<HTMLElement>("#kernel-count");
  const whole = counter?.textContent ?? "";
  if (!filter || !kernels) return;
  filter.addEventListener("input", () => {
    const left = filterRows(kernels, filter.value);
    if (counter) counter.textContent = filter.value.trim() === "" ? whole : `${count(left)} of ${whole}`;
  });
}
