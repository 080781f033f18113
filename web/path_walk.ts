// Along the critical path, event by event.
import type { PathPieces } from "./causes";

export class PathWalk {
  private at = -1; // piece that the walk stands on; -1: it has not begun

  constructor(private readonly path: PathPieces) {}

  /** The walk goes on from where this event is on the path, or from the first piece behind `time`. */
  standAt(event: number, time: number): void {
    if (this.at >= 0 && this.path.event[this.at] === event) return;
    this.at = this.path.event.indexOf(event);
    if (event >= 0 && this.at >= 0) return;
    this.at = this.firstFrom(time) - 0.5; // between two pieces
  }

  /** The event of the next or previous piece that belongs to another one; -1: the path ends here. */
  step(direction: 1 | -1): number {
    const here = Number.isInteger(this.at) ? this.path.event[this.at] : -1;
    for (let i = direction > 0 ? Math.floor(this.at) + 1 : Math.ceil(this.at) - 1; i >= 0 && i < this.path.event.length; i += direction) {
      const event = this.path.event[i];
      if (event < 0 || event === here) continue;
      this.at = i;
      return event;
    }
    return -1;
  }

  private firstFrom(time: number): number {
    let low = 0;
    let high = this.path.begin.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.path.begin[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
