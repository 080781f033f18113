import assert from "node:assert/strict";
import test from "node:test";
import { EventStore } from "../../web/events";
import type { ReportData } from "../../web/report_data";
import { Search } from "../../web/search";
import { makeColumns } from "./encode";

const lane = (rank: number, name: string, count: number, sort: "thread" | "stream" = "thread") =>
  ({ rank, name, sort, device: -1, stream: -1, count, little: false });

/** Two ranks with three and four events; the second rank has two lanes. */
async function twoRanks(): Promise<EventStore> {
  const data: ReportData = {
    version: 1, unit_ps: 1000, weight_unit_ps: 1, origin_ps: 0, step: { begin_ps: 0, end_ps: 1, length_ps: 1, label: "" }, range: { begin_ps: 0, end_ps: 90_000 },
    kinds: [], ranks: [{ rank: 0, label: "rank 0", events: 3, left_out: 0 }, { rank: 5, label: "rank 5", events: 4, left_out: 0 }],
    lanes: [lane(0, "main", 3), lane(5, "main", 1), lane(5, "stream 7", 3, "stream")], graph: null, command: { program: "orrery", operands: [], flags: [] }, sliders: [], counters: [],
  };
  const store = new EventStore(data, [["aten::mm", 0], ["Kernel", 5], ["aten::MM_out", 0]]);
  const rank = (start: number[], dur: number[], name: number[], ordinal: number[]) =>
    makeColumns([{ name: "ev.start", codec: "delta", values: start }, { name: "ev.dur", codec: "planes", values: dur },
                 { name: "ev.name", codec: "planes", values: name }, { name: "ev.ordinal", codec: "delta", values: ordinal }]);
  store.add(0, await rank([10, 20, 30], [5, 5, 5], [0, 1, 2], [7, 3, 9]));
  store.add(1, await rank([10, 5, 6, 80], [50, 0, 2, 10], [2, 1, 0, 1], [0, 1, 2, 3]));
  return store;
}

test("an event's id counts the ranks before its own", async () => {
  const store = await twoRanks();
  assert.equal(store.count, 7);
  const event = store.facts(5);
  assert.equal(event?.rank, 5);
  assert.equal(event?.name, "aten::mm");
  assert.equal(event?.lane.name, "stream 7");
  assert.equal(event?.start_ps, 6000);
  assert.equal(event?.dur_ps, 2000);
  assert.equal(store.facts(3)?.lane.name, "main");
  assert.equal(store.facts(7), null);
  assert.equal(store.facts(-1), null);
});

test("events are found by rank and ordinal", async () => {
  const store = await twoRanks();
  assert.equal(store.find(0, 3), 1);
  assert.equal(store.find(5, 3), 6);
  assert.equal(store.find(1, 3), -1);
  assert.equal(store.find(0, 4), -1);
});

test("criticality becomes part of an event", async () => {
  const store = await twoRanks();
  const critical = Uint8Array.from([0, 1, 0, 0, 0, 0, 1]);
  for (const rank of store.ranks) rank?.markCritical(critical);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map(id => Number(store.facts(id)?.critical)), [...critical]);
  assert.equal(store.facts(1)?.kind, 5);
});

test("search goes through matches in order of time, and around", async () => {
  const search = new Search(await twoRanks());
  assert.equal(search.set("MM"), 4); // ids 0 (10 ns), 2 (30), 3 (10), 5 (6)
  assert.deepEqual(search.next({ id: -1, time: 0 }, 1), { id: 5, place: 1 });
  assert.deepEqual(search.next({ id: 5, time: 6000 }, 1), { id: 0, place: 2 });
  assert.deepEqual(search.next({ id: 0, time: 10000 }, 1), { id: 3, place: 3 });
  assert.deepEqual(search.next({ id: 2, time: 30000 }, 1), { id: 5, place: 1 });
  assert.deepEqual(search.next({ id: 5, time: 6000 }, -1), { id: 2, place: 4 });
  assert.deepEqual([...search.flags(0, 40_000, 4)], [1, 1, 0, 1]);
  assert.equal(search.set("nothing of the kind"), 0);
  assert.equal(search.next({ id: -1, time: 0 }, 1).id, -1);
});
