#include "page/event_kinds.h"

#include "link/device_binding.h"
#include "link/host_communication.h"
#include "page/kinds.h"

namespace orrery::page {
namespace {

using link::EdgeKind;
using trace::Activity;

constexpr std::uint8_t number_of(EdgeKind kind) { return static_cast<std::uint8_t>(kind); }

std::uint8_t usual_kind(Activity activity) {
  switch (activity) {
    case Activity::cpu_operator: return number_of(EdgeKind::cpu_operator);
    case Activity::python: return number_of(EdgeKind::cpu_python);
    case Activity::runtime_call: return number_of(EdgeKind::cpu_runtime);
    case Activity::kernel: return number_of(EdgeKind::kernel);
    case Activity::memory_copy: return number_of(EdgeKind::memory_copy);
    case Activity::memory_set: return number_of(EdgeKind::memory_set);
    case Activity::mpi_call: return number_of(EdgeKind::communication);
    // A recorded wait is what a stream or a call waits in; what the profiler does is nobody's work.
    case Activity::synchronization: return number_of(EdgeKind::stream_wait);
    case Activity::overhead:
    case Activity::other: return number_of(EdgeKind::cpu_untraced);
    case Activity::annotation:
    case Activity::device_annotation:
    case Activity::profiler_span: return kAnnotationKind;
  }
  return kAnnotationKind;
}

}  // namespace

Column<std::uint8_t> event_kinds(const trace::Trace& trace, const trace::RankTrace& rank) {
  enum : std::uint8_t { kUnknown, kComputes, kCommunicates };
  Column<std::uint8_t> kinds(rank.event_count());
  const link::HostCommunication host_communication(trace, rank);
  std::vector<std::uint8_t> usual;
  for (const trace::Category& category : rank.categories) usual.push_back(usual_kind(category.activity));
  // A kernel communicates by its name as a rule; only where the name does not tell are the arguments of each asked.
  std::vector<std::uint8_t> by_name(trace.strings.size(), kUnknown);
  const bool has_collectives = !rank.field(trace::Field::collective_text).event.empty();
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    std::uint8_t kind = usual[rank.category[e]];
    if (kind == number_of(EdgeKind::kernel)) {
      std::uint8_t& known = by_name[rank.name[e]];
      if (known == kUnknown || (known == kComputes && has_collectives))
        known = link::is_communication_kernel(trace, rank, e) ? kCommunicates : kComputes;
      if (known == kCommunicates) kind = number_of(EdgeKind::communication);
    } else if (!host_communication.is_empty() && host_communication.contains(e)) {
      kind = number_of(EdgeKind::communication);
    }
    kinds[e] = kind;
  }
  return kinds;
}

}  // namespace orrery::page
