#include "analyze/blame/ideal_job.h"

#include <algorithm>
#include <compare>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "base/int128.h"
#include "base/parallel.h"
#include "causal/edge_kind.h"
#include "graph/solve_many.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::EdgeKind;
using graph::NodeId;
using graph::Slot;

constexpr std::size_t kEnoughRanks = 3;
constexpr std::size_t kSolvedBytes = std::size_t{64} << 20;  // of their finishes: a large job is solved once at a time

/// The class and step of a piece of work in one number: kind, step, name.
using WorkKey = std::uint64_t;
WorkKey without_step(WorkKey key) { return key & 0xff000000ffffffffULL; }

WorkKey key_of(const causal::WorkClass& work) {
  const auto kind = static_cast<EdgeKind>(work.kind);
  // The same Python and unrecorded time carries many names: which function was on top is chance.
  const bool by_name = kind != EdgeKind::cpu_python && kind != EdgeKind::cpu_untraced;
  const std::uint32_t step = work.step == causal::kNoStep ? 0 : work.step & 0xffffffU;
  return std::uint64_t{work.kind} << 56 | std::uint64_t{step} << 32 | (by_name ? work.name : 0);
}

bool counts_as_work(const causal::WorkClass& work) { return analyze::is_work(static_cast<EdgeKind>(work.kind)); }

/// Calls visit(slot) for edges that are work, or may have some in them.
template <typename Visit>
void for_each_edge_of_work(const CausalGraph& job, std::uint32_t place, Visit&& visit) {
  const NodeId end = place + 1 < job.ranks.size() ? job.ranks[place + 1].first_node : job.first_ready;
  for (NodeId node = job.ranks[place].first_node; node < end; ++node) {
    for (const Slot slot : job.graph.incoming(node)) {
      const EdgeKind kind = job.kind(slot);
      if ((analyze::is_work(kind) || kind == EdgeKind::several) && job.graph.weight(slot) > 0) visit(slot);
    }
  }
}

using Totals = std::unordered_map<WorkKey, TimePs>;

Totals totals_of(const CausalGraph& job, std::uint32_t place) {
  Totals totals;
  const auto add = [&](const causal::WorkClass& work, TimePs time) {
    if (counts_as_work(work) && time > 0) totals[key_of(work)] += time;
  };
  if (job.pieces.empty()) {
    for_each_edge_of_work(job, place, [&](Slot slot) {
      if (!causal::is_part(job, slot)) job.for_each_work(slot, place, add);
    });
    return totals;
  }
  // A reduced graph has not all work of its rank, but knows how much there was.
  job.pieces[place].for_each_total(add);
  return totals;
}

/// By class and step: the median of the ranks' totals. Only of classes that enough ranks have. The totals of all ranks
/// together are most of what a large job takes for this, so they are listed, and asked for again by whoever needs one
/// rank's.
Totals medians_of(const CausalGraph& job) {
  struct Total {
    WorkKey key;
    TimePs time;
    auto operator<=>(const Total&) const = default;
  };
  std::mutex mutex;
  Column<Total> all;
  std::unordered_map<WorkKey, std::size_t> ranks_with_class;
  parallel_for(job.ranks.size(), [&](std::size_t place) {
    const Totals totals = totals_of(job, static_cast<std::uint32_t>(place));
    std::vector<WorkKey> classes;
    classes.reserve(totals.size());
    // A rank counts once for a class, in however many steps it has it.
    for (const auto& [key, total] : totals) classes.push_back(without_step(key));
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    const std::scoped_lock lock(mutex);
    for (const auto& [key, total] : totals) all.push_back({key, total});
    for (const WorkKey key : classes) ++ranks_with_class[key];
  });
  std::sort(all.begin(), all.end());
  Totals medians;
  for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
    while (next < all.size() && all[next].key == all[first].key) ++next;
    const std::size_t have = ranks_with_class[without_step(all[first].key)];
    if (have < kEnoughRanks) continue;
    // Ranks that have the class, but not in this step, come first with 0.
    // The lower median, of as many ranks as have the class in any step.
    const std::size_t zeros = have - (next - first), middle = (have - 1) / 2;
    medians[all[first].key] = middle < zeros ? 0 : all[first + middle - zeros].time;
  }
  return medians;
}

TimePs scaled(TimePs weight, TimePs to, TimePs from) {
  // In 128 bits and rounded to the nearest: products of two times do not fit 64.
  return static_cast<TimePs>((Int128{weight} * to + from / 2) / from);
}

/// Sorted, the like stand together, the shortest first.
struct Transfer {
  std::uint32_t step;
  StringId what;
  bool receives;
  std::uint32_t members;
  std::int64_t bytes;
  TimePs weight;
  Slot slot;
  auto operator<=>(const Transfer&) const = default;
  [[nodiscard]] bool is_like(const Transfer& other) const {
    return std::tie(step, what, receives, members, bytes) ==
           std::tie(other.step, other.what, other.receives, other.members, other.bytes);
  }
};

}  // namespace

bool is_work(EdgeKind kind) {
  return causal::is_host(kind) || (causal::is_device(kind) && kind != EdgeKind::communication);
}

TypicalWork::TypicalWork(const CausalGraph& job) : ranks_(job.ranks.size()) {
  const Totals medians = medians_of(job);
  parallel_for(ranks_.size(), [&](std::size_t i) {
    const auto place = static_cast<std::uint32_t>(i);
    const Totals totals = totals_of(job, place);
    const auto changes_by = [&](const causal::WorkClass& work, TimePs time) -> TimePs {
      if (!counts_as_work(work)) return 0;
      const WorkKey key = key_of(work);
      const auto median = medians.find(key);
      const auto own =
          totals.find(key);  // none: the rank has parts of it only (causal/edge_kind.h), which are in no sum
      if (median == medians.end() || own == totals.end()) return 0;
      return own->second == median->second ? 0 : scaled(time, median->second, own->second) - time;
    };
    Changes& changes = ranks_[place];
    for_each_edge_of_work(job, place, [&](Slot slot) {
      TimePs change = 0;
      job.for_each_work(slot, place, [&](const causal::WorkClass& work, TimePs time) {
        change += time > 0 ? changes_by(work, time) : 0;
      });
      if (change == 0) return;
      changes.slots.push_back(slot);
      changes.weights.push_back(job.graph.weight(slot) + change);
    });
    changes.slots.shrink_to_fit();
    changes.weights.shrink_to_fit();
  });
}

void TypicalWork::apply(std::uint32_t place, graph::Edits& edits) const {
  const std::span<const Slot> changed = slots(place);
  const std::span<const TimePs> weight = weights(place);
  for (std::size_t i = 0; i < changed.size(); ++i) edits.set_weight(changed[i], weight[i]);
}

void TypicalWork::undo(std::uint32_t place, graph::Edits& edits) const {
  for (const Slot slot : slots(place)) edits.set_weight(slot, edits.graph().weight(slot));
}

graph::Edits ideal_edits(const CausalGraph& job, const TypicalWork& work, const std::vector<std::uint8_t>& is_ideal) {
  graph::Edits edits(job.graph);
  for (std::uint32_t place = 0; place < job.ranks.size(); ++place) {
    if (is_ideal[place]) work.apply(place, edits);
  }
  return edits;
}

graph::Edits ideal_edits(const CausalGraph& job, const std::vector<std::uint8_t>& is_ideal) {
  return ideal_edits(job, TypicalWork(job), is_ideal);
}

TypicalTransfers::TypicalTransfers(const CausalGraph& job) {
  std::vector<Transfer> transfers;
  transfers.reserve(job.parts.size());
  for (std::uint32_t p = 0; p < job.parts.size(); ++p) {
    const causal::JobPart& part = job.parts[p];
    const causal::JobOperation& operation = job.operations[part.operation];
    const bool receives = operation.ordering == match::Ordering::message && p != operation.first;
    transfers.push_back({job.step_of(part.transfer, part.rank), operation.what, receives, operation.members,
                         operation.bytes, job.graph.weight(part.transfer), part.transfer});
  }
  std::sort(transfers.begin(), transfers.end());
  slots_.reserve(transfers.size());
  weights_.reserve(transfers.size());
  for (std::size_t first = 0, next = 0; first < transfers.size(); first = next) {
    while (next < transfers.size() && transfers[next].is_like(transfers[first])) ++next;
    // The lower one of the two in the middle: a time that was measured.
    const TimePs median = transfers[first + (next - first - 1) / 2].weight;
    for (std::size_t i = first; i < next; ++i) {
      slots_.push_back(transfers[i].slot);
      weights_.push_back(median);
    }
  }
}

void TypicalTransfers::apply(graph::Edits& edits) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) edits.set_weight(slots_[i], weights_[i]);
}

void TypicalTransfers::undo(graph::Edits& edits) const {
  for (const Slot slot : slots_) edits.set_weight(slot, edits.graph().weight(slot));
}

graph::Edits communication_ideal(const CausalGraph& job) {
  graph::Edits edits(job.graph);
  TypicalTransfers(job).apply(edits);
  return edits;
}

std::vector<TimePs> lengths_with_one_ideal(const CausalGraph& job, const TypicalWork& work,
                                           std::span<const std::uint32_t> places) {
  // As many solutions at once as fit the memory meant for them.
  const std::size_t room = kSolvedBytes / (sizeof(TimePs) * std::max<std::size_t>(job.graph.node_count(), 1));
  return graph::solve_lengths(
      places.size(), job.end,
      [&](std::size_t i) {
        graph::Edits edits(job.graph);
        work.apply(places[i], edits);
        return edits;
      },
      std::clamp<std::size_t>(room, 1, graph::kSolvedAtOnce));
}

std::vector<TimePs> lengths_with_one_as_measured(const CausalGraph& job, const TypicalWork& work,
                                                 std::span<const std::uint32_t> places, graph::Edits& ideal) {
  std::vector<TimePs> lengths;
  for (const std::uint32_t place : places) {
    work.undo(place, ideal);
    lengths.push_back(graph::solve(ideal, job.end).length());
    work.apply(place, ideal);
  }
  return lengths;
}

}  // namespace orrery::analyze
