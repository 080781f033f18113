import assert from "node:assert/strict";
import test from "node:test";
import { RankArguments, readCommon } from "../../web/arguments";
import { EventStore } from "../../web/events";
import type { ReportData } from "../../web/report_data";
import { Search } from "../../web/search";
import { makeColumns } from "./encode";

/** One rank, six events, of which the first names are kernels with a grid and an identity that counts on. */
async function store(row: number[] | null): Promise<EventStore> {
  const data: ReportData = {
    version: 1, unit_ps: 1, weight_unit_ps: 1, origin_ps: 0, step: { begin_ps: 0, end_ps: 1, length_ps: 1, label: "" }, range: { begin_ps: 0, end_ps: 100 },
    kinds: [], ranks: [{ rank: 0, label: "rank 0", events: 4, left_out: row ? 5 : 0 }, { rank: 1, label: "rank 1", events: 6, left_out: 0 }],
    lanes: [{ rank: 0, name: "main", sort: "thread", device: -1, stream: -1, count: 4, little: false },
            { rank: 1, name: "main", sort: "thread", device: -1, stream: -1, count: 6, little: false }],
    graph: null, command: { program: "orrery", operands: [], flags: [] }, sliders: [], counters: [],
  };
  const made = new EventStore(data, [["gemm", 0], ["copy", 1]]);
  const rank = (name: number[], ordinal: number[], rows: number[] | null) =>
    makeColumns([{ name: "ev.start", codec: "delta", values: name.map((_, i) => 10 * i) }, { name: "ev.dur", codec: "planes", values: name.map(() => 5) },
                 { name: "ev.name", codec: "planes", values: name }, { name: "ev.ordinal", codec: "delta", values: ordinal },
                 ...(rows ? [{ name: "ev.row", codec: "delta" as const, values: rows }] : [])]);
  made.add(0, await rank([0, 1, 0, 1], [30, 4, 8, 2], row));
  made.add(1, await rank([0, 1, 0, 1, 0, 0], [5, 6, 7, 8, 9, 4], null));
  return made;
}

test("arguments: what a set says, and what columns hold for those before", async () => {
  const events = (await store(null)).ranks[1]!;
  const common = readCommon(await makeColumns([
    { name: "ar.keys", codec: "json", values: [["correlation", "number"], ["grid", "set"], ["bandwidth", "text"]] },
    { name: "ar.sets", codec: "json", values: [[0, null, 1, "[8, 1, 1]"], [0, null, 2, null], [], [0, null, 1, "[9, 1, 1]"]] },
    { name: "ar.names", codec: "json", values: [[0, 3], [1, 2]] },
    { name: "ar.texts", codec: "json", values: ["", "2.5", "0.125"] },
  ]));
  const rank = new RankArguments(common, events, await makeColumns([
    { name: "ar.set", codec: "planes", values: [0, 0, 1, 1, 0, 0] },
    { name: "ar.0", codec: "delta", values: [40, 39, 42, -7, 44] },
    { name: "ar.2", codec: "planes", values: [2] },
  ]));
  const said = (event: number): string => rank.of(event).map(({ key, value }) => `${key}=${value}`).join(" ");
  assert.equal(said(0), "correlation=40 grid=[8, 1, 1]");
  assert.equal(said(1), "correlation=39 bandwidth=0.125");
  assert.equal(said(2), "correlation=42 grid=[9, 1, 1]");
  assert.equal(said(3), "");
  assert.equal(said(4), "correlation=-7 grid=[8, 1, 1]");
  assert.equal(said(5), "correlation=44 grid=[8, 1, 1]");
});

test("events are numbered as the files have them, lowest rank first", async () => {
  const { numbers } = await store(null);
  assert.deepEqual([0, 1, 2, 3].map(id => numbers.ofEvent(id)), [3, 1, 2, 0]);
  assert.deepEqual([4, 5, 6, 7, 8, 9].map(id => numbers.ofEvent(id)), [5, 6, 7, 8, 9, 4]);
  for (let id = 0; id < 10; id++) assert.equal(numbers.event(numbers.ofEvent(id)), id);
  assert.equal(numbers.event(10), -1);
  assert.equal(numbers.ofEvent(-1), -1);
});

test("events that were left out keep their numbers to themselves", async () => {
  const { numbers } = await store([8, 1, 5, 0]);
  assert.deepEqual([0, 1, 2, 3, 4].map(id => numbers.ofEvent(id)), [8, 1, 5, 0, 10]);
  assert.equal(numbers.event(5), 2);
  assert.equal(numbers.event(4), -1);
});

test("a number is looked for with #", async () => {
  const search = new Search(await store(null));
  assert.equal(search.set("#3"), 1);
  assert.equal(search.next({ id: -1, time: 0 }, 1).id, 0);
  assert.equal(search.set("#10"), 0);
});
