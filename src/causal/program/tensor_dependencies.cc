#include "causal/program/tensor_dependencies.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/radix_sort.h"
#include "causal/diagnostics.h"
#include "causal/program/storage_writers.h"

namespace orrery::causal {
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
