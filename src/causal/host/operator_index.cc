#include "causal/host/operator_index.h"

#include <algorithm>
#include <vector>

#include "base/radix_sort.h"
#include "match/communication.h"

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

class OperatorSearch {
 public:
  OperatorSearch(const trace::Trace& trace, const trace::RankTrace& rank)
      : trace_(trace), rank_(rank), content_(trace, rank) {
    index_.operator_of.assign(rank.event_count(), kNoEvent);
  }

  OperatorIndex run() {
    find_enclosing();
    attribute_device_work();
    return std::move(index_);
  }

 private:
  struct Open {
    TimePs end;
    EventIndex serves;  // what an event inside this one belongs to
    bool is_operator;   // `serves` is an operator, not an annotation that stands in for one
  };

  void find_enclosing() {
    // By start, and of those that start together on a lane the longer first: an event comes after those around it.
    Column<KeyedIndex> order;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (is_host_work(rank_.activity(e)) && rank_.activity(e) != Activity::python)
        order.push_back({radix_key(rank_.start[e]), e});
    }
    radix_sort(order);
    content_.sort_runs(order, [](const KeyedIndex& a, const KeyedIndex& b) { return a.key == b.key; });
    std::vector<std::vector<Open>> stacks(rank_.lanes.size());
    for (const KeyedIndex& item : order) visit(item.index, stacks[rank_.lane[item.index]]);
  }

  void visit(EventIndex e, std::vector<Open>& stack) {
    // What overlaps without nesting is not around it: threads of one number, or events that were closed late.
    while (!stack.empty() && (stack.back().end < rank_.end(e) || stack.back().end <= rank_.start[e])) stack.pop_back();
    if (!stack.empty()) index_.operator_of[e] = stack.back().serves;
    if (rank_.activity(e) == Activity::runtime_call) return;
    const std::string_view name = trace_.name(rank_, e);
    const bool is_operator = rank_.activity(e) == Activity::cpu_operator || match::is_host_communication(name);
    // Steps stand for no operator, and an annotation inside of an operator would hide it.
    if (!is_operator && (name.starts_with("ProfilerStep") || (!stack.empty() && stack.back().is_operator))) return;
    stack.push_back({rank_.end(e), e, is_operator});
  }

  void attribute_device_work() {
    const CallIndex calls(rank_, content_);
    const Column<std::int64_t> correlation = rank_.field(Field::correlation).dense(rank_.event_count(), -1);
    const Column<std::int64_t> external = rank_.field(Field::external_id).dense(rank_.event_count(), 0);
    const Column<KeyedIndex> by_external = operators_by_external_id(external);
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (!is_device_work(rank_.activity(e)) || !rank_.has_duration(e)) continue;
      ++index_.device_works;
      const EventIndex call = correlation[e] >= 0 ? calls.find(correlation[e]) : kNoEvent;
      EventIndex found = call == kNoEvent ? kNoEvent : index_.operator_of[call];
      if (found == kNoEvent && external[e] > 0) found = find(by_external, external[e]);
      index_.operator_of[e] = found;
      if (found != kNoEvent) ++index_.attributed;
    }
  }

  [[nodiscard]] Column<KeyedIndex> operators_by_external_id(const Column<std::int64_t>& external) const {
    Column<KeyedIndex> order;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      const Activity activity = rank_.activity(e);
      if (external[e] > 0 && (activity == Activity::cpu_operator || activity == Activity::annotation))
        order.push_back({radix_key(external[e]), e});
    }
    radix_sort(order);
    content_.sort_runs(order, [](const KeyedIndex& a, const KeyedIndex& b) { return a.key == b.key; });
    return order;
  }

  // The first to start where several share one.
  [[nodiscard]] static EventIndex find(const Column<KeyedIndex>& by_external, std::int64_t id) {
    const auto* const at = std::lower_bound(by_external.begin(), by_external.end(), radix_key(id),
                                            [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; });
    return at == by_external.end() || at->key != radix_key(id) ? kNoEvent : at->index;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  trace::ContentOrder content_;
  OperatorIndex index_;
};

}  // namespace

OperatorIndex make_operator_index(const trace::Trace& trace, const trace::RankTrace& rank) {
  return OperatorSearch(trace, rank).run();
}

}  // namespace orrery::causal
