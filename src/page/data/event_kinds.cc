#include "page/data/event_kinds.h"

#include "causal/device/communicating_works.h"
#include "causal/host/host_communication.h"

namespace orrery::page {
namespace {

std::string_view family_of(causal::EdgeKind kind) {
  using causal::EdgeKind;
  switch (kind) {
    case EdgeKind::cpu_operator:
    case EdgeKind::cpu_python: return "host";
    case EdgeKind::cpu_runtime: return "runtime";
    case EdgeKind::cpu_untraced: return "untraced";
    case EdgeKind::data_loading: return "loading";
    case EdgeKind::kernel: return "kernel";
    case EdgeKind::communication: return "communication";
    case EdgeKind::memory_copy:
    case EdgeKind::memory_set: return "copy";
    case EdgeKind::idle_thread:
    case EdgeKind::idle_device:
    case EdgeKind::earlier_work:
    case EdgeKind::before: return "idle";
    case EdgeKind::order:
    case EdgeKind::arrival:
    case EdgeKind::several: return "order";
    default: return "delay";
  }
}

}  // namespace

KindInfo kind_info(std::size_t kind) {
  if (kind >= kAnnotationKind) return {"annotation", "annotations", "annotation"};
  const auto edge = static_cast<causal::EdgeKind>(kind);
  return {causal::identifier(edge), causal::to_string(edge), family_of(edge)};
}

namespace {

using causal::EdgeKind;
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

// By the rule of `path`, so that a bar has the colour of its row.
void mark_communicating_kernels(const trace::Trace& trace, const trace::RankTrace& rank, Column<std::uint8_t>& kinds) {
  const trace::ContentOrder content(trace, rank);
  Diagnostics said_elsewhere;
  const causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, said_elsewhere);
  const std::vector<std::uint8_t> communicates = causal::communicating_works(trace, rank, timeline, content);
  for (std::size_t w = 0; w < communicates.size(); ++w) {
    if (communicates[w] != 0) kinds[timeline.works[w].event] = number_of(EdgeKind::communication);
  }
}

}  // namespace

Column<std::uint8_t> event_kinds(const trace::Trace& trace, const trace::RankTrace& rank) {
  Column<std::uint8_t> kinds(rank.event_count());
  const causal::HostCommunication host_communication(trace, rank);
  std::vector<std::uint8_t> usual;
  for (const trace::Category& category : rank.categories) usual.push_back(usual_kind(category.activity));
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    std::uint8_t kind = usual[rank.category[e]];
    if (!host_communication.is_empty() && host_communication.contains(e)) kind = number_of(EdgeKind::communication);
    if (host_communication.is_local_call(e)) kind = number_of(EdgeKind::cpu_operator);
    kinds[e] = kind;
  }
  mark_communicating_kernels(trace, rank, kinds);
  return kinds;
}

}  // namespace orrery::page
