#include "match/host_work_finder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "match/group_order.h"
#include "match/worker_groups.h"

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;
using workload::ActivityKind;

/// What the names of a job say, each looked at once.
struct CommunicationNames {
  std::vector<std::optional<CommunicationKind>> work, call;  ///< by text
  bool any_work = false;

  explicit CommunicationNames(const Interner& strings) : work(strings.size()), call(strings.size()) {
    for (StringId id = 0; id < strings.size(); ++id) {
      const std::string_view name = strings.text(id);
      if (is_host_communication(name)) work[id] = communication_kind(name);
      else if (is_call_of_communication(name)) call[id] = communication_kind(name);
      any_work = any_work || work[id].has_value();
    }
  }
};

struct Call {
  TimePs start;
  EventIndex event;
  std::int64_t elements;
  friend auto operator<=>(const Call&, const Call&) = default;
};

/// The calls and the works of one kind (and, where both say so, size), to be paired.
struct Queue {
  std::vector<Call> calls;
  std::vector<HostWork*> works;
};

class RankWorks {
 public:
  RankWorks(const trace::RankTrace& rank, const Interner& strings, const CommunicationNames& names)
      : rank_(rank), strings_(strings), names_(names) {}

  std::vector<HostWork> find() {
    for (const EventIndex event : rank_.field(Field::collective_text).event) {
      const auto& kind = names_.work[rank_.name[event]];
      if (!kind || !rank_.has_duration(event) || is_device_side(event)) continue;
      works_.push_back({.event = event, .kind = *kind, .elements = elements_of(event)});
    }
    if (works_.empty()) return {};
    pair_calls();
    return std::move(works_);
  }

 private:
  using QueueKey = std::tuple<ActivityKind, workload::Collective, std::int64_t>;

  [[nodiscard]] std::int64_t elements_of(EventIndex event) const { return rank_.field(Field::in_elements).find(event).value_or(kNoNumber); }
  /// Profilers repeat annotations on the streams of the device.
  [[nodiscard]] bool is_device_side(EventIndex event) const {
    return rank_.activity(event) == trace::Activity::device_annotation || is_device_work(rank_.activity(event));
  }

  void pair_calls() {
    std::map<QueueKey, Queue> by_kind;
    for (HostWork& work : works_) by_kind[{work.kind.kind, work.kind.collective, 0}].works.push_back(&work);
    for (EventIndex event = 0; event < rank_.event_count(); ++event) {
      const auto& kind = names_.call[rank_.name[event]];
      if (!kind || !rank_.has_duration(event)) continue;
      const auto queue = by_kind.find({kind->kind, kind->collective, 0});
      if (queue != by_kind.end()) queue->second.calls.push_back({rank_.start[event], event, elements_of(event)});
    }
    for (auto& [kind, queue] : by_kind) {
      if (pair_by_number(queue)) continue;
      const auto unsized = [](std::int64_t elements) { return elements == kNoNumber; };
      const bool sized = std::none_of(queue.works.begin(), queue.works.end(), [&](const HostWork* w) { return unsized(w->elements); }) &&
                         std::none_of(queue.calls.begin(), queue.calls.end(), [&](const Call& c) { return unsized(c.elements); });
      if (!sized) {
        pair_in_order(queue);
        continue;
      }
      std::map<std::int64_t, Queue> by_size;
      for (HostWork* const work : queue.works) by_size[work->elements].works.push_back(work);
      for (const Call& call : queue.calls) by_size[call.elements].calls.push_back(call);
      for (auto& [size, same] : by_size) pair_in_order(same);
    }
  }

  /// Record functions are numbered as they are made: that of the work right after that of the call. Profilers write the numbers only beside
  /// an execution trace, else 0.
  bool pair_by_number(const Queue& queue) {
    const auto& numbers = rank_.field(Field::record_function);
    std::map<std::int64_t, EventIndex> calls;
    for (const Call& call : queue.calls) calls.emplace(numbers.find(call.event).value_or(0), call.event);
    std::vector<std::pair<HostWork*, EventIndex>> pairs;
    for (HostWork* const work : queue.works) {
      const std::int64_t number = numbers.find(work->event).value_or(0);
      const auto at = calls.find(number - 1);
      if (number <= 1 || at == calls.end()) return false;
      pairs.emplace_back(work, at->second);
    }
    for (const auto& [work, call] : pairs) take_call(*work, call);
    return true;
  }

  /// Works begin in the order in which they were asked for, and none before.
  void pair_in_order(Queue& queue) {
    std::sort(queue.calls.begin(), queue.calls.end());
    std::sort(queue.works.begin(), queue.works.end(), [&](const HostWork* a, const HostWork* b) {
      return std::tuple(rank_.start[a->event], a->event) < std::tuple(rank_.start[b->event], b->event);
    });
    auto call = queue.calls.begin();
    for (HostWork* const work : queue.works) {
      if (call == queue.calls.end()) return;
      if (call->start > rank_.start[work->event]) continue;  // asked for before the recording began
      take_call(*work, call->event);
      ++call;
    }
  }

  void take_call(HostWork& work, EventIndex call) {
    work.call = call;
    const bool from_any = is_receive_from_any(strings_.text(rank_.name[call]));
    work.peer = from_any ? workload::kAnyPeer : rank_.field(Field::group_rank).find(call).value_or(kNoNumber);
    work.tag = rank_.field(Field::tag).find(call).value_or(kNoNumber);
    if (work.elements == kNoNumber) work.elements = elements_of(call);
  }

  const trace::RankTrace& rank_;
  const Interner& strings_;
  const CommunicationNames& names_;
  std::vector<HostWork> works_;
};

}  // namespace

HostWorks find_host_works(const trace::Trace& trace, const ProcessGroups& groups) {
  HostWorks works;
  const CommunicationNames names(trace.strings);
  if (!names.any_work) return works;
  for (const trace::RankTrace& rank : trace.ranks) works.ranks.push_back(RankWorks(rank, trace.strings, names).find());
  find_worker_groups(trace, groups, works);
  number_in_order(trace, groups, works);
  return works;
}

}  // namespace orrery::match
