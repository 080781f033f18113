import assert from "node:assert/strict";
import test from "node:test";
import { Arrows } from "../../web/arrows";
import { EventStore } from "../../web/events";
import { neighbour } from "../../web/neighbours";
import { PathWalk } from "../../web/path_walk";
import type { LaneEntry, ReportData } from "../../web/report_data";
import { Scene } from "../../web/scene";
import { Tracks } from "../../web/tracks";
import { View } from "../../web/view";
import { makeColumns } from "./encode";

const ANNOTATION = 1;
const lane = (rank: number, name: string, sort: "thread" | "stream" | "other", count: number, little = false): LaneEntry =>
  ({ rank, name, sort, device: 0, stream: sort === "stream" ? Number(name.slice(7)) : -1, count, little });

/** Every rank: a thread (an annotation that holds two operators, the first of which holds one), stream 7, streams 8 and 9 with little, a lane of bookkeeping. */
async function job(ranks: number): Promise<{ store: EventStore; tracks: Tracks; scene: Scene }> {
  const lanes: LaneEntry[] = [];
  for (let r = 0; r < ranks; r++) {
    lanes.push(lane(r, "thread 1", "thread", 4), lane(r, "stream 7", "stream", 1), lane(r, "stream 8", "stream", 1, true), lane(r, "stream 9", "stream", 1, true), lane(r, "Trace", "other", 1));
  }
  const data: ReportData = {
    version: 1, unit_ps: 1, weight_unit_ps: 1, origin_ps: 0, step: { begin_ps: 0, end_ps: 100, length_ps: 100, label: "" }, range: { begin_ps: 0, end_ps: 1000 }, kinds: [],
    ranks: Array.from({ length: ranks }, (_, rank) => ({ rank, label: `rank ${rank}`, events: 8, left_out: 0 })), lanes, graph: null,
    command: { program: "orrery", operands: [], flags: [] }, sliders: [], counters: [],
  };
  const store = new EventStore(data, [["op", 0], ["step", ANNOTATION]]);
  const tracks = new Tracks(store, ANNOTATION);
  for (let r = 0; r < ranks; r++) {
    const columns = await makeColumns([
      { name: "ev.start", codec: "delta", values: [0, 10, 15, 50, 20, 5, 6, 0] }, { name: "ev.dur", codec: "planes", values: [90, 30, 5, 10, 40, 3, 30, 999] },
      { name: "ev.name", codec: "planes", values: [1, 0, 0, 0, 0, 0, 0, 1] }, { name: "ev.ordinal", codec: "delta", values: [0, 1, 2, 3, 4, 5, 6, 7] },
    ]);
    tracks.add(r, store.add(r, columns));
  }
  tracks.layOut();
  const scene = new Scene(store, tracks, new View(data.range));
  scene.width = 1168;
  scene.height = 400;
  scene.view.set(0, 100_000);
  return { store, tracks, scene };
}

test("one rank: its lanes, streams with little work together, bookkeeping last", async () => {
  const { tracks } = await job(1);
  assert.deepEqual(tracks.shown.map(t => t.label), ["thread 1", "stream 7", "streams 8, 9", "Trace"]);
  assert.deepEqual(tracks.shown.map(t => t.rows.length), [3, 1, 2, 1]);
  assert.equal(tracks.indexAt(tracks.shown[2].y), 2);
  assert.equal(tracks.indexAt(tracks.height), -1);
});

test("ranks beyond four are closed to a host row and a device row until they are opened", async () => {
  const { tracks } = await job(6);
  const of = (rank: number): string[] => tracks.shown.filter(t => t.rankPlace === rank).map(t => t.sort);
  assert.deepEqual(of(3), ["head", "lane", "lane", "lane", "lane"]);
  assert.deepEqual(of(4), ["summary", "summary"]);
  tracks.setOpen(4, true);
  assert.equal(of(4).length, 5);
  tracks.setOpen(0, false);
  assert.deepEqual(of(0), ["summary", "summary"]);
});

test("a closed rank shows its outermost work, without annotations and without overlap", async () => {
  const { tracks, store } = await job(6);
  const [host, device] = tracks.shown.filter(t => t.rankPlace === 5).map(t => t.rows[0]);
  assert.deepEqual([...Array(host.count).keys()].map(k => [host.begin(k), host.end(k)]), [[10, 40], [50, 60]]);
  // 5 to 8 on stream 8, 6 to 36 on stream 9, 20 to 60 on stream 7
  assert.deepEqual([...Array(device.count).keys()].map(k => [device.begin(k), device.end(k)]), [[5, 8], [8, 36], [36, 60]]);
  const facts = store.facts(5 * 8 + 4);
  assert.equal(facts?.lane.name, "stream 7");
});

test("a click finds what is drawn there", async () => {
  const { scene } = await job(1);
  scene.view.set(0, 10_000); // one pixel is ten
  for (const id of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const box = scene.boxOf(id);
    assert.ok(box);
    const facts = scene.store.facts(id);
    assert.equal(scene.store.facts(scene.eventAt(scene.xOf((facts?.start_ps ?? 0) + 1), box.y + 3))?.id, id);
  }
  assert.equal(scene.eventAt(10, 60), -1);
});

test("neighbours: beside in the row, above what encloses, below what is inside, then other lanes", async () => {
  const { scene } = await job(1);
  assert.equal(neighbour(scene, 1, "right"), 3);
  assert.equal(neighbour(scene, 3, "left"), 1);
  assert.equal(neighbour(scene, 3, "right"), -1);
  assert.equal(neighbour(scene, 2, "up"), 1);
  assert.equal(neighbour(scene, 1, "up"), 0);
  assert.equal(neighbour(scene, 1, "down"), 2);
  assert.equal(neighbour(scene, 2, "down"), 4);
  assert.equal(neighbour(scene, 4, "up"), 0);
});

const path = {
  begin: Float64Array.of(0, 10, 20, 30, 40, 50), end: Float64Array.of(10, 20, 30, 40, 50, 60), kind: new Uint8Array(6), event: Int32Array.of(3, 4, 3, -1, 9, 9),
  lane: Int32Array.of(0, 0, 0, -1, 2, 2),
};

test("the walk along the path goes from event to event, back to a parent too, over delays", () => {
  const walk = new PathWalk(path);
  walk.standAt(-1, 0);
  const seen: number[] = [];
  for (let i = 0; i < 5; i++) {
    const next = walk.step(1);
    seen.push(next);
    if (next >= 0) walk.standAt(next, 0);
  }
  assert.deepEqual(seen, [3, 4, 3, 9, -1]);
  assert.equal(walk.step(-1), 3);
  walk.standAt(77, 15); // not on the path: from its time on
  assert.equal(walk.step(1), 3);
});

test("arrows stand where the path changes lanes, whatever lies between", () => {
  const arrows = new Arrows(path);
  assert.deepEqual(arrows.within(0, 100), [{ from_ps: 30, to_ps: 40, from: 3, to: 9 }]);
  assert.deepEqual(arrows.within(41, 100), []);
  assert.deepEqual(arrows.within(0, 29), []);
});
