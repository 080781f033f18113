#include "causal/reduce/reduced_rank.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "causal/causal_graph.h"
#include "causal/join/communication_parts.h"
#include "causal/reduce/reduce_rank.h"
#include "match/communication.h"
#include "trace/columns.h"
#include "trace/select_events.h"

namespace orrery::causal {

void WaitingRank::pack() {
  packed_ = Compressed(rank_bytes(rank_));
  ReducedRank nothing;
  std::swap(rank_, nothing);
}

ReducedRank WaitingRank::take() {
  if (packed_.empty()) return std::move(rank_);
  Result<ReducedRank> rank = load_rank_from_bytes(std::exchange(packed_, {}).bytes(), "");
  if (!rank) throw std::logic_error(rank.error().to_string());  // it was written by pack()
  return std::move(*rank);
}

namespace {

using trace::EventIndex;

/// Texts that the rank still uses, in the order of its events.
void keep_used_texts(const Interner& all, trace::RankTrace& rank, Interner& used) {
  const auto text = [&](StringId id) { return used.intern(all.text(id)); };
  for (StringId& name : rank.name) name = text(name);
  for (trace::Lane& lane : rank.lanes) {
    lane.process.text = text(lane.process.text);
    lane.thread.text = text(lane.thread.text);
    lane.process_name = text(lane.process_name);
    lane.thread_name = text(lane.thread_name);
  }
  for (trace::Category& category : rank.categories) category.text = text(category.text);
  trace::ArgumentTable::for_each(
      rank.arguments, [&](std::string_view, std::string_view, trace::ValueType type, trace::SparseColumn& column) {
        if (type != trace::ValueType::text) return;
        for (std::int64_t& value : column.value) value = text(static_cast<StringId>(value));
      });
}

Status put_rank(GatheredRanks& gathered, std::size_t place, ReducedRank rank) {
  const std::string path = rank.events.source.path;
  const std::int64_t epoch = rank.events.epoch_unix_ns;
  if (!trace::add_rank(gathered.trace, std::move(rank.events), rank.strings))
    return Error{"this was recorded more than 26 days away from the others", path, Error::kNoOffset,
                 "are the files of one run?"};
  const TimePs moved = (epoch - gathered.trace.epoch_unix_ns) * kPsPerNs;
  RankGraph& step = rank.to_join;
  StepWindow& window = step.window;
  for (TimePs* const time : {&window.begin, &window.end, &window.host_begin, &window.host_end}) *time += moved;
  for (StepWindow::Step& range : window.steps) range.begin += moved, range.end += moved;
  step.epoch_us = (gathered.trace.epoch_unix_ns - gathered.trace.ranks[place].source.base_time_ns.value_or(0)) / 1000;
  gathered.to_join[place] = std::move(rank.to_join);
  return {};
}

}  // namespace

namespace {

RankGraph skeleton_of(const trace::Trace& trace, const trace::RankTrace& rank, RankGraph step,
                      const JoinOptions& options) {
  ReductionRequest request;
  for (const StepWindow::Step& range : step.window.steps) request.step_begin.push_back(range.begin - step.window.begin);
  step.class_name = name_pieces(step, options.by_annotation);
  request.communications = CommunicationEdges(trace, rank, step).slots();
  return reduce_rank(step, request);
}

/// Joining looks at the events of communications; of all other work the graph says enough.
void keep_communicating(const RankGraph& step, Column<std::uint8_t>& is_kept) {
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const std::uint32_t tag = step.graph.edge_tag(slot);
    if (step.kind(slot) == EdgeKind::communication && tag != graph::kNoTag) is_kept[step.owner_events[tag]] = 1;
  }
}

}  // namespace

ReducedRank reduce_rank(const trace::Trace& trace, const trace::RankTrace& rank, RankGraph step,
                        const JoinOptions& options, Reduction reduction) {
  ReducedRank reduced;
  Column<std::uint8_t> is_kept = match::communication_events(trace, rank);
  if (reduction == Reduction::none) {
    keep_communicating(step, is_kept);
    reduced.to_join = std::move(step);
  } else {
    reduced.to_join = skeleton_of(trace, rank, std::move(step), options);
    for (const EventIndex event : reduced.to_join.owner_events) is_kept[event] = 1;
  }
  Column<EventIndex> number(rank.event_count());
  EventIndex next = 0;
  for (EventIndex event = 0; event < rank.event_count(); ++event) number[event] = is_kept[event] != 0 ? next++ : next;
  // Of an event that goes, the next that stays takes the place: nobody asks for it, but it must be one.
  for (EventIndex& event : reduced.to_join.owner_events) event = std::min(number[event], next == 0 ? 0 : next - 1);
  reduced.events = trace::select_events(rank, is_kept);
  keep_used_texts(trace.strings, reduced.events, reduced.strings);
  return reduced;
}

Result<GatheredRanks> gather(std::vector<ReducedRank> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const ReducedRank& a, const ReducedRank& b) { return a.events.rank < b.events.rank; });
  GatheredRanks gathered;
  gathered.to_join.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const trace::RankTrace& rank = ranks[r].events;
    if (r > 0 && gathered.trace.ranks.back().rank == rank.rank)
      return Error{
          "two files are of rank " + std::to_string(rank.rank) + ": " + gathered.trace.ranks.back().source.path,
          rank.source.path, Error::kNoOffset, "name the files of one run, one per rank"};
    if (const Status put = put_rank(gathered, r, std::move(ranks[r])); !put) return put.error();
  }
  return gathered;
}

Status replace(GatheredRanks& gathered, std::size_t place, ReducedRank rank) {
  // Ranks are put where their number belongs: without it, that is the same place.
  gathered.trace.ranks.erase(gathered.trace.ranks.begin() + static_cast<std::ptrdiff_t>(place));
  return put_rank(gathered, place, std::move(rank));
}

}  // namespace orrery::causal
