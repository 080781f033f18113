// The page's script: what needs no events first; then, when the text has been painted, columns are decoded and the timeline comes up.
import { AddressKeeper, parseAddress } from "./address";
import { emptyApi, PageApi, timelineApi } from "./api";
import { Causes } from "./causes";
import { canInflate, Columns, decodeBlob } from "./columns";
import { EventStore } from "./events";
import { Keys } from "./keys";
import { startControls } from "./page_controls";
import { Pointer } from "./pointer";
import { startRanks } from "./ranks";
import { NameEntry, readReportData, ReportData } from "./report_data";
import { SearchBox } from "./search_box";
import { startTables } from "./tables";
import { Timeline } from "./timeline";
import { startWhatIf, WhatIf } from "./whatif";

/** Ranks are decoded before the page is ready up to so many events; the rest follows while it is used. */
const EVENTS_AT_FIRST = 1_500_000;

/** Resolves after a frame was painted; a page in a hidden tab paints none, so a timer does too. */
function painted(): Promise<void> {
  return new Promise(go => {
    requestAnimationFrame(() => setTimeout(go, 0));
    setTimeout(go, 300);
  });
}

function yieldToPage(): Promise<void> {
  return new Promise(go => setTimeout(go, 0));
}

/** A sentence instead of the timeline. */
function say(stage: HTMLElement, sentence: string): void {
  const note = document.querySelector<HTMLElement>("#timeline-notice") ?? stage.appendChild(document.createElement("p"));
  note.textContent = sentence;
  note.hidden = false;
  stage.hidden = note.parentElement !== stage;
}

async function start(): Promise<PageApi> {
  const stage = document.querySelector<HTMLElement>("#stage");
  const canvas = document.querySelector<HTMLCanvasElement>("#canvas");
  const minimap = document.querySelector<HTMLCanvasElement>("#minimap");
  if (!stage || !canvas || !minimap) return emptyApi();
  if (!canInflate()) {
    say(stage, "This browser cannot unpack the events of the page (it has no DecompressionStream), so there is no timeline. " +
               "Text and tables are complete.");
    return emptyApi();
  }
  await painted();
  try {
    return await startTimeline(readReportData(document), stage, canvas, minimap);
  } catch (error) {
    say(stage, `The events of this page cannot be read, so there is no timeline: ${error instanceof Error ? error.message : String(error)}.`);
    return emptyApi();
  }
}

async function startTimeline(data: ReportData, stage: HTMLElement, canvas: HTMLCanvasElement, minimap: HTMLCanvasElement): Promise<PageApi> {
  const graphScript = document.querySelector<HTMLScriptElement>("script[data-columns=graph]");
  if (!graphScript) throw new Error("it has no names");
  const graph = await decodeBlob(graphScript);
  const store = new EventStore(data, graph.json<NameEntry[]>("names"));
  const timeline = new Timeline(data, store, stage, canvas, minimap);
  const causes = data.graph ? Causes.make(graph, data) : null;
  const rest = await addRanks(timeline, EVENTS_AT_FIRST);
  if (causes) timeline.useCauses(causes);
  timeline.laidOut();
  timeline.showRankOfPath();

  const search = new SearchBox(timeline, document.querySelector<HTMLInputElement>("#search"), document.querySelector<HTMLElement>("#search-count"));
  const pointer = new Pointer(timeline, minimap);
  new Keys(timeline, () => pointer.x, search.input, () => search.clear());
  startButtons(timeline, causes !== null);
  let edits: string[] = [];
  const whatif = causes && startWhatIf(causes, data, (now, edited) => {
    edits = now;
    timeline.setEdited(edited);
  });
  const asked = parseAddress(location.hash).event;
  keepAddress(timeline, whatif, () => edits);
  if (rest) {
    void rest().then(() => {
      search.refresh();
      // A link may name an event of a rank that came late.
      if (timeline.scene.selected < 0 && asked >= 0) timeline.goTo(store.numbers.event(asked));
    });
  }
  return timelineApi(timeline, search, data.graph?.edges ?? 0, wanted => {
    if (!whatif) throw new Error("this page has no graph: use the command");
    return whatif.solve(wanted);
  });
}

/** Adds ranks until there are `most` events. Returns what adds the others; null: there are none. */
async function addRanks(timeline: Timeline, most: number): Promise<(() => Promise<void>) | null> {
  const scripts = [...document.querySelectorAll<HTMLScriptElement>("script[data-columns=rank]")];
  const { ranks } = timeline.store.data;
  let events = 0;
  let next = 0;
  const add = async (): Promise<void> => {
    const place = next++;
    const script = scripts.find(s => Number(s.dataset.rank) === ranks[place].rank);
    if (!script) return;
    const columns: Columns = await decodeBlob(script);
    timeline.addRank(place, columns);
    events += ranks[place].events;
  };
  while (next < ranks.length && (next === 0 || events + ranks[next].events <= most)) await add();
  if (next >= ranks.length) return null;
  return async () => {
    while (next < ranks.length) {
      await yieldToPage();
      await add();
      timeline.laidOut();
    }
  };
}

/** Without a graph there is no path to go along and nothing critical: what is about it goes away. */
function startButtons(timeline: Timeline, hasPath: boolean): void {
  const about = ["path-previous", "path-next", "dim"].map(id => document.getElementById(id));
  if (!hasPath) for (const element of about) (element?.closest("label") ?? element)?.setAttribute("hidden", "");
  const on = (id: string, act: () => void): void => document.getElementById(id)?.addEventListener("click", act);
  on("show-all", () => timeline.showAll());
  on("show-step", () => timeline.showStep());
  on("path-previous", () => timeline.goAlongPath(-1));
  on("path-next", () => timeline.goAlongPath(1));
}

function keepAddress(timeline: Timeline, whatif: WhatIf | null, edits: () => string[]): void {
  const { scene } = timeline;
  const apply = (): void => {
    const state = parseAddress(location.hash);
    if (state.edits.length > 0) whatif?.set(state.edits);
    if (state.view) timeline.setView(state.view.begin, state.view.end);
    if (state.event < 0) return;
    const { begin, end } = scene.view;
    timeline.goTo(timeline.store.numbers.event(state.event));
    if (state.view) timeline.setView(begin, end);
  };
  const state = parseAddress(location.hash);
  apply();
  if (state.view || state.event >= 0) document.querySelector("#timeline")?.scrollIntoView();
  const keeper = new AddressKeeper(() => ({ view: { begin: scene.view.begin, end: scene.view.end }, event: timeline.store.numbers.ofEvent(scene.selected), edits: edits() }));
  timeline.onChange = () => keeper.changed();
  window.addEventListener("hashchange", apply);
}

startControls();
startTables(document);
const ready = start();
(window as unknown as { orrery: { ready: Promise<PageApi> } }).orrery = { ready };
void ready.then(page => {
  startRanks(page);
  document.documentElement.dataset.ready = "true";
});
