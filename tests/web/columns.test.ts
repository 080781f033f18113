import assert from "node:assert/strict";
import test from "node:test";
import { decodeColumns } from "../../web/columns";
import { makeColumns } from "./encode";

test("planes of every width are exact up to 2^53", async () => {
  for (let bits = 0; bits <= 53; bits++) {
    const values = [0, 1, 2 ** bits - 1, Math.floor(2 ** bits / 3)];
    const columns = await makeColumns([{ name: "c", codec: "planes", values }]);
    assert.deepEqual([...columns.number("c")], values);
  }
});

test("differences go up and down, beyond 32 bits", async () => {
  const values = [5, 0, 2 ** 40, 2 ** 40 + 3, 17, 17, 2 ** 52, 1];
  const columns = await makeColumns([{ name: "c", codec: "delta", values }]);
  assert.deepEqual([...columns.number("c")], values);
});

test("differences of every width, around the step from three planes to four and five", async () => {
  for (const far of [2 ** 22, 2 ** 23 - 1, 2 ** 23, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 33 + 1]) {
    const values = [far, 0, far - 1, 1, far];
    const columns = await makeColumns([{ name: "c", codec: "delta", values }]);
    assert.deepEqual([...columns.number("c")], values);
  }
});

test("a column that does not fit into 32 bits is refused as one", async () => {
  const columns = await makeColumns([{ name: "c", codec: "planes", values: [2 ** 32] }, { name: "d", codec: "delta", values: [2 ** 31, 7] }]);
  assert.throws(() => columns.uint32("c"), /32 bits/);
  assert.throws(() => columns.int32("d"), /32 bits/);
  assert.deepEqual([...columns.uint32("d")], [2 ** 31, 7]);
});

test("columns lie one after the other, and texts among them", async () => {
  const columns = await makeColumns([
    { name: "a", codec: "planes", values: [1, 2, 3] }, { name: "names", codec: "json", values: [["</script>", 3]] }, { name: "b", codec: "delta", values: [] },
    { name: "c", codec: "planes", values: [7, 255] },
  ]);
  assert.deepEqual([...columns.number("a")], [1, 2, 3]);
  assert.deepEqual(columns.json("names"), [["</script>", 3]]);
  assert.equal(columns.number("b").length, 0);
  assert.deepEqual([...columns.u8("c")], [7, 255]);
  assert.equal(columns.count("c"), 2);
  assert.ok(!columns.has("d"));
  assert.throws(() => columns.number("d"), /no column d/);
});

test("damaged blobs are refused", async () => {
  await assert.rejects(decodeColumns("AAAA", []));
  const table = [{ name: "c", codec: "planes" as const, count: 9, offset: 0, bytes: 9 }];
  // gzip of nothing: the column would end beyond it
  await assert.rejects(decodeColumns("H4sIAAAAAAAAAwMAAAAAAAAAAAA=", table), /beyond its blob/);
});
