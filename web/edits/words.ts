// The words of the edit language (docs/WHATIF.md) and the kinds of time they stand for, as in the engine.

const HOST = ["cpu_operator", "cpu_python", "cpu_runtime", "cpu_untraced", "data_loading"];
const DEVICE = ["kernel", "communication", "memory_copy", "memory_set"];
const IDLE = ["idle_thread", "idle_device"];
const GAPS = ["launch_delay", "kernel_gap", "stream_wait", "sync_return", "handoff", ...IDLE];

/** In the order in which messages list them. */
export const WHAT: ReadonlyMap<string, readonly string[]> = new Map([
  ["cpu", HOST],
  ["op", ["cpu_operator"]],
  ["python", ["cpu_python"]],
  ["runtime", ["cpu_runtime"]],
  ["untraced", ["cpu_untraced"]],
  ["loading", ["data_loading"]],
  ["gpu", DEVICE],
  ["kernel", ["kernel"]],
  ["comm", ["communication"]],
  ["collective", ["communication"]],
  ["p2p", ["communication"]],
  ["copy", ["memory_copy"]],
  ["set", ["memory_set"]],
  ["gap", GAPS],
  ["all", [...HOST, ...DEVICE, ...GAPS]],
]);

export const GAP_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["launch", ["launch_delay"]],
  ["kernel", ["kernel_gap"]],
  ["stream", ["stream_wait"]],
  ["sync", ["sync_return"]],
  ["handoff", ["handoff"]],
  ["idle", IDLE],
]);

/** Kinds whose time is a property of the event it belongs to: a gap has an owner, too, but is no property of it. */
export const NAMED_KINDS: readonly string[] = [...HOST, ...DEVICE, "sync_return"];
