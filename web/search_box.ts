// The search box in the header: counts while one types, goes from match to match with Enter.
import { count } from "./format";
import { Minimap } from "./minimap";
import { Search } from "./search";
import type { Timeline } from "./timeline";

export class SearchBox {
  private readonly search: Search;

  constructor(private readonly timeline: Timeline, readonly input: HTMLInputElement | null, private readonly counter: HTMLElement | null) {
    this.search = new Search(timeline.store);
    input?.addEventListener("input", () => this.find(input.value));
    input?.addEventListener("keydown", e => {
      if (e.key === "Enter") this.go(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape") {
        this.clear();
        timeline.stage.focus({ preventScroll: true });
      } else return;
      e.preventDefault();
    });
  }

  /** Sets the box and returns the number of events. */
  set(text: string): number {
    if (this.input) this.input.value = text;
    return this.find(text);
  }

  clear(): void {
    if (this.search.isOn) this.set("");
  }

  /** Ranks that were decoded since are counted too. */
  refresh(): void {
    if (this.search.isOn) this.find(this.search.text);
  }

  private find(text: string): number {
    const found = this.search.set(text);
    const { begin_ps, end_ps } = this.timeline.scene.view.range;
    this.timeline.minimap.setMatches(found > 0 ? this.search.flags(begin_ps, end_ps, Minimap.bins) : null);
    this.timeline.invalidate();
    this.say(text === "" ? "" : found === 1 ? "1 match" : found === 0 ? "no match" : `${count(found)} matches`);
    return found;
  }

  private go(direction: 1 | -1): void {
    if (this.search.count === 0) return;
    const { scene, store } = this.timeline;
    const selected = store.facts(scene.selected);
    const from = selected ? { id: selected.id, time: selected.start_ps } : { id: -1, time: direction > 0 ? scene.view.begin : scene.view.end };
    const { id, place } = this.search.next(from, direction);
    this.timeline.goTo(id);
    this.say(`${count(place)} of ${count(this.search.count)}`);
  }

  private say(text: string): void {
    if (!this.counter) return;
    this.counter.textContent = text;
    this.counter.dataset.count = String(this.search.count);
  }
}
