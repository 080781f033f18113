// The whole trace in a strip: how many lanes of the host and of devices are busy, which part is the step, which part is shown. What stands still is
// drawn once.
import type { Palette } from "./colours";
import { RankEvents, TONE_KINDS } from "./events";
import type { View } from "./view";

const BINS = 2048;

/** Busy time of lanes, in bins over the range of the trace. */
export class Busy {
  readonly bins = new Float64Array(BINS);
  isUsed = false;
  private readonly whole = new Float64Array(BINS + 1); // bins that are covered whole: +1 where they begin, -1 behind their end

  constructor(private readonly begin: number, private readonly perBin: number) {}

  add(from: number, to: number): void {
    const x0 = Math.max(0, (from - this.begin) / this.perBin);
    const x1 = Math.min(BINS, (to - this.begin) / this.perBin);
    if (!(x1 > x0)) return;
    this.isUsed = true;
    const first = Math.floor(x0);
    const last = Math.min(BINS - 1, Math.floor(x1));
    if (first === last) {
      this.bins[first] += x1 - x0;
      return;
    }
    this.bins[first] += first + 1 - x0;
    this.bins[last] += x1 - last;
    this.whole[first + 1]++;
    this.whole[last]--;
  }

  /** Busy lanes per bin; a share of the most busy bin. */
  heights(): Float64Array {
    const out = Float64Array.from(this.bins);
    let open = 0;
    let most = 0;
    for (let i = 0; i < BINS; i++) {
      open += this.whole[i];
      out[i] += open;
      most = Math.max(most, out[i]);
    }
    return most > 0 ? out.map(v => v / most) : out;
  }
}

export class Minimap {
  private readonly host: Busy;
  private readonly device: Busy;
  private matches: Uint8Array | null = null;
  private still: HTMLCanvasElement | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly range: { begin_ps: number; end_ps: number },
              private readonly step: { begin_ps: number; end_ps: number }, private readonly annotation: number) {
    const perBin = Math.max(1, range.end_ps - range.begin_ps) / BINS;
    this.host = new Busy(range.begin_ps, perBin);
    this.device = new Busy(range.begin_ps, perBin);
  }

  add(events: RankEvents): void {
    for (const lane of events.lanes) {
      if (lane.sort === "other") continue;
      const busy = lane.sort === "thread" ? this.host : this.device;
      let covered = -Infinity;
      for (let i = lane.first; i < lane.first + lane.count; i++) {
        const end = events.end(i);
        if (end <= covered || (events.tone[i] % TONE_KINDS) === this.annotation) continue;
        busy.add(Math.max(events.start[i], covered), end);
        covered = end;
      }
    }
    this.still = null;
  }

  /** Marks where searched events are: one flag per bin; null: none. */
  setMatches(matches: Uint8Array | null): void {
    this.matches = matches;
    this.still = null;
  }

  static readonly bins = BINS;

  forget(): void {
    this.still = null;
  }

  timeAt(x: number): number {
    return this.range.begin_ps + (x / Math.max(1, this.canvas.clientWidth)) * (this.range.end_ps - this.range.begin_ps);
  }

  draw(view: View, palette: Palette): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.still = null;
    }
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) return;
    this.still ??= this.drawStill(width, height, ratio, palette);
    context.drawImage(this.still, 0, 0);
    const x = (time: number): number => ((time - this.range.begin_ps) / Math.max(1, this.range.end_ps - this.range.begin_ps)) * width;
    const left = Math.max(0, Math.min(width - 4, x(view.begin)));
    const right = Math.min(width, Math.max(left + 4, x(view.end)));
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5 * ratio;
    // Below the line of the step, which stays in sight.
    context.strokeRect(left + 1, 3.5 * ratio, right - left - 2, height - 4.5 * ratio);
  }

  private drawStill(width: number, height: number, ratio: number, palette: Palette): HTMLCanvasElement {
    const still = document.createElement("canvas");
    still.width = width;
    still.height = height;
    const context = still.getContext("2d", { alpha: false });
    if (!context) return still;
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width, height);
    // Half of the height each, or all of it where there is only one of them.
    const bands = [{ busy: this.host, colour: palette.host }, { busy: this.device, colour: palette.device }].filter(b => b.busy.isUsed);
    const band = (height - (4 + 2 * bands.length) * ratio) / Math.max(1, bands.length);
    bands.forEach(({ busy, colour }, i) => this.drawBand(context, busy.heights(), colour, (4 + 2 * i) * ratio + (i + 1) * band, band, width));
    const span = Math.max(1, this.range.end_ps - this.range.begin_ps);
    context.fillStyle = palette.path;
    const { begin_ps, end_ps } = this.step;
    context.fillRect(((begin_ps - this.range.begin_ps) / span) * width, 0, ((end_ps - begin_ps) / span) * width, 2 * ratio);
    context.fillStyle = palette.ink;
    this.matches?.forEach((is, bin) => {
      if (is) context.fillRect((bin / BINS) * width, height / 2 - 1 * ratio, Math.max(1.5 * ratio, width / BINS), 5 * ratio);
    });
    return still;
  }

  private drawBand(context: CanvasRenderingContext2D, heights: Float64Array, colour: string, bottom: number, height: number, width: number): void {
    context.fillStyle = colour;
    for (let x = 0; x < width; x++) {
      // The mean over the bins of this pixel, so that a wide trace keeps its proportions.
      const from = Math.floor((x / width) * BINS);
      const to = Math.max(from + 1, Math.floor(((x + 1) / width) * BINS));
      let sum = 0;
      for (let i = from; i < to; i++) sum += heights[i];
      const part = (sum / (to - from)) * height;
      if (part > 0) context.fillRect(x, bottom - Math.max(0.5, part), 1, Math.max(0.5, part));
    }
  }
}
