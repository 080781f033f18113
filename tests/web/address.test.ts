import assert from "node:assert/strict";
import test from "node:test";
import { formatAddress, parseAddress } from "../../web/address";

test("what is written is read again", () => {
  const state = { view: { begin: -5, end: 1_234_567_890_123 }, event: 42, edits: ["op * 0.5", 'kernel:/a&b=c#/ remove; "x"', "100% + 1us"] };
  assert.deepEqual(parseAddress(formatAddress(state)), state);
  assert.equal(formatAddress({ view: null, event: -1, edits: [] }), "");
});

test("other fragments mean nothing, and nonsense does not throw", () => {
  const nothing = { view: null, event: -1, edits: [] };
  for (const hash of ["", "#", "#whatif", "#t=", "#t=5,5", "#t=9,3", "#t=1e9,2e9", "#e=-1", "#e=x", "#w=", "#=&&=", "#t=1"]) assert.deepEqual(parseAddress(hash), nothing);
  assert.deepEqual(parseAddress("#w=50%").edits, ["50%"]);
});
