import assert from "node:assert/strict";
import test from "node:test";
import { bundled, DrawnArrow } from "../../web/arrows";
import { pathShares } from "../../web/path_shares";

const arrow = (x0: number, y0: number, x1: number, y1: number): DrawnArrow => ({ x0, y0, x1, y1, isBoth: false });

test("arrows that lie on one another are one, there and back too", () => {
  const drawn = bundled([arrow(10, 5, 12, 50), arrow(13, 50, 14, 5), arrow(15, 5, 16, 50), arrow(14, 5, 15, 90), arrow(40, 5, 41, 50)]);
  assert.deepEqual(drawn.map(({ x0, y1, isBoth }) => [x0, y1, isBoth]), [[10, 50, true], [14, 90, false], [40, 50, false]]);
});

test("arrows that begin together and end far apart are told apart", () => {
  assert.equal(bundled([arrow(10, 5, 12, 50), arrow(11, 5, 60, 50)]).length, 2);
});

test("too many arrows are none", () => {
  const many = Array.from({ length: 100 }, (_, i) => arrow(20 * i, 5, 20 * i + 1, 50));
  assert.equal(bundled(many.slice(0, 80)).length, 80);
  assert.equal(bundled(many).length, 0);
});

test("the share of the path that each rank has", () => {
  const rank = (number: number) => ({ rank: number, label: "", events: 0, left_out: 0 });
  const lane = (number: number) => ({ rank: number, name: "", sort: "thread" as const, device: -1, stream: -1, count: 0, little: false, number: 0, first: 0 });
  const path = { begin: Float64Array.of(0, 10, 40, 90), end: Float64Array.of(10, 40, 90, 100), kind: new Uint8Array(4), event: new Int32Array(4), lane: Int32Array.of(0, 2, 1, -1) };
  const store = { data: { ranks: [rank(0), rank(7)] }, lanes: [lane(0), lane(7), lane(7)] };
  assert.deepEqual(pathShares(path, store as unknown as Parameters<typeof pathShares>[1]), [0.1, 0.8]);
});
