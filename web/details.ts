// The panel below the timeline: what is known about the selected event, and what it waited for.
import type { Arguments, EventArguments } from "./arguments";
import type { Causes, EventCauses, WaitedFor } from "./causes";
import type { EventNumbers } from "./event_numbers";
import type { EventFacts } from "./events";
import { duration, shownName } from "./format";
import type { ReportData } from "./report_data";

export class Details {
  private readonly emptyContent: Node[];

  constructor(
    private readonly panel: HTMLElement,
    private readonly data: ReportData,
    private readonly numbers: EventNumbers,
    private readonly recorded: Arguments,
    private readonly goTo: (event: number) => void,
  ) {
    this.emptyContent = [...panel.childNodes];
    panel.addEventListener("click", e => {
      const link = (e.target as Element).closest<HTMLElement>("[data-goto]");
      if (!link) return;
      e.preventDefault();
      this.goTo(this.numbers.event(Number(link.dataset.goto)));
    });
  }

  clear(): void {
    for (const key of Object.keys(this.panel.dataset)) delete this.panel.dataset[key];
    this.panel.replaceChildren(...this.emptyContent);
  }

  show(event: EventFacts, causes: Causes | null): void {
    const why = causes?.event(event.id) ?? null;
    const { dataset } = this.panel;
    dataset.event = String(event.number);
    dataset.name = event.name;
    dataset.rank = String(event.rank);
    dataset.ordinal = String(event.ordinal);
    dataset.kind = this.data.kinds[event.kind]?.id ?? "";
    set(dataset, "slackPs", why?.slack_ps);
    set(dataset, "derivative", why?.derivative);
    const recorded = element("div", "recorded");
    this.panel.replaceChildren(this.heading(event), this.facts(event, why), recorded, ...this.waits(why));
    void this.recorded.of(event.id).then(found => recorded.replaceChildren(...this.argumentsList(found)));
  }

  private heading(event: EventFacts): HTMLElement {
    const heading = element("h3", "event-name");
    const swatch = element("span", "swatch");
    swatch.style.background = `var(--k-${this.data.kinds[event.kind]?.id ?? "idle"})`;
    const name = element("code", "");
    name.textContent = shownName(event.name, 2000);
    const kind = element("span", "muted");
    kind.textContent = this.data.kinds[event.kind]?.title ?? "";
    heading.append(swatch, name, kind);
    return heading;
  }

  private facts(event: EventFacts, why: EventCauses | null): HTMLElement {
    const list = element("dl", "facts");
    const add = (term: string, value: string): void => void addFact(list, term, value);
    add("starts", this.startText(event.start_ps));
    add("takes", duration(event.dur_ps));
    add("where", `${this.rankLabel(event.rank)}, ${shownName(event.lane.name, 80)}`);
    if (why) {
      add("itself", duration(why.own_ps));
      add("on the path", duration(why.on_path_ps));
      add("slack", duration(why.slack_ps));
      add("derivative", why.derivative.toFixed(2));
    }
    add("id", `#${event.number}`);
    return list;
  }

  /** As the recorder wrote them, in its words. */
  private argumentsList(found: EventArguments): HTMLElement[] {
    const parts: HTMLElement[] = [];
    if (found.shown.length > 0) {
      const list = element("dl", "facts arguments");
      for (const { key, value } of found.shown) addFact(list, shownName(key, 80), shownName(value, 600)).dataset.argument = key;
      parts.push(list);
    }
    if (found.leftOut.length > 0) {
      const note = element("p", "muted");
      note.textContent = `Too large for this page: ${found.leftOut.map(key => shownName(key, 80)).join(", ")}. They are in the file (orrery query --all-args).`;
      parts.push(note);
    }
    return parts;
  }

  private rankLabel(rank: number): string {
    return shownName(this.data.ranks.find(r => r.rank === rank)?.label ?? `rank ${rank}`, 80);
  }

  private startText(start: number): string {
    const { begin_ps, end_ps } = this.data.step;
    if (start < begin_ps) return `${duration(begin_ps - start)} before the step`;
    if (start >= end_ps && end_ps > begin_ps) return `${duration(start - end_ps)} after the step`;
    return `${duration(start - begin_ps)} into the step`;
  }

  private waits(why: EventCauses | null): HTMLElement[] {
    if (!why || why.waited_for.length === 0) return [];
    const heading = element("h4", "");
    heading.textContent = "Waited for";
    const list = element("ul", "waited");
    for (const wait of why.waited_for) list.append(this.wait(wait));
    return [heading, list];
  }

  private wait(wait: WaitedFor): HTMLElement {
    const item = element("li", "");
    const text = shownName(wait.text, 300);
    if (wait.event >= 0) {
      const link = document.createElement("a");
      const number = this.numbers.ofEvent(wait.event);
      link.href = `#e=${number}`;
      link.dataset.goto = String(number);
      link.textContent = text;
      item.append(link);
    } else {
      item.append(text);
    }
    const rest = element("span", "muted");
    rest.textContent = ` ${duration(wait.ps)}${wait.binding ? ", this one was waited for" : ""}`;
    item.append(rest);
    return item;
  }
}

function element(tag: string, className: string): HTMLElement {
  const out = document.createElement(tag);
  if (className) out.className = className;
  return out;
}

/** Returns the element of the value. */
function addFact(list: HTMLElement, term: string, value: string): HTMLElement {
  const pair = element("div", "");
  const dt = element("dt", "");
  dt.textContent = term;
  const dd = element("dd", "");
  dd.textContent = value;
  pair.append(dt, dd);
  list.append(pair);
  return dd;
}

function set(dataset: DOMStringMap, key: string, value: number | null | undefined): void {
  if (value === null || value === undefined) delete dataset[key];
  else dataset[key] = String(value);
}
