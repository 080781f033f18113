// What the timeline shows at a moment, and where: the state that commands change, the painter draws, and clicks are looked up in.
import type { Arrows } from "./arrows";
import { EventStore, TONE_KINDS } from "./events";
import type { Row } from "./pyramid";
import { eventOf, ROW_HEIGHT, Track, Tracks } from "./tracks";
import type { View } from "./view";

export const RULER_HEIGHT = 22;
export const RIBBON_PITCH = 20;
export const RIBBON_HEIGHT = 15;
/** A click beside an event by at most so many pixels still means it. */
const NEAR = 3;

export interface Ribbon {
  label: string;
  row: Row;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Scene {
  width = 1; // of the canvas, CSS pixels
  height = 1;
  labelWidth = 168;
  scrollY = 0;
  selected = -1;
  hovered = -1;
  /** A measured piece of time. */
  mark: { begin: number; end: number } | null = null;
  ribbons: Ribbon[] = [];
  arrows: Arrows | null = null;
  /** Of the critical path, by place in ReportData.ranks; empty: not known, or one rank alone. */
  pathShares: number[] = [];

  constructor(readonly store: EventStore, readonly tracks: Tracks, readonly view: View) {}

  get plotWidth(): number {
    return Math.max(1, this.width - this.labelWidth);
  }

  get lanesTop(): number {
    return RULER_HEIGHT + this.ribbons.length * RIBBON_PITCH + 4;
  }

  /** As high as everything in it. */
  get wholeHeight(): number {
    return this.lanesTop + this.tracks.height + 6;
  }

  get mostScroll(): number {
    return Math.max(0, this.wholeHeight - this.height);
  }

  scrollTo(y: number): void {
    this.scrollY = Math.max(0, Math.min(this.mostScroll, Math.round(y)));
  }

  xOf(time: number): number {
    return this.labelWidth + ((time - this.view.begin) / this.view.span) * this.plotWidth;
  }

  timeAt(x: number): number {
    return this.view.begin + ((x - this.labelWidth) / this.plotWidth) * this.view.span;
  }

  rowTop(track: Track, row: number): number {
    return this.lanesTop + track.y - this.scrollY + track.top + row * ROW_HEIGHT;
  }

  /** Where an event is drawn, not cut to what is visible; null: it is not. */
  boxOf(id: number): Box | null {
    const facts = this.store.facts(id);
    const spot = this.tracks.spot(id);
    if (!facts || !spot) return null;
    const x = this.xOf(facts.start_ps);
    const width = (facts.dur_ps / this.view.span) * this.plotWidth;
    return { x, y: this.rowTop(spot.track, spot.row), width, height: ROW_HEIGHT - 1 };
  }

  trackAt(y: number): Track | null {
    if (y < this.lanesTop) return null;
    const index = this.tracks.indexAt(y - this.lanesTop + this.scrollY);
    return index < 0 ? null : this.tracks.shown[index];
  }

  /** The head of the open rank at the top, where it has been scrolled away: its name stays above its lanes as far as they reach. */
  stickyHead(): { track: Track; y: number } | null {
    const { shown } = this.tracks;
    const first = Math.max(0, this.tracks.indexAt(this.scrollY));
    let head = first;
    while (head >= 0 && shown[head]?.sort === "lane") head--;
    if (head === first || shown[head]?.sort !== "head") return null;
    let next = first;
    while (next < shown.length && shown[next].sort === "lane") next++;
    const track = shown[head];
    const room = next < shown.length ? shown[next].y - this.scrollY : track.height;
    return { track, y: this.lanesTop + Math.min(0, room - track.height) };
  }

  /** Place of the rank that a click here opens or closes; -1: none. */
  rankToggledAt(x: number, y: number): number {
    const track = this.trackAt(y);
    if (!track) return -1;
    if (track.sort === "head") return track.rankPlace;
    if (x >= this.labelWidth) return -1;
    if (track.sort === "summary") return track.rankPlace;
    const head = this.stickyHead();
    return head && y < head.y + head.track.height ? head.track.rankPlace : -1;
  }

  /** The event at a place of the canvas; -1: none. */
  eventAt(x: number, y: number): number {
    if (x < this.labelWidth) return -1;
    const row = this.rowAt(y);
    return row ? this.eventInRow(row, this.timeAt(x)) : -1;
  }

  /** The piece of a path at a place of its ribbon; null: none. */
  pieceAt(x: number, y: number): { kind: number; ps: number } | null {
    const row = y < this.lanesTop && x >= this.labelWidth ? this.rowAt(y) : null;
    const place = row ? row.startedBy(this.timeAt(x)) - 1 : -1;
    if (!row || place < 0 || row.end(place) < this.timeAt(x)) return null;
    return { kind: row.leaves.tone[row.leaf(place)] % TONE_KINDS, ps: row.end(place) - row.begin(place) };
  }

  private rowAt(y: number): Row | null {
    if (y < this.lanesTop) return this.ribbons[Math.floor((y - RULER_HEIGHT) / RIBBON_PITCH)]?.row ?? null;
    const track = this.trackAt(y);
    return track?.rows[Math.floor((y - this.rowTop(track, 0)) / ROW_HEIGHT)] ?? null;
  }

  private eventInRow(row: Row, time: number): number {
    const near = (NEAR / this.plotWidth) * this.view.span;
    const place = row.startedBy(time) - 1;
    if (place >= 0 && row.end(place) >= time) return eventOf(row, row.leaf(place));
    const left = place >= 0 ? time - row.end(place) : Infinity;
    const right = place + 1 < row.count ? row.begin(place + 1) - time : Infinity;
    if (Math.min(left, right) > near) return -1;
    return eventOf(row, row.leaf(left <= right ? place : place + 1));
  }
}
