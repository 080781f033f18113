#include "match/rank_works.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/content_order.h"

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;
using workload::ActivityKind;

struct Call {
  EventIndex event;
  std::int64_t elements;
};

/// The calls and the works of one kind (and, where both say so, size), to be paired.
struct Queue {
  std::vector<Call> calls;
  std::vector<HostWork*> works;
};

class RankWorks {
 public:
  RankWorks(const trace::Trace& trace, const trace::RankTrace& rank, const CommunicationNames& names)
      : trace_(trace), rank_(rank), names_(names), content_(trace, rank) {}

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

  [[nodiscard]] std::int64_t elements_of(EventIndex event) const {
    return rank_.field(Field::in_elements).find(event).value_or(kNoNumber);
  }
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
      if (queue != by_kind.end()) queue->second.calls.push_back({event, elements_of(event)});
    }
    for (auto& [kind, queue] : by_kind) {
      if (pair_by_number(queue)) continue;
      const auto unsized = [](std::int64_t elements) { return elements == kNoNumber; };
      const bool sized =
          std::none_of(queue.works.begin(), queue.works.end(),
                       [&](const HostWork* w) { return unsized(w->elements); }) &&
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

  /// Record functions are numbered as they are made: that of the work right after that of the call. Profilers write the
  /// numbers only beside an execution trace, else 0.
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
    for (const auto& [work, call] : pairs) {
      take_call(*work, call);
      work->call_is_sure = true;
    }
    return true;
  }

  /// Works begin in the order in which they were asked for, and none before.
  void pair_in_order(Queue& queue) {
    std::sort(queue.calls.begin(), queue.calls.end(),
              [&](const Call& a, const Call& b) { return content_.before(a.event, b.event); });
    std::sort(queue.works.begin(), queue.works.end(),
              [&](const HostWork* a, const HostWork* b) { return content_.before(a->event, b->event); });
    auto call = queue.calls.begin();
    std::size_t paired = 0;
    for (HostWork* const work : queue.works) {
      if (call == queue.calls.end()) break;
      if (rank_.start[call->event] > rank_.start[work->event]) continue;  // asked for before the recording began
      take_call(*work, call->event);
      ++call, ++paired;
    }
    // A call or a work too many may be anywhere among them, and all behind it are then one off.
    if (paired != queue.works.size() || paired != queue.calls.size()) return;
    for (HostWork* const work : queue.works) work->call_is_sure = true;
  }

  void take_call(HostWork& work, EventIndex call) {
    work.call = call;
    const bool from_any = is_receive_from_any(trace_.strings.text(rank_.name[call]));
    work.peer = from_any ? workload::kAnyPeer : rank_.field(Field::group_rank).find(call).value_or(kNoNumber);
    work.tag = rank_.field(Field::tag).find(call).value_or(kNoNumber);
    if (work.elements == kNoNumber) work.elements = elements_of(call);
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const CommunicationNames& names_;
  const trace::ContentOrder content_;
  std::vector<HostWork> works_;
};

}  // namespace

std::vector<HostWork> find_rank_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const CommunicationNames& names) {
  if (!names.any_work) return {};
  return RankWorks(trace, rank, names).find();
}

}  // namespace orrery::match
