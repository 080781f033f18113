// The event beside, above or below another one, as it is drawn.
import type { Row } from "./pyramid";
import type { Scene } from "./scene";
import { eventOf, Spot } from "./tracks";

export type Direction = "left" | "right" | "up" | "down";

/** -1: there is none. */
export function neighbour(scene: Scene, id: number, direction: Direction): number {
  const spot = scene.tracks.spot(id);
  const facts = scene.store.facts(id);
  if (!spot || !facts) return -1;
  const { start_ps, dur_ps } = facts;
  if (direction === "left" || direction === "right") return beside(spot.track.rows[spot.row], id, start_ps, direction === "left" ? -1 : 1);
  return direction === "up" ? above(scene, spot, start_ps) : below(scene, spot, start_ps, start_ps + dur_ps);
}

function beside(row: Row, id: number, start: number, step: number): number {
  let place = row.startedBy(start) - 1;
  // Instants may share a moment.
  while (place > 0 && eventOf(row, row.leaf(place)) !== id && row.begin(place - 1) === start) place--;
  const next = place + step;
  return next >= 0 && next < row.count ? eventOf(row, row.leaf(next)) : -1;
}

function above(scene: Scene, spot: Spot, start: number): number {
  for (let r = spot.row - 1; r >= 0; r--) {
    const row = spot.track.rows[r];
    const place = row.startedBy(start) - 1;
    if (place >= 0 && row.end(place) >= start) return eventOf(row, row.leaf(place));
  }
  return inOtherTrack(scene, spot, start, -1);
}

function below(scene: Scene, spot: Spot, start: number, end: number): number {
  for (let r = spot.row + 1; r < spot.track.rows.length; r++) {
    const row = spot.track.rows[r];
    let place = row.startedBy(start);
    if (place > 0 && row.end(place - 1) > start) place--;
    if (place < row.count && row.begin(place) < end) return eventOf(row, row.leaf(place));
  }
  return inOtherTrack(scene, spot, start, 1);
}

function inOtherTrack(scene: Scene, spot: Spot, time: number, step: number): number {
  const { shown } = scene.tracks;
  for (let i = shown.indexOf(spot.track) + step; i >= 0 && i < shown.length; i += step) {
    const row = shown[i].rows[0];
    if (row && row.count > 0) return eventOf(row, row.leaf(nearest(row, time)));
  }
  return -1;
}

function nearest(row: Row, time: number): number {
  const before = row.startedBy(time) - 1;
  if (before < 0) return 0;
  if (before + 1 >= row.count) return before;
  return time - row.end(before) <= row.begin(before + 1) - time ? before : before + 1;
}
