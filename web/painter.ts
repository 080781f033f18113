// Draws the scene: rows through the raster, then what is few with the canvas: names, ruler, labels, arrows, selection.
import { bundled, DrawnArrow } from "./arrows";
import type { Counter } from "./counters";
import { Palette } from "./colours";
import { duration } from "./format";
import { Raster, Wide } from "./raster";
import { Tick, ticks } from "./ruler";
import { RIBBON_HEIGHT, RIBBON_PITCH, RULER_HEIGHT, Scene } from "./scene";
import { TextFitter } from "./text_fit";
import { eventOf, ROW_HEIGHT, Track } from "./tracks";
import type { Row } from "./pyramid";

/** Events get their name from this width on; no more names than this are drawn. */
const TEXT_FROM = 30;
const MOST_TEXTS = 200;

interface Name extends Wide {
  row: Row;
  y: number;
}

export class Painter {
  private readonly context: CanvasRenderingContext2D;
  private readonly font: string;
  private readonly bold: string;
  private readonly fitter: TextFitter;
  private raster: Raster | null = null;
  private ratio = 1;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly scene: Scene, private readonly zero: number) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no canvas to draw on");
    this.context = context;
    const family = getComputedStyle(document.body).fontFamily || "sans-serif";
    this.font = `11px ${family}`;
    this.bold = `600 11px ${family}`;
    context.font = this.font;
    this.fitter = new TextFitter(text => context.measureText(text).width);
  }

  /** Takes the size of the scene, in CSS pixels. */
  resize(): void {
    const { width, height } = this.scene;
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    const plot = Math.max(1, Math.round(this.scene.plotWidth * this.ratio));
    this.raster = new Raster(plot, Math.max(1, this.canvas.height), (w, h) => this.context.createImageData(w, h));
  }

  draw(palette: Palette): void {
    const { scene, context, raster } = this;
    if (!raster) return;
    const marks = ticks(scene.view, this.zero, scene.plotWidth);
    raster.clear(palette, marks.map(t => t.x * this.ratio));
    const names = this.drawRows(raster, palette);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(raster.image, Math.round(scene.labelWidth * this.ratio), 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.textBaseline = "middle";
    this.drawNames(names, palette);
    this.drawCounters(palette);
    this.drawOverLanes(palette);
    this.drawLabels(palette);
    this.drawRuler(marks, palette);
    this.drawMark(palette);
    this.drawScroll(palette);
  }

  private drawRows(raster: Raster, palette: Palette): Name[] {
    const { scene, ratio } = this;
    const names: Name[] = [];
    const draw = (row: Row, y: number, height: number, hasText: boolean): void => {
      const textFrom = hasText ? TEXT_FROM * ratio : Infinity;
      const wides = raster.drawRow(row, Math.round(y * ratio), Math.round((y + height) * ratio), scene.view, palette, textFrom);
      for (const w of wides) names.push({ x0: w.x0 / ratio, x1: w.x1 / ratio, leaf: w.leaf, row, y });
    };
    raster.clipTop = 0;
    raster.gatherer.keepGap = false;
    scene.ribbons.forEach((ribbon, i) => draw(ribbon.row, RULER_HEIGHT + i * RIBBON_PITCH + 2, RIBBON_HEIGHT, false));
    raster.clipTop = Math.round(scene.lanesTop * ratio);
    raster.gatherer.keepGap = true;
    for (const track of this.visibleTracks()) {
      track.rows.forEach((row, r) => draw(row, scene.rowTop(track, r), ROW_HEIGHT - 1, true));
    }
    return names;
  }

  private *visibleTracks(): Generator<Track> {
    const { scene } = this;
    const { shown } = scene.tracks;
    const bottom = scene.scrollY + scene.height - scene.lanesTop;
    for (let i = Math.max(0, scene.tracks.indexAt(scene.scrollY)); i < shown.length && shown[i].y < bottom; i++) yield shown[i];
  }

  private drawNames(names: Name[], palette: Palette): void {
    const { scene, context } = this;
    if (names.length > MOST_TEXTS) {
      names.sort((a, b) => b.x1 - b.x0 - (a.x1 - a.x0));
      names.length = MOST_TEXTS;
    }
    this.clipToLanes();
    context.font = this.font;
    context.textAlign = "left";
    for (const { x0, x1, leaf, row, y } of names) {
      // Names of events that began before the view stay in sight.
      const left = Math.max(0, x0) + 3;
      const text = this.fitter.fit(this.nameOf(row, leaf), Math.min(x1, scene.plotWidth) - left - 3);
      if (text === "") continue;
      context.fillStyle = palette.text(row.leaves.tone[leaf]);
      context.fillText(text, scene.labelWidth + left, y + ROW_HEIGHT / 2);
    }
    context.restore();
  }

  private nameOf(row: Row, leaf: number): string {
    const id = eventOf(row, leaf);
    const rank = this.scene.store.rankOf(id);
    return rank ? this.scene.store.names[rank.name[id - rank.firstId]] : "";
  }

  /** Until restore(). */
  private clipToLanes(): void {
    const { scene, context } = this;
    context.save();
    context.beginPath();
    context.rect(scene.labelWidth, scene.lanesTop, scene.plotWidth, scene.height - scene.lanesTop);
    context.clip();
  }

  private drawCounters(palette: Palette): void {
    const { context, scene } = this;
    this.clipToLanes();
    for (const { counter, isDevice, y, top, height } of this.visibleTracks()) {
      if (!counter) continue;
      context.fillStyle = isDevice ? palette.device : palette.host;
      this.drawCounter(counter, scene.lanesTop + y - scene.scrollY + height - top, height - 2 * top);
    }
    context.restore();
  }

  /** A stair as long as each value holds: pale below, and a line on top. */
  private drawCounter(counter: Counter, bottom: number, room: number): void {
    const { context, scene } = this;
    const { times, values } = counter;
    const right = Math.min(scene.width, scene.xOf(scene.view.range.end_ps));
    for (let i = Math.max(0, counter.placeAt(scene.view.begin)); i < times.length && times[i] < scene.view.end; i++) {
      const x0 = Math.max(scene.labelWidth, scene.xOf(times[i]));
      const x1 = i + 1 < times.length ? Math.min(right, scene.xOf(times[i + 1])) : right;
      const size = counter.heightOf(values[i]) * room;
      context.globalAlpha = 0.35;
      context.fillRect(x0, bottom - size, x1 - x0, size);
      context.globalAlpha = 1;
      context.fillRect(x0, bottom - size, Math.max(1, x1 - x0), 1);
    }
  }

  private drawOverLanes(palette: Palette): void {
    this.clipToLanes();
    this.drawArrows(palette);
    this.outline(this.scene.hovered, palette.muted, 1);
    this.outline(this.scene.selected, palette.ink, 2);
    this.context.restore();
  }

  private outline(id: number, colour: string, thickness: number): void {
    const box = id < 0 ? null : this.scene.boxOf(id);
    if (!box) return;
    const { context, scene } = this;
    // Cut to just outside of the picture: edges that are far away are not drawn, and far coordinates lose digits.
    const left = Math.max(scene.labelWidth - 8, box.x);
    const right = Math.min(scene.width + 8, Math.max(box.x + box.width - 1, box.x + 2));
    if (right < left) return;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.strokeRect(left - 0.5, box.y - 0.5, right - left + 1, box.height + 1);
  }

  private drawArrows(palette: Palette): void {
    const { context } = this;
    context.strokeStyle = palette.path;
    context.fillStyle = palette.path;
    context.lineWidth = 1.5;
    for (const { x0, y0, x1, y1, isBoth } of bundled(this.arrowsInView())) {
      const bend = Math.min(24, 6 + Math.abs(x1 - x0) / 2);
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      context.stroke();
      this.drawArrowHead(x1, y1);
      if (isBoth) this.drawArrowHead(x0, y0);
    }
  }

  private *arrowsInView(): Iterable<DrawnArrow> {
    const { scene } = this;
    for (const arrow of scene.arrows?.within(scene.view.begin, scene.view.end) ?? []) {
      const from = scene.boxOf(arrow.from);
      const to = scene.boxOf(arrow.to);
      if (!from || !to || from.y === to.y) continue;
      const [y0, y1] = [from.y + from.height / 2, to.y + to.height / 2];
      yield { x0: scene.xOf(arrow.from_ps), y0, x1: scene.xOf(arrow.to_ps), y1, isBoth: false };
    }
  }

  private drawArrowHead(x: number, y: number): void {
    const { context } = this;
    context.beginPath();
    context.moveTo(x + 1, y);
    context.lineTo(x - 5, y - 3);
    context.lineTo(x - 5, y + 3);
    context.fill();
  }

  private drawLabels(palette: Palette): void {
    const { scene, context } = this;
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, scene.labelWidth, scene.height);
    context.save();
    context.beginPath();
    context.rect(0, scene.lanesTop, scene.width, scene.height - scene.lanesTop);
    context.clip();
    for (const track of this.visibleTracks()) this.drawLabel(track, palette);
    this.drawCurrentRank(palette);
    context.restore();
    context.font = this.font;
    context.fillStyle = palette.muted;
    scene.ribbons.forEach((ribbon, i) => context.fillText(ribbon.label, 10, RULER_HEIGHT + i * RIBBON_PITCH + 2 + RIBBON_HEIGHT / 2));
    context.fillStyle = palette.line;
    context.fillRect(scene.labelWidth - 1, 0, 1, scene.height);
  }

  private drawLabel(track: Track, palette: Palette): void {
    const { scene, context } = this;
    const y = scene.lanesTop + track.y - scene.scrollY;
    const isHead = track.sort === "head" || (track.sort === "summary" && track.label !== "");
    // Ranks are told apart by a line over all; lanes by one beside their names.
    context.fillStyle = palette.line;
    if (track.y > 0 && (isHead || track.sort === "lane")) context.fillRect(0, y, isHead ? scene.width : scene.labelWidth, 1);
    context.font = isHead ? this.bold : this.font;
    context.fillStyle = isHead ? palette.ink : palette.muted;
    const middle = track.sort === "head" ? y + track.height / 2 : y + track.top + ROW_HEIGHT / 2;
    if (track.sort === "summary") {
      if (isHead) this.drawTriangle(10, middle, false);
      context.fillText(this.fitter.fit(this.headLabel(track, ""), scene.labelWidth - 80), 24, middle);
      context.font = this.font;
      context.fillStyle = palette.muted;
      context.textAlign = "right";
      if (track.rows.length > 0) context.fillText(track.isDevice ? "device" : "host", scene.labelWidth - 10, middle);
      context.textAlign = "left";
      return;
    }
    if (isHead) this.drawTriangle(10, middle, true);
    if (track.counter) this.drawScale(track.counter, middle + ROW_HEIGHT);
    context.fillText(this.fitter.fit(isHead ? this.headLabel(track) : track.label, scene.labelWidth - (isHead ? 34 : 20)), isHead ? 24 : 10, middle);
  }

  /** What the top of a counter's lane stands for. */
  private drawScale(counter: Counter, y: number): void {
    const { context, scene } = this;
    context.textAlign = "right";
    context.fillText(this.fitter.fit(`to ${counter.text(Math.max(0, counter.entry.most))}`, scene.labelWidth - 20), scene.labelWidth - 10, y);
    context.textAlign = "left";
  }

  /** "rank 3 · 66 % of path": where to look. */
  private headLabel(track: Track, words = " of path"): string {
    const share = track.label === "" ? 0 : 100 * (this.scene.pathShares[track.rankPlace] ?? 0);
    return share < 0.5 ? track.label : `${track.label} · ${Math.round(share)} %${words}`;
  }

  /** See Scene.stickyHead(). */
  private drawCurrentRank(palette: Palette): void {
    const { scene, context } = this;
    const head = scene.stickyHead();
    if (!head) return;
    const { track, y } = head;
    context.fillStyle = palette.panel;
    context.fillRect(0, y, scene.labelWidth - 1, track.height);
    context.fillStyle = palette.ink;
    context.font = this.bold;
    this.drawTriangle(10, y + track.height / 2, true);
    context.fillText(this.fitter.fit(this.headLabel(track), scene.labelWidth - 34), 24, y + track.height / 2);
  }

  private drawTriangle(x: number, y: number, isOpen: boolean): void {
    const { context } = this;
    context.beginPath();
    if (isOpen) {
      context.moveTo(x, y - 2);
      context.lineTo(x + 8, y - 2);
      context.lineTo(x + 4, y + 3);
    } else {
      context.moveTo(x + 1, y - 4);
      context.lineTo(x + 6, y);
      context.lineTo(x + 1, y + 4);
    }
    context.fill();
  }

  private drawRuler(marks: Tick[], palette: Palette): void {
    const { scene, context } = this;
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, scene.width, RULER_HEIGHT - 2);
    context.font = this.font;
    context.textAlign = "left";
    context.fillStyle = palette.muted;
    for (const mark of marks) context.fillText(mark.label, scene.labelWidth + mark.x + 3, RULER_HEIGHT / 2 - 1);
    context.fillStyle = palette.line;
    for (const mark of marks) context.fillRect(Math.floor(scene.labelWidth + mark.x), RULER_HEIGHT - 8, 1, 6);
    // Labels of marks that lie left of the plot do not reach under the names of lanes.
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, scene.labelWidth - 1, RULER_HEIGHT - 2);
  }

  private drawMark(palette: Palette): void {
    const { scene, context } = this;
    if (!scene.mark) return;
    const left = Math.max(scene.labelWidth, scene.xOf(scene.mark.begin));
    const right = Math.min(scene.width, scene.xOf(scene.mark.end));
    if (right < left) return;
    context.save();
    context.fillStyle = palette.accent;
    context.globalAlpha = 0.16;
    context.fillRect(left, RULER_HEIGHT - 2, right - left, scene.height);
    context.globalAlpha = 1;
    context.fillRect(left, 0, 1, scene.height);
    context.fillRect(right - 1, 0, 1, scene.height);
    const text = duration(scene.mark.end - scene.mark.begin);
    context.font = this.bold;
    const width = context.measureText(text).width + 10;
    const x = Math.max(scene.labelWidth, Math.min(scene.width - width, (left + right - width) / 2));
    context.fillRect(x, 2, width, RULER_HEIGHT - 6);
    context.fillStyle = palette.surface;
    context.fillText(text, x + 5, RULER_HEIGHT / 2 - 1);
    context.restore();
  }

  private drawScroll(palette: Palette): void {
    const { scene, context } = this;
    if (scene.mostScroll === 0) return;
    const room = scene.height - scene.lanesTop;
    const length = Math.max(24, (room * room) / (room + scene.mostScroll));
    context.fillStyle = palette.muted;
    context.fillRect(scene.width - 5, scene.lanesTop + ((room - length) * scene.scrollY) / scene.mostScroll, 4, length);
  }
}
