#include "causal/device/communicating_works.h"

#include <algorithm>

#include "causal/host/launching_operators.h"
#include "match/communication.h"

namespace orrery::causal {
namespace {

using match::LibraryKernel;
using trace::Activity;
using trace::EventIndex;

bool is_kernel(const trace::RankTrace& rank, EventIndex event) {
  const Activity activity = rank.activity(event);
  return activity != Activity::memory_copy && activity != Activity::memory_set;
}

// What names say, each looked at once: there are a thousand times more works than names.
class KernelNames {
 public:
  explicit KernelNames(const Interner& strings) : strings_(strings), known_(strings.size(), kNotLookedAt) {}

  LibraryKernel of(StringId name) {
    std::uint8_t& known = known_[name];
    if (known == kNotLookedAt) known = static_cast<std::uint8_t>(match::library_kernel(strings_.text(name)));
    return static_cast<LibraryKernel>(known);
  }

 private:
  static constexpr std::uint8_t kNotLookedAt = 255;
  const Interner& strings_;
  std::vector<std::uint8_t> known_;
};

}  // namespace

bool asks_for_communication(std::string_view name) {
  return match::names_communication(name) || name == "record_param_comms";
}

bool operators_may_tell_communication(const Interner& strings) {
  for (StringId id = 0; id < strings.size(); ++id) {
    const std::string_view name = strings.text(id);
    // Operators are looked for only where they can decide something: finding them takes longer than all the rest.
    if (asks_for_communication(name) || match::library_kernel(name) == LibraryKernel::mentioned) return true;
  }
  return false;
}

std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline, std::span<const EventIndex> operators) {
  std::vector<std::uint8_t> communicates(timeline.works.size(), 0);
  const trace::SparseColumn& recorded = rank.field(trace::Field::collective_text);
  bool any_recorded = false;
  // Without a single record the loop is not entered.
  for (std::uint32_t w = 0; w < timeline.works.size() && !recorded.event.empty(); ++w) {
    const EventIndex event = timeline.works[w].event;
    if (!is_kernel(rank, event) || !recorded.find(event)) continue;
    communicates[w] = 1;
    any_recorded = true;
  }
  KernelNames names(trace.strings);
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
    const EventIndex event = timeline.works[w].event;
    if (communicates[w] != 0 || !is_kernel(rank, event)) continue;
    const EventIndex launcher = operators.empty() ? kNoEvent : operators[w];
    if (launcher != kNoEvent && asks_for_communication(trace.name(rank, launcher))) {
      communicates[w] = 1;
      continue;
    }
    switch (names.of(rank.name[event])) {
      case LibraryKernel::none: break;
      case LibraryKernel::entry: communicates[w] = 1; break;
      // A name that only mentions a library decides where nothing better is known: no operator, and no records at all.
      case LibraryKernel::mentioned: communicates[w] = launcher == kNoEvent && !any_recorded ? 1 : 0; break;
    }
  }
  return communicates;
}

std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline, const trace::ContentOrder& content) {
  std::vector<EventIndex> operators;
  if (!timeline.works.empty() && operators_may_tell_communication(trace.strings))
    operators = launching_operators(trace, rank, timeline, content);
  return communicating_works(trace, rank, timeline, std::span<const EventIndex>(operators));
}

}  // namespace orrery::causal
