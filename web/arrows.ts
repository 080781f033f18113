// Where the critical path goes from one lane to another: the only places where arrows are drawn.
import type { PathPieces } from "./causes";

/** Looked at for one picture; with more the view is so wide that few would have a place of their own. */
const MOST = 1500;
/** Drawn in one picture. More of them would hide what they point at. */
const MOST_DRAWN = 80;
/** Pixels between two arrows of the same rows. Nearer ones are one arrow. */
const APART = 10;

export interface Arrow {
  from_ps: number;
  to_ps: number;
  from: number; // event ids
  to: number;
}

export class Arrows {
  private readonly arrows: Arrow[] = [];

  constructor(path: PathPieces) {
    let before = -1; // the last piece that is on a lane and belongs to an event
    for (let i = 0; i < path.begin.length; i++) {
      if (path.lane[i] < 0 || path.event[i] < 0) continue;
      if (before >= 0 && path.lane[before] !== path.lane[i]) {
        this.arrows.push({ from_ps: path.end[before], to_ps: path.begin[i], from: path.event[before], to: path.event[i] });
      }
      before = i;
    }
  }

  /** Those that touch the view; none if they are too many to be looked at. */
  within(begin: number, end: number): Arrow[] {
    const out: Arrow[] = [];
    for (let i = this.firstEndingAfter(begin); i < this.arrows.length && this.arrows[i].from_ps <= end; i++) {
      if (out.push(this.arrows[i]) > MOST) return [];
    }
    return out;
  }

  private firstEndingAfter(time: number): number {
    let low = 0;
    let high = this.arrows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.arrows[middle].to_ps < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** An arrow in pixels, from one row to another. */
export interface DrawnArrow {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** It stands for some that go the other way, too. */
  isBoth: boolean;
}

/** Arrows, by time, as they can be told apart: those between the same two rows that would lie on one another become one, and so do there and back. None if
    too many are left. */
export function bundled(arrows: Iterable<DrawnArrow>): DrawnArrow[] {
  const out: DrawnArrow[] = [];
  const lastOfRows = new Map<string, DrawnArrow>();
  for (const arrow of arrows) {
    const rows = `${Math.min(arrow.y0, arrow.y1)} ${Math.max(arrow.y0, arrow.y1)}`;
    const last = lastOfRows.get(rows);
    if (last && Math.abs(arrow.x1 - last.x1) < APART && Math.abs(arrow.x0 - last.x0) < APART) {
      if (arrow.y1 !== last.y1) last.isBoth = true;
      continue;
    }
    const kept = { ...arrow };
    lastOfRows.set(rows, kept);
    if (out.push(kept) > MOST_DRAWN) return [];
  }
  return out;
}
