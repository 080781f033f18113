// What the pointer does: a click selects or opens a rank, drag pans, shift + drag measures, ctrl + wheel zooms, wheel scrolls lanes.
import { duration, shownName } from "./format";
import type { Timeline } from "./timeline";

/** A press that moves by less is a click. */
const STILL = 4;
const WHEEL_ZOOM = 0.0022;
const WHEEL_LINE = 16;
/** Longer names of lanes are cut beside their rows, and said whole on hovering. */
const LONG_LABEL = 22;

export class Pointer {
  /** Place on the canvas; null: the pointer is elsewhere. */
  x: number | null = null;
  private press: { x: number; y: number; begin: number; end: number; scrollY: number; measures: boolean; moved: boolean } | null = null;
  private readonly tip = document.createElement("div");

  constructor(private readonly timeline: Timeline, private readonly minimap: HTMLCanvasElement) {
    const { canvas } = timeline;
    this.tip.className = "tip";
    this.tip.hidden = true;
    timeline.stage.append(this.tip);
    canvas.addEventListener("pointerdown", e => this.down(e));
    canvas.addEventListener("pointermove", e => this.move(e));
    canvas.addEventListener("pointerup", e => this.up(e));
    canvas.addEventListener("pointercancel", () => (this.press = null));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", () => this.timeline.fitSelection());
    timeline.stage.addEventListener("wheel", e => this.wheel(e), { passive: false });
    minimap.addEventListener("pointerdown", e => {
      minimap.setPointerCapture(e.pointerId);
      this.moveMinimap(e);
    });
    minimap.addEventListener("pointermove", e => {
      if (e.buttons & 1) this.moveMinimap(e);
    });
  }

  private place(e: MouseEvent): { x: number; y: number } {
    const rect = this.timeline.canvas.getBoundingClientRect();
    return { x: e.clientX - rect.left, y: e.clientY - rect.top };
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0) return;
    const { scene, canvas, stage } = this.timeline;
    const { x, y } = this.place(e);
    canvas.setPointerCapture(e.pointerId);
    stage.focus({ preventScroll: true });
    const { begin, end } = scene.view;
    this.press = { x, y, begin, end, scrollY: scene.scrollY, measures: e.shiftKey && x >= scene.labelWidth, moved: false };
  }

  private move(e: PointerEvent): void {
    const { x, y } = this.place(e);
    this.x = x;
    if (this.press) this.drag(x, y);
    else this.hover(x, y);
  }

  private drag(x: number, y: number): void {
    const { press, timeline } = this;
    if (!press) return;
    if (Math.abs(x - press.x) + Math.abs(y - press.y) >= STILL) press.moved = true;
    if (!press.moved) return;
    this.hide();
    const { scene } = timeline;
    if (press.measures) {
      const [a, b] = [scene.timeAt(press.x), scene.timeAt(x)];
      timeline.setMark({ begin: Math.min(a, b), end: Math.max(a, b) });
      return;
    }
    timeline.canvas.style.cursor = "grabbing";
    const shift = ((x - press.x) / scene.plotWidth) * (press.end - press.begin);
    scene.scrollTo(press.scrollY - (y - press.y));
    timeline.setView(press.begin - shift, press.end - shift);
  }

  private up(e: PointerEvent): void {
    const { press } = this;
    this.press = null;
    this.timeline.canvas.style.cursor = "";
    if (!press || press.moved) return;
    const { x, y } = this.place(e);
    const { scene } = this.timeline;
    const rank = scene.rankToggledAt(x, y);
    if (rank >= 0) this.timeline.toggleRank(rank);
    else if (x >= scene.labelWidth) this.timeline.select(scene.eventAt(x, y));
  }

  private hover(x: number, y: number): void {
    const { scene, canvas } = this.timeline;
    const id = scene.eventAt(x, y);
    canvas.style.cursor = id >= 0 || scene.rankToggledAt(x, y) >= 0 ? "pointer" : "";
    this.timeline.hover(id);
    const said = this.describe(x, y, id);
    if (said === "") {
      this.tip.hidden = true;
      return;
    }
    this.tip.textContent = said;
    this.showTip(x, y);
  }

  /** What is under the pointer, in a few words; empty: nothing that has to be said. */
  private describe(x: number, y: number, id: number): string {
    const { scene, store } = this.timeline;
    const facts = id >= 0 ? store.facts(id) : null;
    const name = facts ? `${shownName(facts.name, 160)} · ` : "";
    const piece = scene.pieceAt(x, y);
    if (piece) return `${name}${store.data.kinds[piece.kind]?.title ?? ""} · ${duration(piece.ps)}`;
    if (facts) return name + duration(facts.dur_ps);
    const track = scene.trackAt(y);
    const value = track?.counter && x >= scene.labelWidth ? track.counter.textAt(scene.timeAt(x)) : "";
    if (value !== "") return `${shownName(track?.label ?? "", 160)} · ${value}`;
    return track && x < scene.labelWidth && track.label.length > LONG_LABEL ? shownName(track.label, 160) : "";
  }

  private showTip(x: number, y: number): void {
    const { tip } = this;
    const { stage, canvas } = this.timeline;
    tip.hidden = false;
    const left = Math.max(4, Math.min(x + 12, stage.clientWidth - tip.offsetWidth - 4));
    tip.style.transform = `translate(${left}px, ${canvas.offsetTop + y + 18}px)`;
  }

  private hide(): void {
    this.tip.hidden = true;
    this.timeline.hover(-1);
  }

  private leave(): void {
    this.x = null;
    this.hide();
  }

  private wheel(e: WheelEvent): void {
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE : 1;
    const [dx, dy] = [e.deltaX * unit, e.deltaY * unit];
    const { scene } = this.timeline;
    this.tip.hidden = true;
    if (e.ctrlKey || e.metaKey) {
      this.timeline.zoom(Math.exp(dy * WHEEL_ZOOM), this.place(e).x);
    } else if (e.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      this.timeline.pan((e.shiftKey && dx === 0 ? dy : dx) / scene.plotWidth);
    } else if (!this.timeline.scrollBy(dy)) {
      return; // at its end, the wheel scrolls the page
    }
    e.preventDefault();
  }

  private moveMinimap(e: PointerEvent): void {
    const { view } = this.timeline.scene;
    const at = this.timeline.minimap.timeAt(e.clientX - this.minimap.getBoundingClientRect().left);
    this.timeline.setView(at - view.span / 2, at + view.span / 2);
  }
}
