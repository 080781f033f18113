// The piece of time that is shown, in whole picoseconds of the page.

/** Nothing shorter is shown: 10 ns over a screen. */
const LEAST_SPAN = 10_000;
/** So much of the range may be shown beyond its ends. */
const MARGIN = 0.02;

export class View {
  begin: number;
  end: number;

  constructor(readonly range: { begin_ps: number; end_ps: number }) {
    this.begin = range.begin_ps;
    this.end = range.end_ps;
    this.showAll();
  }

  get span(): number {
    return this.end - this.begin;
  }

  showAll(): void {
    const margin = Math.max(LEAST_SPAN, (this.range.end_ps - this.range.begin_ps) * (MARGIN / 4));
    this.set(this.range.begin_ps - margin, this.range.end_ps + margin);
  }

  /** A piece with a little of its surroundings. */
  showAround(begin: number, end: number, part = 0.02): void {
    const margin = (end - begin) * part;
    this.set(begin - margin, end + margin);
  }

  set(begin: number, end: number): void {
    const { begin_ps, end_ps } = this.range;
    const margin = Math.max(LEAST_SPAN, (end_ps - begin_ps) * MARGIN);
    const least = Math.floor(begin_ps - margin);
    const most = Math.ceil(end_ps + margin);
    if (!(end > begin)) end = begin;
    const middle = (begin + end) / 2;
    const span = Math.round(Math.min(most - least, Math.max(LEAST_SPAN, end - begin)));
    const from = span === Math.round(end - begin) ? begin : middle - span / 2;
    this.begin = Math.round(Math.min(most - span, Math.max(least, from)));
    this.end = this.begin + span;
  }

  /** factor < 1 zooms in; `at` keeps its place. */
  zoom(factor: number, at: number): void {
    const span = Math.max(LEAST_SPAN, this.span * factor);
    const part = (at - this.begin) / this.span;
    const begin = at - part * span;
    this.set(begin, begin + span);
  }

  pan(part: number): void {
    this.set(this.begin + part * this.span, this.end + part * this.span);
  }
}
