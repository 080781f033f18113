#include "causal/chakra/sync_targets.h"

#include <algorithm>
#include <map>

#include "causal/hta/rows.h"

// Waits on HTA's critical path are told by external ids. An event that waits stands for the next operator on the host
// after it, and what it waits for is the last device work of its id, in the order and with the comparisons of the
// original.

namespace orrery::causal::chakra {
namespace {

using trace::EventIndex;
using trace::Field;

using WaitsByEnd = std::map<std::int64_t, std::vector<std::int64_t>>;  // external id that waits -> those waited for

WaitsByEnd waits_on_path(const trace::RankTrace& rank, const SyncPath& path) {
  WaitsByEnd waits;
  const trace::SparseColumn& external_id = rank.field(Field::external_id);
  for (const std::uint32_t e : path.path_edges) {
    const hta::Edge& edge = path.edges[e];
    if (edge.type != hta::EdgeType::sync_dependency) continue;
    const auto from = external_id.find(path.rows.event[path.nodes.row[edge.from]]);
    const auto to = external_id.find(path.rows.event[path.nodes.row[edge.to]]);
    if (from && to && *from != *to) waits[*to].push_back(*from);
  }
  return waits;
}

struct Waiting {
  EventIndex event;
  double ts;
  std::uint32_t thread_order;
  const std::vector<std::int64_t>* waits_for;
};

class TargetSearch {
 public:
  TargetSearch(const trace::RankTrace& rank, const DeviceTrace& device) : rank_(rank), device_(device) {
    const std::int64_t epoch_us = hta::written_epoch_us(rank);
    ts_.resize_uninitialized(rank.event_count());
    for (EventIndex e = 0; e < rank.event_count(); ++e) ts_[e] = hta::microseconds_as_double(epoch_us, rank.start[e]);
  }

  std::vector<SyncTarget> find(const WaitsByEnd& waits) const {
    const std::map<std::int64_t, EventIndex> last = last_events(waits);
    std::vector<SyncTarget> targets;
    for (const Waiting& waiting : waiting_events(waits)) {
      const HostOps& ops = device_.host;
      const auto op =
          static_cast<std::uint32_t>(std::upper_bound(ops.ts.begin(), ops.ts.end(), waiting.ts) - ops.ts.begin());
      if (op == ops.size()) continue;
      for (const std::int64_t id : *waiting.waits_for) {
        // What is no kernel or copy takes the wait to its grave.
        if (const std::uint32_t work = work_of(last.at(id)); work != kNoWork) targets.push_back({work, op});
      }
    }
    std::stable_sort(targets.begin(), targets.end(),
                     [](const SyncTarget& a, const SyncTarget& b) { return a.work < b.work; });
    return targets;
  }

 private:
  static constexpr std::uint32_t kNoWork = ~std::uint32_t{0};

  // The last event, in the order of time, of every external id that is waited for. The ids come from events, so that
  // each has one.
  std::map<std::int64_t, EventIndex> last_events(const WaitsByEnd& waits) const {
    constexpr EventIndex kNoEvent = ~EventIndex{0};
    std::map<std::int64_t, EventIndex> last;
    for (const auto& [end, starts] : waits) {
      for (const std::int64_t id : starts) last.emplace(id, kNoEvent);
    }
    const trace::SparseColumn& external_id = rank_.field(Field::external_id);
    for (std::size_t i = 0; i < external_id.event.size(); ++i) {
      const auto at = last.find(external_id.value[i]);
      if (at == last.end()) continue;
      const EventIndex e = external_id.event[i];
      if (at->second == kNoEvent || ts_[e] >= ts_[at->second]) at->second = e;
    }
    return last;
  }

  // By thread in order of first appearance, then by time, then by place in the file.
  std::vector<Waiting> waiting_events(const WaitsByEnd& waits) const {
    const std::vector<std::uint32_t> order = order_of_threads();
    std::vector<Waiting> waiting;
    const trace::SparseColumn& external_id = rank_.field(Field::external_id);
    for (std::size_t i = 0; i < external_id.event.size(); ++i) {
      const auto at = waits.find(external_id.value[i]);
      if (at == waits.end()) continue;
      const EventIndex e = external_id.event[i];
      waiting.push_back({e, ts_[e], order[device_.thread_of_lane[rank_.lane[e]]], &at->second});
    }
    std::stable_sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
      return a.thread_order != b.thread_order ? a.thread_order < b.thread_order : a.ts < b.ts;
    });
    return waiting;
  }

  std::vector<std::uint32_t> order_of_threads() const {
    constexpr EventIndex kNoEvent = ~EventIndex{0};
    std::vector<EventIndex> first(device_.threads.size(), kNoEvent);
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      EventIndex& known = first[device_.thread_of_lane[rank_.lane[e]]];
      if (known == kNoEvent || ts_[e] < ts_[known]) known = e;
    }
    std::vector<std::uint32_t> threads;
    for (std::uint32_t t = 0; t < first.size(); ++t) {
      if (first[t] != kNoEvent) threads.push_back(t);
    }
    std::sort(threads.begin(), threads.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ts_[first[a]] != ts_[first[b]] ? ts_[first[a]] < ts_[first[b]] : first[a] < first[b];
    });
    std::vector<std::uint32_t> order(first.size(), 0);
    for (std::uint32_t i = 0; i < threads.size(); ++i) order[threads[i]] = i;
    return order;
  }

  std::uint32_t work_of(EventIndex e) const {
    const DeviceWork& work = device_.work;
    auto at = static_cast<std::uint32_t>(std::lower_bound(work.ts.begin(), work.ts.end(), ts_[e]) - work.ts.begin());
    for (; at < work.size() && work.ts[at] == ts_[e]; ++at) {
      if (work.event[at] == e) return at;
    }
    return kNoWork;
  }

  const trace::RankTrace& rank_;
  const DeviceTrace& device_;
  Column<double> ts_;
};

}  // namespace

std::vector<SyncTarget> find_sync_targets(const trace::RankTrace& rank, const DeviceTrace& device,
                                          const SyncPath& path) {
  const WaitsByEnd waits = waits_on_path(rank, path);
  return waits.empty() ? std::vector<SyncTarget>() : TargetSearch(rank, device).find(waits);
}

}  // namespace orrery::causal::chakra
