// Which edges an edit selects (src/analyze/edit_selector.cc, job_edits.cc): found once per selector, and kept, so that a slider only scales.
import type { Graph } from "../graph";
import { kindNumbers } from "../graph";
import type { DelayEvent, EditRule, EditScope, FailureEvent, NumberRange } from "./edit";
import { contains } from "./edit";
import type { NamePattern } from "./name_pattern";

export interface Selection {
  slots: Uint32Array; // of a change: its pieces; of a delay: the piece that each standstill is added to
  ranks: number[]; // of a failure: places of those who fail
  notThere: string[]; // "rank 77", "step 9": named, but not in this job
}

export function count(selection: Selection): number {
  return selection.slots.length + selection.ranks.length;
}

/** Which places of a list the ranges name; all if there are none. Numbers that are of no place go to `notThere`. */
function named(ranges: readonly NumberRange[] | null, numbers: readonly (number | null)[], what: string, notThere: string[]): Uint8Array {
  const isNamed = new Uint8Array(numbers.length).fill(ranges ? 0 : 1);
  for (const [first, last] of ranges ?? []) {
    let found = false;
    numbers.forEach((number, place) => {
      if (number === null || number < first || number > last) return;
      isNamed[place] = 1;
      found = true;
    });
    // Of a range some may be absent: it is meant as "those there are". A range without any is a mistake, like a single number.
    if (!found) notThere.push(first === last ? `${what} ${first}` : `${what}s ${first} to ${last}`);
  }
  return isNamed;
}

function namedRanks(graph: Graph, scope: EditScope, notThere: string[]): Uint8Array {
  return named(scope.ranks, graph.facts.ranks, "rank", notThere);
}

/** By number in gr.step. */
function namedStepSets(graph: Graph, scope: EditScope, notThere: string[]): Uint8Array | null {
  if (!scope.steps) return null;
  named(scope.steps, graph.facts.job_steps, "step", notThere);
  const steps = scope.steps;
  return Uint8Array.from(graph.facts.step_numbers, (numbers) => (numbers.some((number) => contains(steps, number)) ? 1 : 0));
}

function matching(texts: readonly string[], pattern: NamePattern): Uint8Array {
  return Uint8Array.from(texts, (text) => (pattern.matches(text) ? 1 : 0));
}

/** Per event that edges belong to: whether its name, stream, device and annotations fit. Null: all do. */
function fittingOwners(graph: Graph, rule: EditRule): Uint8Array | null {
  if (rule.name.matchesEverything && rule.stream === null && rule.device === null && rule.inside === null) return null;
  const { owner, facts, names } = graph;
  const fits = new Uint8Array(owner.name.length).fill(1);
  const keep = (condition: (place: number) => boolean) => {
    for (let i = 0; i < fits.length; i++) if (fits[i] === 1 && !condition(i)) fits[i] = 0;
  };
  if (!rule.name.matchesEverything) {
    // Names of the whole trace may be many more than those of the step: each is matched when an event first has it.
    const known = new Uint8Array(names.length);
    keep((i) => {
      const name = owner.name[i]!;
      if (known[name] === 0) known[name] = rule.name.matches(names[name]!) ? 1 : 2;
      return known[name] === 1;
    });
  }
  if (rule.stream !== null) keep((i) => owner.stream[i] === rule.stream);
  if (rule.device !== null) keep((i) => owner.device[i] === rule.device);
  if (rule.inside !== null) {
    const annotation = matching(facts.annotations, rule.inside);
    const set = Uint8Array.from(facts.inside, (members) => (members.some((member) => annotation[member] === 1) ? 1 : 0));
    keep((i) => set[owner.inside[i]!] === 1);
  }
  return fits;
}

/** Of communication, by number in ex.class: whether what was exchanged fits, and the group. Null: no limit. */
function fittingExchanges(graph: Graph, rule: EditRule): Uint8Array | null {
  const group = rule.scope.group;
  if (group === null && rule.exchanged === "anything") return null;
  const fits = graph.facts.exchanges.map(([kind, name]) => {
    const isMessage = kind === "p2p";
    const fitsKind = rule.exchanged === "anything" || (rule.exchanged === "messages" ? isMessage : !isMessage && rule.collective.matches(kind));
    return fitsKind && (group === null || group.matches(name)) ? 1 : 0;
  });
  // What found no partners is of no group that is known.
  const unmatched = rule.exchanged === "anything" && group !== null && group.isOfNameless ? 1 : 0;
  return Uint8Array.from([unmatched, ...fits]);
}

export function selectRule(graph: Graph, rule: EditRule): Selection {
  const notThere: string[] = [];
  const ranks = namedRanks(graph, rule.scope, notThere);
  const steps = namedStepSets(graph, rule.scope, notThere);
  const owners = fittingOwners(graph, rule);
  const exchanges = fittingExchanges(graph, rule);
  // Time that belongs to no event has no name, stream or place: it is selected by its kind alone, or as what has no name.
  const nameless =
    (rule.name.matchesEverything || rule.name.isOfNameless) && rule.stream === null && rule.device === null && rule.inside === null;
  const kinds = new Uint8Array(256);
  for (const kind of kindNumbers(graph, rule.kinds)) kinds[kind] = 1;
  const communication = kindNumbers(graph, ["communication"])[0] ?? -1;
  const slots = new Uint32Array(graph.edges);
  let length = 0;
  let exchange = 0; // how many edges of communication were passed
  for (let p = 0; p < graph.nodes; p++) {
    const rank = graph.ranks[p]!;
    const isAsked = rank >= 0 && ranks[rank] === 1; // edges to hubs and to the end of several ranks are nobody's
    for (let slot = graph.rows[p]!; slot < graph.rows[p + 1]!; slot++) {
      const kind = graph.kinds[slot]!;
      const exchanged = kind === communication ? graph.exchanged[exchange++] ?? 0 : -1;
      if (!isAsked || kinds[kind] === 0) continue;
      const owner = graph.owners[slot]!;
      if (owner < 0 ? !nameless : owners !== null && owners[owner] === 0) continue;
      if (exchanges !== null && (exchanged < 0 || exchanges[exchanged] === 0)) continue;
      if (steps !== null && steps[graph.steps[slot]!] === 0) continue;
      slots[length++] = slot;
    }
  }
  return { slots: slots.slice(0, length), ranks: [], notThere };
}

/** One piece per selected rank and step: what the main thread does when the step begins. */
export function selectDelay(graph: Graph, delay: DelayEvent): Selection {
  const { facts, stepSlots } = graph;
  const notThere: string[] = [];
  const ranks = namedRanks(graph, delay.scope, notThere);
  const steps = named(delay.scope.steps, facts.job_steps, "step", notThere);
  const slots: number[] = [];
  stepSlots.forEach((slot, i) => {
    const rank = Math.floor(i / facts.job_steps.length);
    if (slot >= 0 && ranks[rank] === 1 && steps[i % facts.job_steps.length] === 1) slots.push(slot);
  });
  return { slots: Uint32Array.from(slots), ranks: [], notThere };
}

/** A failure after the job's end selects nobody. */
export function selectFailure(graph: Graph, failure: FailureEvent): Selection {
  const notThere: string[] = [];
  const ranks = namedRanks(graph, failure.scope, notThere);
  const knowsStep = failure.fromStep === null || graph.facts.job_steps.includes(failure.fromStep);
  if (!knowsStep) notThere.push(`step ${failure.fromStep}`);
  const isOver = failure.at >= graph.facts.span_ps;
  if (isOver) notThere.push("after the end of the job");
  const failing = knowsStep && !isOver ? [...ranks.keys()].filter((rank) => ranks[rank] === 1) : [];
  return { slots: new Uint32Array(0), ranks: failing, notThere };
}
