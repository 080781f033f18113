// Rows into pixels: one line of a row is gathered, coloured and copied down, and the whole picture goes to the canvas at once.
import { FADES, Palette } from "./colours";
import type { Row, RowVisitor } from "./pyramid";

/** From this width on, events are kept apart by a pixel of background. */
const GAP_FROM = 3;
/** Instants, and events far below a pixel, count for this much of it. */
const LEAST_COVER = 0.06;

/** An event that is wide enough for its name. */
export interface Wide {
  x0: number;
  x1: number;
  leaf: number;
}

/** Gathers one row: how much of each pixel is covered, and by what. */
export class LineGatherer implements RowVisitor {
  wides: Wide[] = [];
  keepGap = true;
  private cover = new Float32Array(0);
  private best = new Float32Array(0);
  private tone = new Uint8Array(0);
  private tones: Uint8Array = this.tone;
  private textFrom = Infinity;

  reset(width: number, tones: Uint8Array, textFrom: number): void {
    if (this.cover.length !== width) {
      this.cover = new Float32Array(width);
      this.best = new Float32Array(width);
      this.tone = new Uint8Array(width);
    } else {
      this.cover.fill(0);
      this.best.fill(0);
    }
    this.tones = tones;
    this.textFrom = textFrom;
    this.wides = [];
  }

  dot(x: number, cover: number, leaf: number): void {
    this.add(Math.floor(x), Math.max(LEAST_COVER, cover), this.tones[leaf]);
  }

  wide(x0: number, x1: number, leaf: number): void {
    const width = this.cover.length;
    const tone = this.tones[leaf];
    if (x1 - x0 >= this.textFrom) this.wides.push({ x0, x1, leaf });
    if (this.keepGap && x1 - x0 >= GAP_FROM) x1 -= 1;
    const from = Math.max(0, x0);
    const to = Math.min(width, x1);
    const first = Math.floor(from);
    const last = Math.floor(to);
    if (first === last) {
      this.add(first, to - from, tone);
      return;
    }
    this.add(first, first + 1 - from, tone);
    for (let x = first + 1; x < last; x++) {
      this.cover[x] = 1;
      this.best[x] = 1;
      this.tone[x] = tone;
    }
    if (to > last) this.add(last, to - last, tone);
  }

  /** Colours where something is; the rest of the line stays as it is. */
  colour(line: Uint32Array, palette: Palette): void {
    const { cover, tone } = this;
    const { words } = palette;
    for (let x = 0; x < cover.length; x++) {
      if (cover[x] === 0) continue;
      const fade = cover[x] >= 1 ? FADES - 1 : Math.floor(cover[x] * FADES);
      line[x] = words[tone[x] * FADES + fade];
    }
  }

  private add(x: number, cover: number, tone: number): void {
    if (x < 0 || x >= this.cover.length) return;
    this.cover[x] += cover;
    if (cover > this.best[x]) {
      this.best[x] = cover;
      this.tone[x] = tone;
    }
  }
}

/** The picture of the plot: width * height words. */
export class Raster {
  readonly image: ImageData;
  private readonly pixels: Uint32Array;
  private readonly base: Uint32Array;
  private readonly line: Uint32Array;
  readonly gatherer = new LineGatherer();
  /** Rows are cut off above this line. */
  clipTop = 0;

  constructor(readonly width: number, readonly height: number, create: (width: number, height: number) => ImageData) {
    this.image = create(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.base = new Uint32Array(width);
    this.line = new Uint32Array(width);
  }

  /** Background with lines of the ruler at `ticks`. */
  clear(palette: Palette, ticks: number[]): void {
    this.base.fill(palette.background);
    for (const x of ticks) if (x >= 0 && x < this.width) this.base[Math.floor(x)] = palette.grid;
    this.pixels.set(this.base);
    for (let filled = this.width; filled < this.pixels.length; filled *= 2) {
      this.pixels.copyWithin(filled, 0, Math.min(filled, this.pixels.length - filled));
    }
  }

  /** Draws a row from line y0 to below y1, as far as those are in the picture. Returns its events of at least `textFrom` pixels. */
  drawRow(row: Row, y0: number, y1: number, view: { begin: number; end: number; span: number }, palette: Palette, textFrom: number): Wide[] {
    const top = Math.max(this.clipTop, y0);
    const bottom = Math.min(this.height, y1);
    if (top >= bottom) return [];
    this.gatherer.reset(this.width, row.leaves.tone, textFrom);
    row.visit(view.begin, view.end, this.width / view.span, this.gatherer);
    this.line.set(this.base);
    this.gatherer.colour(this.line, palette);
    for (let y = top; y < bottom; y++) this.pixels.set(this.line, y * this.width);
    return this.gatherer.wides;
  }
}
