// The state that a link carries: #t=begin,end&e=event&w=edit. Times are page time in ps; w may stand several times.

export interface State {
  view: { begin: number; end: number } | null;
  event: number; // -1: none
  edits: string[];
}

export function parseAddress(hash: string): State {
  const state: State = { view: null, event: -1, edits: [] };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const key = part.slice(0, at);
    const value = decode(part.slice(at + 1));
    if (key === "t") state.view = parseView(value);
    else if (key === "e" && /^\d+$/.test(value)) state.event = Number(value);
    else if (key === "w" && value.trim() !== "") state.edits.push(value);
  }
  return state;
}

function parseView(text: string): State["view"] {
  const times = /^(-?\d+),(-?\d+)$/.exec(text);
  if (!times) return null;
  const [begin, end] = [Number(times[1]), Number(times[2])];
  return end > begin ? { begin, end } : null;
}

/** Links are cut and pasted by mail programs: what does not decode is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function formatAddress(state: State): string {
  const parts: string[] = [];
  if (state.view) parts.push(`t=${state.view.begin},${state.view.end}`);
  if (state.event >= 0) parts.push(`e=${state.event}`);
  for (const edit of state.edits) parts.push(`w=${encodeURIComponent(edit)}`);
  return parts.length > 0 ? "#" + parts.join("&") : "";
}

/** Browsers refuse more than some hundred changes in half a minute, so that the address follows when things have come to rest. */
const REST_MS = 250;

export class AddressKeeper {
  private timer = 0;

  constructor(private readonly state: () => State) {}

  changed(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const hash = formatAddress(this.state());
      if (hash !== "" && hash !== location.hash) history.replaceState(null, "", hash);
    }, REST_MS);
  }
}
