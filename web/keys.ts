// Keys of the timeline. They act wherever the focus is, except in a text box; arrows only where they have no other meaning.
import type { Direction } from "./neighbours";
import { toggleHelp } from "./page_controls";
import { toggleTheme } from "./theme";
import type { Timeline } from "./timeline";

/** One press moves by this, at once; a key that is held goes on smoothly, per second. */
const ZOOM_STEP = 0.85;
const PAN_STEP = 0.08;
const ZOOM_RATE = 2.2;
const PAN_RATE = 0.9;
const WITH_SHIFT = 4;

const MOVES = new Map<string, { zoom: number; pan: number }>([
  ["w", { zoom: -1, pan: 0 }], ["s", { zoom: 1, pan: 0 }], ["a", { zoom: 0, pan: -1 }], ["d", { zoom: 0, pan: 1 }],
]);

const ARROWS = new Map<string, Direction>([["ArrowLeft", "left"], ["ArrowRight", "right"], ["ArrowUp", "up"], ["ArrowDown", "down"]]);

function isTextBox(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement) return !["range", "checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLElement && target.isContentEditable;
}

export class Keys {
  private readonly held = new Set<string>();
  private isFast = false;
  private last = 0;

  constructor(private readonly timeline: Timeline, private readonly pointerX: () => number | null, private readonly search: HTMLInputElement | null,
              private readonly clearSearch: () => void) {
    document.addEventListener("keydown", e => this.down(e));
    document.addEventListener("keyup", e => this.held.delete(e.key.toLowerCase()));
    window.addEventListener("blur", () => this.held.clear());
  }

  private down(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || isTextBox(e.target)) return;
    if (document.querySelector("dialog[open]") && e.key !== "?") return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (MOVES.has(key)) this.move(key, e);
    else if (!this.command(key) && !this.arrow(e) && !this.scroll(e)) return;
    e.preventDefault();
  }

  private command(key: string): boolean {
    const { timeline } = this;
    switch (key) {
      case "[": timeline.goAlongPath(-1); return true;
      case "]": timeline.goAlongPath(1); return true;
      case "f": timeline.fitSelection(); return true;
      case "m": timeline.markSelection(); return true;
      case "o": timeline.toggleCurrentRank(); return true;
      case "0": timeline.showAll(); return true;
      case "1": timeline.showStep(); return true;
      case "t": toggleTheme(); return true;
      case "?": toggleHelp(); return true;
      case "/":
        this.search?.focus();
        this.search?.select();
        return true;
      case "Escape":
        this.clearSearch();
        timeline.clear();
        return true;
    }
    return false;
  }

  /** In a slider, arrows move the slider; with nothing selected, they scroll the page. */
  private arrow(e: KeyboardEvent): boolean {
    const direction = ARROWS.get(e.key);
    const isOurs = e.target === document.body || this.timeline.stage.contains(e.target as Node);
    if (!direction || !isOurs || this.timeline.scene.selected < 0) return false;
    this.timeline.goToNeighbour(direction);
    return true;
  }

  /** Lanes scroll while the timeline has the focus, up to their end; then the page does. */
  private scroll(e: KeyboardEvent): boolean {
    const pages = e.key === "PageDown" ? 1 : e.key === "PageUp" ? -1 : 0;
    const { scene, stage } = this.timeline;
    return pages !== 0 && stage.contains(e.target as Node) && this.timeline.scrollBy(pages * 0.8 * (scene.height - scene.lanesTop));
  }

  private move(key: string, e: KeyboardEvent): void {
    this.isFast = e.shiftKey;
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    // A held key repeats its keydown; the frames take over then, unless motion is not wanted.
    if (e.repeat && !isStill) return;
    const factor = this.isFast ? WITH_SHIFT : 1;
    const { zoom, pan } = MOVES.get(key) as { zoom: number; pan: number };
    this.apply(zoom * -Math.log(ZOOM_STEP) * factor, pan * PAN_STEP * factor);
    if (isStill) return;
    if (this.held.size === 0) {
      this.last = performance.now();
      requestAnimationFrame(now => this.frame(now));
    }
    this.held.add(key);
  }

  private frame(now: number): void {
    if (this.held.size === 0) return;
    const seconds = Math.max(0, Math.min(0.1, (now - this.last) / 1000)) * (this.isFast ? WITH_SHIFT : 1);
    this.last = now;
    for (const key of this.held) {
      const { zoom, pan } = MOVES.get(key) as { zoom: number; pan: number };
      this.apply(zoom * ZOOM_RATE * seconds, pan * PAN_RATE * seconds);
    }
    requestAnimationFrame(t => this.frame(t));
  }

  private apply(zoom: number, pan: number): void {
    if (zoom !== 0) this.timeline.zoom(Math.exp(zoom), this.pointerX());
    if (pan !== 0) this.timeline.pan(pan);
  }
}
