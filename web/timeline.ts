// The timeline as a whole: what can be done to it, by keys, pointer, address or script, and the frame in which it is drawn.
import { Arguments } from "./arguments";
import { Arrows } from "./arrows";
import type { Causes, PathPieces } from "./causes";
import { Palette } from "./colours";
import type { Columns } from "./columns";
import type { Counter } from "./counters";
import { Details } from "./details";
import { CRITICAL, EventStore } from "./events";
import { duration } from "./format";
import { Minimap } from "./minimap";
import { Direction, neighbour } from "./neighbours";
import { Painter } from "./painter";
import { pathShares } from "./path_shares";
import { PathWalk } from "./path_walk";
import { Leaves, rowOf } from "./pyramid";
import type { ReportData } from "./report_data";
import { Box, Ribbon, Scene } from "./scene";
import { onThemeChange } from "./theme";
import { ROW_HEIGHT, Tracks } from "./tracks";
import { View } from "./view";

/** Parts of the window's height that the lanes may take; beyond, they scroll. */
const MOST_HEIGHT = 0.66;
const LEAST_HEIGHT = 260;
/** With less of it on the screen, the timeline is scrolled to. */
const STAGE_IN_SIGHT = 200;
/** An event that is gone to is shown at least this wide. */
const LEAST_SHOWN = 12;

export class Timeline {
  readonly scene: Scene;
  readonly store: EventStore;
  readonly minimap: Minimap;
  /** Called when view, selection or edits changed. */
  onChange: () => void = () => undefined;
  private readonly painter: Painter;
  readonly recorded: Arguments;
  private readonly details: Details;
  private readonly viewElement: HTMLElement;
  private readonly spanElement: HTMLElement | null;
  private palette: Palette;
  private causes: Causes | null = null;
  private walk: PathWalk | null = null;
  private isPending = false;

  constructor(
    private readonly data: ReportData, store: EventStore, readonly stage: HTMLElement, readonly canvas: HTMLCanvasElement, minimap: HTMLCanvasElement,
  ) {
    const annotation = data.kinds.findIndex(kind => kind.id === "annotation");
    this.store = store;
    this.scene = new Scene(store, new Tracks(store, annotation), new View(data.range));
    this.painter = new Painter(canvas, this.scene, data.step.begin_ps);
    this.minimap = new Minimap(minimap, data.range, data.step, annotation);
    this.viewElement = required("#view");
    this.spanElement = document.querySelector<HTMLElement>("#span");
    this.recorded = new Arguments(store, document);
    this.details = new Details(required("#details"), data, store.numbers, this.recorded, id => this.goTo(id));
    this.palette = new Palette(data.kinds, false);
    onThemeChange(() => this.recolour());
    document.querySelector("#dim")?.addEventListener("change", () => this.recolour());
    new ResizeObserver(() => this.fit()).observe(stage);
    window.addEventListener("resize", () => this.fit());
    this.showStep();
  }

  // ---- data

  addRank(place: number, columns: Columns): void {
    const events = this.store.add(place, columns);
    if (this.causes) events.markCritical(this.causes.critical);
    this.scene.tracks.add(place, events);
    this.minimap.add(events);
  }

  /** To be called after ranks were added. */
  laidOut(): void {
    this.scene.tracks.layOut();
    this.fit();
  }

  useCauses(causes: Causes): void {
    this.causes = causes;
    for (const rank of this.store.ranks) rank?.markCritical(causes.critical);
    this.walk = new PathWalk(causes.measured);
    this.scene.arrows = new Arrows(causes.measured);
    this.scene.pathShares = pathShares(causes.measured, this.store);
    this.scene.ribbons = [ribbon("critical path", causes.measured)];
    this.recolour();
  }

  /** Scrolls to the rank that has most of the path: of many ranks the first ones may have nothing of it. */
  showRankOfPath(): void {
    const { pathShares, tracks } = this.scene;
    const most = pathShares.indexOf(Math.max(...pathShares));
    const first = tracks.shown.find(track => track.rankPlace === most);
    if (first) this.scene.scrollTo(first.y);
    this.invalidate();
  }

  /** The path with edits, below the measured one; null: no edits. */
  setEdited(path: PathPieces | null): void {
    this.scene.ribbons = this.scene.ribbons.slice(0, 1);
    if (path) this.scene.ribbons.push(ribbon("what if", path));
    this.fit();
    this.onChange();
  }

  // ---- view

  setView(begin: number, end: number): void {
    this.scene.view.set(begin, end);
    this.viewChanged();
  }

  showAll(): void {
    this.scene.view.showAll();
    this.viewChanged();
  }

  showStep(): void {
    const { begin_ps, end_ps } = this.data.step;
    if (end_ps > begin_ps) this.scene.view.showAround(begin_ps, end_ps);
    else this.scene.view.showAll();
    this.viewChanged();
  }

  /** At a place of the canvas; null: in the middle. */
  zoom(factor: number, x: number | null): void {
    const { scene } = this;
    scene.view.zoom(factor, x === null || x < scene.labelWidth ? (scene.view.begin + scene.view.end) / 2 : scene.timeAt(x));
    this.viewChanged();
  }

  pan(part: number): void {
    this.scene.view.pan(part);
    this.viewChanged();
  }

  /** Whether there was anywhere to scroll to. */
  scrollBy(pixels: number): boolean {
    const before = this.scene.scrollY;
    this.scene.scrollTo(before + pixels);
    this.invalidate();
    return this.scene.scrollY !== before;
  }

  timeAt(clientX: number): number {
    return this.scene.timeAt(clientX - this.canvas.getBoundingClientRect().left);
  }

  // ---- selection

  select(id: number): void {
    const facts = this.store.facts(id);
    this.scene.selected = facts ? id : -1;
    if (facts) this.details.show(facts, this.causes);
    else this.details.clear();
    this.invalidate();
    this.onChange();
  }

  clear(): void {
    this.scene.mark = null;
    this.select(-1);
  }

  /** Brings an event into sight: its rank is opened, its lane scrolled to, and time moved as little as need be. */
  reveal(id: number): void {
    const facts = this.store.facts(id);
    if (!facts) return;
    const { scene } = this;
    scene.tracks.setOpen(this.store.ranks.findIndex(r => r?.rank === facts.rank), true);
    this.fit();
    const box = scene.boxOf(id);
    if (box) this.scrollToBox(box);
    const { start_ps, dur_ps } = facts;
    const pixel = scene.view.span / scene.plotWidth;
    const isWideEnough = dur_ps >= LEAST_SHOWN * pixel || scene.view.span <= 20 * dur_ps;
    const isInside = start_ps >= scene.view.begin + scene.view.span * 0.02 && start_ps + dur_ps <= scene.view.end - scene.view.span * 0.02;
    if (isWideEnough && isInside) return;
    const span = isWideEnough ? Math.max(scene.view.span, dur_ps * 1.25) : Math.max(dur_ps * 12, 2_000_000);
    this.setView(start_ps + dur_ps / 2 - span / 2, start_ps + dur_ps / 2 + span / 2);
  }

  /** Selects an event and brings it into sight, and the timeline with it: keys work where it is not seen too. */
  goTo(id: number): void {
    this.reveal(id);
    this.select(id);
    const { top, bottom } = this.stage.getBoundingClientRect();
    if (bottom < STAGE_IN_SIGHT || top > window.innerHeight - STAGE_IN_SIGHT) this.stage.scrollIntoView({ block: "nearest" });
  }

  goAlongPath(direction: 1 | -1): void {
    if (!this.walk) return;
    const { selected, view } = this.scene;
    const facts = this.store.facts(selected);
    this.walk.standAt(selected, facts ? facts.start_ps : view.begin);
    const next = this.walk.step(direction);
    if (next >= 0) this.goTo(next);
  }

  goToNeighbour(direction: Direction): void {
    const next = neighbour(this.scene, this.scene.selected, direction);
    if (next >= 0) this.goTo(next);
  }

  fitSelection(): void {
    const facts = this.store.facts(this.scene.selected);
    if (!facts) return;
    this.reveal(facts.id);
    this.scene.view.showAround(facts.start_ps, facts.start_ps + facts.dur_ps, 0.25);
    this.viewChanged();
  }

  /** Marks the range of the selected event; a second time, takes the mark away. */
  markSelection(): void {
    const facts = this.store.facts(this.scene.selected);
    const { mark } = this.scene;
    if (!facts) this.setMark(null);
    else if (mark && mark.begin === facts.start_ps && mark.end === facts.start_ps + facts.dur_ps) this.setMark(null);
    else this.setMark({ begin: facts.start_ps, end: facts.start_ps + facts.dur_ps });
  }

  setMark(mark: { begin: number; end: number } | null): void {
    this.scene.mark = mark;
    this.invalidate();
  }

  hover(id: number): void {
    if (id === this.scene.hovered) return;
    this.scene.hovered = id;
    this.invalidate();
  }

  // ---- ranks

  toggleRank(place: number): void {
    this.scene.tracks.setOpen(place, !this.scene.tracks.isOpen(place));
    this.fit();
  }

  /** Opens or closes the rank of the selection, else the first one that is in sight. */
  toggleCurrentRank(): void {
    const facts = this.store.facts(this.scene.selected);
    const { shown } = this.scene.tracks;
    const first = shown[Math.max(0, this.scene.tracks.indexAt(this.scene.scrollY))];
    if (facts) this.toggleRank(this.store.ranks.findIndex(r => r?.rank === facts.rank));
    else if (first) this.toggleRank(first.rankPlace);
  }

  /** Where an event is on the screen, cut to the plot; null: nowhere. */
  locate(id: number): Box | null {
    const box = this.scene.boxOf(id);
    if (!box) return null;
    const rect = this.canvas.getBoundingClientRect();
    const left = Math.max(this.scene.labelWidth, box.x);
    const right = Math.min(this.scene.width, box.x + box.width);
    return { x: rect.left + left, y: rect.top + box.y, width: Math.max(0, right - left), height: box.height };
  }

  /** Where the lane of a counter ends on the screen; null: it is not shown. */
  bottomOf(counter: Counter): number | null {
    const track = this.scene.tracks.shown.find(t => t.counter === counter);
    return track ? this.canvas.getBoundingClientRect().top + this.scene.lanesTop + track.y + track.height - track.top - this.scene.scrollY : null;
  }

  // ---- frames

  invalidate(): void {
    if (this.isPending) return;
    this.isPending = true;
    requestAnimationFrame(() => {
      this.isPending = false;
      this.painter.draw(this.palette);
      this.minimap.draw(this.scene.view, this.palette);
    });
  }

  recolour(): void {
    const isDim = document.querySelector<HTMLInputElement>("#dim")?.checked ?? false;
    // Without a graph nothing is critical, and all would be dim.
    this.palette = new Palette(this.data.kinds, isDim && this.causes !== null);
    this.minimap.forget();
    this.fit();
  }

  /** Takes the size that the stage has, and gives the canvas the height that its lanes need. */
  fit(): void {
    const { scene } = this;
    scene.width = Math.max(200, this.stage.clientWidth);
    scene.labelWidth = scene.width < 700 ? 112 : 168;
    const most = Math.max(LEAST_HEIGHT, Math.round(window.innerHeight * MOST_HEIGHT));
    scene.height = Math.min(most, scene.wholeHeight);
    scene.scrollTo(scene.scrollY);
    this.canvas.style.height = `${scene.height}px`;
    this.painter.resize();
    this.invalidate();
  }

  private viewChanged(): void {
    const { begin, end, span } = this.scene.view;
    this.viewElement.dataset.beginPs = String(begin);
    this.viewElement.dataset.endPs = String(end);
    const text = `${duration(span)} shown`;
    if (this.spanElement && this.spanElement.textContent !== text) this.spanElement.textContent = text;
    this.invalidate();
    this.onChange();
  }

  private scrollToBox(box: Box): void {
    const { scene } = this;
    if (box.y >= scene.lanesTop + ROW_HEIGHT && box.y + box.height <= scene.height - ROW_HEIGHT) return;
    scene.scrollTo(scene.scrollY + box.y - (scene.lanesTop + scene.height) / 2);
  }
}

function ribbon(label: string, path: PathPieces): Ribbon {
  const leaves: Leaves & { event: Int32Array } = {
    start: path.begin, dur: path.end.map((end, i) => end - path.begin[i]), unit: 1, tone: path.kind.map(kind => kind | CRITICAL), event: path.event,
  };
  return { label, row: rowOf(leaves) };
}

function required(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}
