// Events by name, or one by its number (#123): names are matched once, then events are counted by the number of their name. No list of matches is kept: the next one is found by
// one pass over the columns, in order of start and id.
import type { EventStore } from "./events";

export class Search {
  /** Of the events that are decoded. */
  count = 0;
  text = "";
  private matching = new Uint8Array(0); // by name
  private only = -1; // the event that was asked for by its number

  constructor(private readonly store: EventStore) {}

  get isOn(): boolean {
    return this.text !== "";
  }

  /** Names that contain the text, whatever its case. Returns the number of events. */
  set(text: string): number {
    this.text = text;
    this.count = 0;
    const { names } = this.store;
    this.matching = new Uint8Array(names.length);
    const number = /^#(\d+)$/.exec(text.trim());
    this.only = number ? this.store.numbers.event(Number(number[1])) : -1;
    if (this.only >= 0) this.count = 1;
    // A name may begin with #, too.
    if (text === "" || this.only >= 0) return this.count;
    const low = text.toLowerCase();
    for (let i = 0; i < names.length; i++) this.matching[i] = names[i].toLowerCase().includes(low) ? 1 : 0;
    for (const rank of this.store.ranks) {
      if (!rank) continue;
      const { name } = rank;
      for (let i = 0; i < name.length; i++) this.count += this.matching[name[i]];
    }
    return this.count;
  }

  /** The match after or before an event, or after a moment, around the ends; -1: there is none. `place` counts it from 1. */
  next(from: { id: number; time: number }, direction: 1 | -1): { id: number; place: number } {
    let best = -1;
    let bestTime = 0;
    let first = -1; // where the search goes on from the other end
    let firstTime = 0;
    const isBefore = (t: number, id: number, u: number, other: number): boolean => (t - u || id - other) * direction < 0;
    this.each((time, id) => {
      if (isBefore(from.time, from.id, time, id) && (best < 0 || isBefore(time, id, bestTime, best))) {
        best = id;
        bestTime = time;
      }
      if (first < 0 || isBefore(time, id, firstTime, first)) {
        first = id;
        firstTime = time;
      }
    });
    if (best < 0) {
      best = first;
      bestTime = firstTime;
    }
    let place = best < 0 ? 0 : 1;
    this.each((time, id) => {
      if (time < bestTime || (time === bestTime && id < best)) place++;
    });
    return { id: best, place };
  }

  /** One flag per piece of the range that a match begins in. */
  flags(begin: number, end: number, pieces: number): Uint8Array {
    const out = new Uint8Array(pieces);
    const scale = pieces / Math.max(1, end - begin);
    this.each(time => {
      out[Math.min(pieces - 1, Math.max(0, Math.floor((time - begin) * scale)))] = 1;
    });
    return out;
  }

  private each(visit: (time: number, id: number) => void): void {
    const only = this.only >= 0 ? this.store.facts(this.only) : null;
    if (only) visit(only.start_ps, only.id);
    for (const rank of this.store.ranks) {
      if (!rank || only) continue;
      for (let i = 0; i < rank.count; i++) if (this.matching[rank.name[i]]) visit(rank.start[i], rank.firstId + i);
    }
  }
}
