import assert from "node:assert/strict";
import test from "node:test";
import type { Leaves } from "../../web/pyramid";
import { assignRows, makeRows, MOST_ROWS } from "../../web/rows";
import { randomNumbers } from "./encode";

/** [start, duration] in order of start, the longer first. */
function leavesOf(events: [number, number][]): { leaves: Leaves; members: Uint32Array } {
  const leaves = { start: Float64Array.from(events, e => e[0]), dur: Float64Array.from(events, e => e[1]), unit: 1, tone: new Uint8Array(events.length) };
  return { leaves, members: Uint32Array.from(events.keys()) };
}

function rows(events: [number, number][]): number[] {
  const { leaves, members } = leavesOf(events);
  const rowOf = new Uint8Array(events.length);
  assignRows(leaves, members, rowOf);
  return [...rowOf];
}

test("an event stands below what encloses it", () => {
  assert.deepEqual(rows([[0, 10], [1, 5], [2, 1], [7, 2], [10, 5]]), [0, 1, 2, 1, 0]);
});

test("an event as long as its parent stands below it too", () => {
  assert.deepEqual(rows([[0, 10], [0, 10], [0, 10]]), [0, 1, 2]);
});

test("events that overlap without nesting have rows of their own", () => {
  assert.deepEqual(rows([[0, 10], [5, 10], [12, 2]]), [0, 1, 2]);
});

test("an instant inside an event stands below it", () => {
  assert.deepEqual(rows([[0, 10], [3, 0], [3, 0], [12, 0]]), [0, 1, 1, 0]);
});

test("in no row do events overlap, and all are there", () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 50; round++) {
    const events = Array.from({ length: 300 }, (): [number, number] => [random(500), random(3) === 0 ? 0 : random(60)]);
    events.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const { leaves, members } = leavesOf(events);
    const made = makeRows(leaves, members, new Uint8Array(events.length));
    assert.equal(made.reduce((sum, row) => sum + row.count, 0), events.length);
    for (const row of made) for (let k = 1; k < row.count; k++) assert.ok(row.begin(k) >= row.end(k - 1));
  }
});

test("a thousand events that all overlap share the last row", () => {
  const events = Array.from({ length: 1000 }, (_, i): [number, number] => [i, 5000]);
  const found = rows(events);
  assert.equal(Math.max(...found), MOST_ROWS - 1);
  assert.equal(found[999], MOST_ROWS - 1);
});
