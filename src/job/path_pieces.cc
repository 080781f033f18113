#include "job/path_pieces.h"

#include "graph/longest_path.h"
#include "trace/content_order.h"

namespace orrery::job {
namespace {

Result<causal::CausalGraph> make_graph(const trace::Trace& trace, const RecordedJob* recorded,
                                       Diagnostics& diagnostics) {
  if (recorded == nullptr) return causal::make_causal_graph(trace, trace.ranks.front(), {}, diagnostics);
  const Result<JobWindow> window = recorded->window({.typical = true}, diagnostics);
  if (!window) return window.error();
  Result<causal::CausalGraph> job = recorded->graph(*window, {}, diagnostics);
  if (job && job->operations.empty()) return Error{"no communication between these ranks was matched"};
  return job;
}

}  // namespace

Result<std::vector<PathPiece>> find_path_pieces(const trace::Trace& trace, const RecordedJob* recorded,
                                                Diagnostics& diagnostics) {
  if (trace.ranks.empty()) return Error{"there is no rank"};
  const Result<causal::CausalGraph> job = make_graph(trace, recorded, diagnostics);
  if (!job) return job.error();
  std::vector<trace::OrdinalIndex> events;
  for (const trace::RankTrace& rank : trace.ranks) events.emplace_back(rank);
  std::vector<PathPiece> pieces;
  std::uint32_t last = 0;  // what is nobody's stays where the path was
  // As solved: pieces then follow one another exactly, and where the graph replays, that is as measured.
  TimePs at = job->begin_ps;
  const graph::Solution solution = graph::solve(job->graph, job->end);
  for (const graph::Slot slot : solution.path().slots) {
    const TimePs begin = at;
    at += solution.weight(slot);
    if (const std::uint32_t rank = job->rank_of(slot); rank != causal::kNoRank) last = rank;
    if (at <= begin) continue;
    PathPiece piece{.rank = last, .kind = job->kind(slot)};
    piece.begin = begin, piece.end = at;
    if (const std::uint32_t tag = job->graph.edge_tag(slot); tag != graph::kNoTag) {
      piece.name = job->strings.text(job->owners[tag].name);
      piece.event = events[last].find(job->owners[tag].ordinal);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace orrery::job
