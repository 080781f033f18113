import assert from "node:assert/strict";
import test from "node:test";
import { countersOf } from "../../web/counters";
import { EventStore } from "../../web/events";
import { amount } from "../../web/format";
import type { CounterEntry, LaneEntry, ReportData } from "../../web/report_data";
import { Tracks } from "../../web/tracks";
import { makeColumns } from "./encode";

const counter = (device: number, name: string, count: number, unit = "", least = 0, most = 10): CounterEntry => ({ rank: 0, device, name, unit, count, least, most });
const lane = (name: string, sort: LaneEntry["sort"], device: number): LaneEntry => ({ rank: 0, name, sort, device, stream: 7, count: 1, little: false });

function report(lanes: LaneEntry[], counters: CounterEntry[]): ReportData {
  return {
    version: 1, unit_ps: 1000, weight_unit_ps: 1, origin_ps: 0, step: { begin_ps: 0, end_ps: 100, length_ps: 100, label: "" }, range: { begin_ps: 0, end_ps: 100_000 }, kinds: [],
    ranks: [{ rank: 0, label: "rank 0", events: lanes.length, left_out: 0 }], lanes, graph: null, command: { program: "orrery", operands: [], flags: [] }, sliders: [], counters,
  };
}

const points = [{ name: "ct.time", codec: "delta" as const, values: [0, 10, 20, 5, 15] }, { name: "ct.value", codec: "json" as const, values: [1, 5.5, 3, -2, 10] }];

test("a value holds until the next one", async () => {
  const [power, load] = countersOf(0, await makeColumns(points), report([], [counter(0, "power", 3, "W", 1, 5.5), counter(-1, "load", 2, "", -2, 10)]));
  assert.deepEqual([...power.times], [0, 10_000, 20_000]);
  assert.equal(power.label, "power [W]");
  assert.equal(power.textAt(-1), "");
  assert.equal(power.textAt(9_999), "1 W");
  assert.equal(power.textAt(10_000), "5.5 W");
  assert.equal(power.textAt(90_000), "3 W");
  assert.equal(power.heightOf(0), 0);
  assert.equal(power.heightOf(5.5), 1);
  assert.equal(load.label, "load");
  assert.equal(load.heightOf(-2), 0);
  assert.equal(load.heightOf(10), 1);
});

test("counters stand below what they were measured of", async () => {
  const lanes = [lane("main", "thread", -1), lane("stream 7", "stream", 0), lane("other 7", "stream", 1), lane("Trace", "other", -1)];
  const data = report(lanes, [counter(-1, "load", 1), counter(0, "clock", 1), counter(0, "power", 1), counter(1, "clock", 1), counter(9, "clock", 1)]);
  const store = new EventStore(data, [["op", 0]]);
  const columns = await makeColumns([
    { name: "ev.start", codec: "delta", values: [0, 0, 0, 0] }, { name: "ev.dur", codec: "planes", values: [1, 1, 1, 1] }, { name: "ev.name", codec: "planes", values: [0, 0, 0, 0] },
    { name: "ev.ordinal", codec: "delta", values: [0, 1, 2, 3] }, ...points,
  ]);
  const tracks = new Tracks(store, 1);
  tracks.add(0, store.add(0, columns));
  tracks.layOut();
  assert.deepEqual(tracks.shown.map(t => t.counter ? `${t.counter.entry.device} ${t.label}` : t.label),
    ["main", "-1 load", "stream 7", "0 clock", "0 power", "other 7", "1 clock", "9 clock", "Trace"]);
  assert.ok(tracks.shown[1].height > 0 && tracks.shown[2].y === tracks.shown[1].y + tracks.shown[1].height);
});

test("measured values as people read them", () => {
  assert.equal(amount(1898), "1,898");
  assert.equal(amount(-2), "−2");
  assert.equal(amount(300010000), "300,010,000");
  assert.equal(amount(71.23456), "71.23");
  assert.equal(amount(0), "0");
  assert.equal(amount(1e21), "1.000e+21");
});
