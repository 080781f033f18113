#include "job/path_pieces.h"

#include "graph/longest_path.h"
#include "link/step_graph.h"
#include "trace/ordinal_index.h"

namespace orrery::job {
namespace {

/// `to_piece` fills in whose time the edge is.
template <typename ToPiece>
std::vector<PathPiece> pieces_of(const graph::Solution& solution, TimePs begin, const ToPiece& to_piece) {
  std::vector<PathPiece> pieces;
  // As solved: pieces then follow one another exactly, and where the graph replays, that is as measured.
  TimePs at = begin;
  for (const graph::Slot slot : solution.path().slots) {
    const TimePs length = solution.weight(slot);
    if (length > 0) {
      PathPiece piece = to_piece(slot);
      piece.begin = at, piece.end = at + length;
      pieces.push_back(std::move(piece));
    }
    at += length;
  }
  return pieces;
}

Result<std::vector<PathPiece>> pieces_of_rank(const trace::Trace& trace, Diagnostics& diagnostics) {
  const Result<link::StepGraph> step = link::make_step_graph(trace, trace.ranks.front(), {}, diagnostics);
  if (!step) return step.error();
  return pieces_of(graph::solve(step->graph, step->end), step->window.begin, [&](graph::Slot slot) {
    PathPiece piece{.kind = step->kind(slot)};
    const std::uint32_t tag = step->graph.edge_tag(slot);
    if (tag == graph::kNoTag) return piece;
    piece.name = step->strings.text(step->owners[tag].name);
    piece.event = step->owner_events[tag];
    return piece;
  });
}

Result<std::vector<PathPiece>> pieces_of_job(const trace::Trace& trace, const RecordedJob& recorded, Diagnostics& diagnostics) {
  const Result<JobWindow> window = recorded.window({.typical = true}, diagnostics);
  if (!window) return window.error();
  const Result<link::JobGraph> job = recorded.graph(*window, {}, diagnostics);
  if (!job) return job.error();
  if (job->operations.empty()) return Error{"nothing joins these ranks"};
  std::vector<trace::OrdinalIndex> events;
  for (const trace::RankTrace& rank : trace.ranks) events.emplace_back(rank);
  std::uint32_t last = 0;
  return pieces_of(graph::solve(job->graph, job->end), job->begin_ps, [&](graph::Slot slot) {
    const std::uint32_t place = job->rank_of(slot);
    // What is nobody's stays where the path was.
    if (place != link::kNoRank) last = place;
    PathPiece piece{.rank = last, .kind = job->kind(slot)};
    const std::uint32_t tag = job->graph.edge_tag(slot);
    if (tag == graph::kNoTag) return piece;
    piece.name = job->strings.text(job->owners[tag].name);
    piece.event = events[last].find(job->owners[tag].ordinal);
    return piece;
  });
}

}  // namespace

Result<std::vector<PathPiece>> find_path_pieces(const trace::Trace& trace, const RecordedJob* job, Diagnostics& diagnostics) {
  if (trace.ranks.empty()) return Error{"there is no rank"};
  return job == nullptr ? pieces_of_rank(trace, diagnostics) : pieces_of_job(trace, *job, diagnostics);
}

}  // namespace orrery::job
