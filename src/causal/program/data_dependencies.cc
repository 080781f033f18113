#include "causal/program/data_dependencies.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "causal/diagnostics.h"
#include "causal/program/tensor_reads.h"

// Two kinds. A backward operator depends on its forward operator: by the arrows that the profiler draws or, without
// them, by autograd's sequence numbers, which both have. An operator that reads a storage depends on who wrote it last,
// by the arguments of the host trace. What would go against time is left out and counted: it was seen to be no cause.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

/// (forward operator, backward operator)
using OperatorPairs = std::vector<std::pair<EventIndex, EventIndex>>;

/// Operators by start, to find the one that an arrow touches.
class StartIndex {
 public:
  explicit StartIndex(const trace::RankTrace& rank) : rank_(rank) {
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (rank.activity(e) == Activity::cpu_operator) order_.push_back({radix_key(rank.start[e]), e});
    }
    radix_sort(order_);
  }

  /// The operator that started then; of several the shortest.
  [[nodiscard]] EventIndex find(trace::LaneIndex lane, TimePs time) const {
    const auto* at = std::lower_bound(order_.begin(), order_.end(), radix_key(time),
                                      [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; });
    EventIndex found = kNoEvent;
    for (; at != order_.end() && at->key == radix_key(time); ++at) {
      if (rank_.lane[at->index] != lane) continue;
      if (found == kNoEvent || rank_.duration[at->index] < rank_.duration[found]) found = at->index;
    }
    return found;
  }

 private:
  const trace::RankTrace& rank_;
  Column<KeyedIndex> order_;
};

OperatorPairs pairs_by_arrows(const trace::Trace& trace, const trace::RankTrace& rank) {
  struct Point {
    std::int64_t id;
    bool is_end;
    std::uint32_t flow;
  };
  std::vector<Point> points;
  for (std::uint32_t f = 0; f < rank.flows.size(); ++f) {
    // PyTorch's arrows from a forward operator ('s') to its backward one ('f'); other arrows are launches.
    if (trace.strings.text(rank.categories[rank.flows.category[f]].text) != "fwdbwd") continue;
    if (rank.flows.phase[f] == 's' || rank.flows.phase[f] == 'f')
      points.push_back({rank.flows.id[f], rank.flows.phase[f] == 'f', f});
  }
  if (points.empty()) return {};
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.id != b.id ? a.id < b.id : a.is_end < b.is_end; });
  const StartIndex starts(rank);
  const auto operator_at = [&](const Point& point) {
    return starts.find(rank.flows.lane[point.flow], rank.flows.time[point.flow]);
  };
  OperatorPairs pairs;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    // A beginning and its end stand side by side, since both have one id.
    if (points[i].is_end || !points[i + 1].is_end || points[i].id != points[i + 1].id) continue;
    const EventIndex forward = operator_at(points[i]), backward = operator_at(points[i + 1]);
    if (forward != kNoEvent && backward != kNoEvent) pairs.emplace_back(forward, backward);
  }
  return pairs;
}

OperatorPairs pairs_by_sequence_number(const trace::RankTrace& rank) {
  struct Numbered {
    std::int64_t number;
    TimePs start;
    EventIndex event;
    bool is_backward;
  };
  const trace::SparseColumn& numbers = rank.field(Field::sequence_number);
  const Column<std::int64_t> forward_thread = rank.field(Field::forward_thread).dense(rank.event_count(), 0);
  std::vector<Numbered> operators;
  for (std::size_t i = 0; i < numbers.event.size(); ++i) {
    const EventIndex e = numbers.event[i];
    if (rank.activity(e) == Activity::cpu_operator && numbers.value[i] >= 0)
      // Only backward operators know the thread of their forward one.
      operators.push_back({numbers.value[i], rank.start[e], e, forward_thread[e] > 0});
  }
  std::stable_sort(operators.begin(), operators.end(), [](const Numbered& a, const Numbered& b) {
    return a.number != b.number ? a.number < b.number : a.start < b.start;
  });
  OperatorPairs pairs;
  for (std::size_t i = 1; i < operators.size(); ++i) {
    // By start: the last forward operator of the number, and right after it the outermost backward one.
    const Numbered& forward = operators[i - 1];
    const Numbered& backward = operators[i];
    if (forward.number == backward.number && !forward.is_backward && backward.is_backward)
      pairs.emplace_back(forward.event, backward.event);
  }
  return pairs;
}

}  // namespace

ActivityPairs find_backward_dependencies(const trace::Trace& trace, const trace::RankTrace& rank,
                                         const ActivityChain& chain, Diagnostics& diagnostics) {
  // Arrows say which operators belong together; sequence numbers are shared by operators inside of each other.
  OperatorPairs pairs = pairs_by_arrows(trace, rank);
  if (pairs.empty()) pairs = pairs_by_sequence_number(rank);
  if (pairs.empty()) return {};
  const Column<ActivityExtent> extents = activity_extents(chain, rank.event_count());
  ActivityPairs found;
  for (const auto& [forward, backward] : pairs) {
    const std::uint32_t from = extents[forward].last, to = extents[backward].first;
    if (from == kNoActivity || to == kNoActivity || found.add(chain, from, to)) continue;
    diagnostics.add(kDependencyAgainstTime, [&, f = forward, b = backward] {
      return std::string(trace.name(rank, b)) + " started before " + std::string(trace.name(rank, f)) +
             " ended, of which it is the backward";
    });
  }
  return found;
}

namespace {

using trace::EventIndex;

class TensorSearch {
 public:
  TensorSearch(const trace::Trace& trace, const trace::RankTrace& rank, const HostMatch& match,
               const OperatorIndex& operators, const trace::HostArguments& arguments, const ActivityChain& chain,
               Diagnostics& diagnostics)
      : trace_(trace),
        rank_(rank),
        match_(match),
        storages_(rank, match, arguments),
        chain_(chain),
        diagnostics_(diagnostics),
        host_(activity_extents(chain, rank.event_count())) {
    device_.assign(rank.event_count(), ActivityExtent{});
    for (std::uint32_t a = 0; a < chain.activities.size(); ++a) {
      const EventIndex event = chain.activities[a].event;
      if (event == kNoEvent || !is_device_work(rank.activity(event))) continue;
      if (const EventIndex launcher = operators.operator_of[event]; launcher != kNoEvent) device_[launcher].add(a);
    }
  }

  ActivityPairs run() {
    for (const KeyedIndex& item : operators_in_order()) visit(item.index);
    return std::move(result_);
  }

 private:
  [[nodiscard]] Column<KeyedIndex> operators_in_order() const {
    Column<KeyedIndex> order;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (match_.row_of_event[e] != kNoRow && (host_[e].first != kNoActivity || device_[e].first != kNoActivity))
        order.push_back({radix_key(rank_.start[e]), e});
    }
    radix_sort(order);
    return order;
  }

  void visit(EventIndex event) { add_pairs(event, storages_.visit(event, device_[event].first != kNoActivity)); }

  void add_pairs(EventIndex reader, std::span<const EventIndex> writers) {
    latest_.clear();
    for (const EventIndex writer : writers) {
      // Work on a device waits for work on a device; otherwise one call waits for the other.
      const bool on_device = device_[writer].first != kNoActivity && device_[reader].first != kNoActivity;
      const std::uint32_t from = on_device ? device_[writer].last : host_[writer].last;
      if (from == kNoActivity || (on_device ? device_[reader].first : host_[reader].first) == kNoActivity) continue;
      // The last of each lane.
      const auto same_lane = std::find_if(latest_.begin(), latest_.end(), [&](std::uint32_t other) {
        return chain_.activities[other].lane == chain_.activities[from].lane;
      });
      if (same_lane == latest_.end()) latest_.push_back(from);
      else *same_lane = std::max(*same_lane, from);
    }
    std::sort(latest_.begin(), latest_.end());
    for (const std::uint32_t from : latest_) {
      const bool on_device = is_device_work(rank_.activity(chain_.activities[from].event));
      add_pair(from, on_device ? device_[reader].first : host_[reader].first);
    }
  }

  void add_pair(std::uint32_t from, std::uint32_t to) {
    if (result_.add(chain_, from, to)) return;
    diagnostics_.add(kDependencyAgainstTime, [&] {
      return std::string(trace_.name(rank_, chain_.activities[to].event)) + " started before " +
             std::string(trace_.name(rank_, chain_.activities[from].event)) + " ended, whose result it reads";
    });
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const HostMatch& match_;
  StorageWriters storages_;
  const ActivityChain& chain_;
  Diagnostics& diagnostics_;
  Column<ActivityExtent> host_,
      device_;  // per event: its own activities, and those of the device work that it launched
  std::vector<std::uint32_t> latest_;
  ActivityPairs result_;
};

}  // namespace

ActivityPairs find_tensor_dependencies(const trace::Trace& trace, const trace::RankTrace& rank, const HostMatch& match,
                                       const OperatorIndex& operators, const trace::HostArguments& arguments,
                                       const ActivityChain& chain, Diagnostics& diagnostics) {
  return TensorSearch(trace, rank, match, operators, arguments, chain, diagnostics).run();
}

}  // namespace orrery::causal
