import assert from "node:assert/strict";
import test from "node:test";
import { Leaves, Row, rowOf } from "../../web/pyramid";
import { randomNumbers } from "./encode";

/** Pieces without overlap; every fifth is an instant. */
function randomRow(count: number, seed: number): { row: Row; leaves: Leaves } {
  const random = randomNumbers(seed);
  const start = new Float64Array(count);
  const dur = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += random(4) === 0 ? random(5000) : random(20);
    start[i] = at;
    dur[i] = i % 5 === 0 ? 0 : random(3) === 0 ? random(900) : random(30);
    at += dur[i];
  }
  const leaves = { start, dur, unit: 1, tone: new Uint8Array(count) };
  return { row: rowOf(leaves), leaves };
}

/** What the drawing sees of a view: the covered length, cut to whole pixels around it, and all wide events. */
function look(row: Row, begin: number, end: number, width: number): { covered: number; wide: number[]; calls: number } {
  let covered = 0;
  let calls = 0;
  const wide: number[] = [];
  row.visit(begin, end, width / (end - begin), {
    wide(x0, x1, leaf) {
      calls++;
      covered += x1 - x0;
      wide.push(leaf);
    },
    dot(_x, cover) {
      calls++;
      covered += cover;
    },
  });
  return { covered: (covered / width) * (end - begin), wide, calls };
}

test("the pyramid covers what the events cover, at every zoom", () => {
  for (const count of [0, 1, 8, 9, 33, 1000, 4097]) {
    const { row, leaves } = randomRow(count, count + 3);
    const end = count === 0 ? 10 : row.end(count - 1) + 1;
    const total = [...leaves.dur].reduce((a, b) => a + b, 0);
    for (const width of [1, 10, 333, 100_000]) assert.ok(Math.abs(look(row, 0, end, width).covered - total) <= 1e-5 * total + 1e-9);
  }
});

test("events wider than a pixel are all seen, in order, as a walk over all of them finds", () => {
  const { row, leaves } = randomRow(5000, 11);
  const last = row.end(4999);
  const random = randomNumbers(5);
  for (let round = 0; round < 200; round++) {
    const begin = random(last);
    const end = begin + 1 + random(last - begin);
    const naive: number[] = [];
    for (let i = 0; i < 5000; i++) {
      if (leaves.start[i] < end && leaves.start[i] + leaves.dur[i] >= begin && (leaves.dur[i] * 100) / (end - begin) >= 1) naive.push(i);
    }
    assert.deepEqual(look(row, begin, end, 100).wide, naive);
  }
});

test("a frame costs pixels, not events", () => {
  const { row } = randomRow(200_000, 23);
  const end = row.end(199_999);
  assert.ok(look(row, 0, end, 1000).calls < 8 * 1000);
});

test("the number of begun events is that of a walk", () => {
  const { row, leaves } = randomRow(700, 31);
  for (let time = 0; time < 3000; time += 7) assert.equal(row.startedBy(time), leaves.start.filter(s => s <= time).length);
});
