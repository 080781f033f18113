// Which ranks the critical path is on: of many ranks, most are not worth a look.
import type { PathPieces } from "./causes";
import type { EventStore } from "./events";

/** By place in ReportData.ranks; empty of one rank. */
export function pathShares(path: PathPieces, store: Pick<EventStore, "lanes" | "data">): number[] {
  const { ranks } = store.data;
  if (ranks.length < 2) return [];
  const placeOfRank = new Map(ranks.map((rank, place) => [rank.rank, place]));
  const sums = ranks.map(() => 0);
  let all = 0;
  for (let i = 0; i < path.begin.length; i++) {
    const time = path.end[i] - path.begin[i];
    all += time;
    const place = path.lane[i] < 0 ? undefined : placeOfRank.get(store.lanes[path.lane[i]].rank);
    if (place !== undefined) sums[place] += time;
  }
  return all > 0 ? sums.map(sum => sum / all) : [];
}
