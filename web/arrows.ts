// Where the critical path goes from one lane to another: the only places where arrows are drawn.
import type { PathPieces } from "./causes";

/** In one picture. More of them would hide what they point at. */
const MOST = 80;

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

  /** Those that touch the view; none if they are too many to be told apart. */
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
