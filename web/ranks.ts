// The heat map of ranks: a click on a cell goes to the event that was waited for.
import type { PageApi } from "./api";

/** With more cells, Tab would take too long to get past them. */
const CELLS_BY_KEY = 256;

/** Which of the two numbers of a cell is shown is the style's business; scripts and tests find the shown one in data-ps. */
export function startRanks(page: PageApi): void {
  const section = document.querySelector<HTMLElement>("#ranks");
  const blame = section?.querySelector<HTMLInputElement>("#ranks-show-blame");
  if (!section || !blame) return;
  const cells = [...section.querySelectorAll<HTMLElement>("td[data-step]")];
  for (const cell of cells) {
    cell.dataset.waitPs = cell.dataset.ps;
    if (cells.length <= CELLS_BY_KEY && (cell.dataset.ordinal ?? cell.dataset.blameOrdinal) !== undefined) cell.tabIndex = 0;
  }
  section.addEventListener("change", () => {
    for (const cell of cells) cell.dataset.ps = blame.checked ? cell.dataset.blamePs : cell.dataset.waitPs;
  });
  const go = (event: Event): void => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("td[data-step]") : null;
    const rank = blame.checked ? cell?.dataset.blameCulprit : cell?.dataset.culprit;
    const ordinal = blame.checked ? cell?.dataset.blameOrdinal : cell?.dataset.ordinal;
    if (rank === undefined || ordinal === undefined) return;
    const id = page.find(Number(rank), Number(ordinal));
    if (id < 0) return;
    page.select(id);
    page.reveal(id);
    document.querySelector("#timeline")?.scrollIntoView({ block: "start" });
  };
  section.addEventListener("click", go);
  section.addEventListener("keydown", event => {
    if (event.key === "Enter") go(event);
  });
}
