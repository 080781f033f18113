import assert from "node:assert/strict";
import test from "node:test";
import { count, duration, shownName, tickFormat } from "../../web/format";
import { ticks } from "../../web/ruler";
import { TextFitter } from "../../web/text_fit";
import { View } from "../../web/view";

test("durations have three digits and a unit", () => {
  const said: [number | null, string][] = [[0, "0"], [null, "–"], [7, "7 ps"], [999, "999 ps"], [1540000, "1.54 µs"], [29_000_000, "29.0 µs"], [566_000_000, "566 µs"], [58_200_000_000, "58.2 ms"],
    [999_600_000, "1.00 ms"], [-3_330_000_000, "−3.33 ms"], [2e12, "2.00 s"], [9_999_000, "10.0 µs"]];
  for (const [ps, text] of said) assert.equal(duration(ps), text);
});

test("counts are grouped", () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
});

test("names cannot turn the direction of a line or hide", () => {
  assert.equal(shownName("a\u202eb\u0000"), "aU+202EbU+0000");
  assert.equal(shownName("x".repeat(500), 10), "xxxxxxxxxx…");
});

test("marks of a ruler are round, in one unit, and tell neighbours apart", () => {
  assert.equal(tickFormat(2e8, 1.7e10)(1.58e10), "15.8 ms");
  assert.equal(tickFormat(5e6, 1.7e10)(1.5805e10), "15.805 ms");
  const marks = ticks({ begin: 1e9, end: 2.75e9, span: 1.75e9 }, 1e9, 1000);
  assert.deepEqual(marks.map(m => m.label), ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1.0 ms", "1.2 ms", "1.4 ms", "1.6 ms"]);
});

test("text is cut to its room", () => {
  const fitter = new TextFitter(text => text.length * 10);
  assert.equal(fitter.fit("abc", 30), "abc");
  assert.equal(fitter.fit("abcd", 30), "ab…");
  assert.equal(fitter.fit("abcd", 15), "");
});

test("a view keeps whole numbers, its limits, and the moment under the pointer", () => {
  const view = new View({ begin_ps: 0, end_ps: 1_000_000_000 });
  assert.ok(view.begin <= 0 && view.end >= 1_000_000_000);
  view.set(123_456_789.4, 223_456_789.4);
  assert.deepEqual([view.begin, view.end], [123_456_789, 223_456_789]);
  view.zoom(0.5, 150_000_000);
  assert.ok(Math.abs((150_000_000 - view.begin) / view.span - (150_000_000 - 123_456_789) / 1e8) < 1e-6);
  view.zoom(1e-9, 150_000_000);
  assert.equal(view.span, 10_000);
  view.zoom(1e12, 150_000_000);
  assert.ok(view.begin <= 0 && view.end >= 1_000_000_000 && view.span < 1.1e9);
  const { begin, end } = view;
  view.set(begin, end);
  assert.deepEqual([view.begin, view.end], [begin, end]);
});
