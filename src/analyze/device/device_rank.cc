#include "analyze/device/device_rank.h"

#include <optional>
#include <utility>

#include "base/parallel.h"
#include "causal/host/launching_operators.h"

// Timeline, window, devices and types of work, in this order, since each needs the one before. Operators are found only
// if somebody asks for them, or if names of kernels do not tell what communicates.

namespace orrery::analyze {
namespace {

using trace::Activity;

constexpr DiagnosticKind kRankWithoutDevice{
    "B901", Severity::note, "a rank has no device work in the window",
    "it is in no sum; a CPU-only rank, or ProfilerActivity.CUDA was not asked for"};

std::vector<WorkType> types_of(const DeviceRank& devices) {
  std::vector<WorkType> types;
  types.reserve(devices.timeline.works.size());
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    switch (devices.rank->activity(devices.timeline.works[w].event)) {
      case Activity::memory_copy: types.push_back(WorkType::memory_copy); break;
      case Activity::memory_set: types.push_back(WorkType::memory_set); break;
      // Copies and fills by their activity, whatever they are called.
      default: types.push_back(devices.communication.communicates(w) ? WorkType::communication : WorkType::computation);
    }
  }
  return types;
}

void number_devices(DeviceRank& devices) {
  for (const causal::Queue& queue : devices.timeline.queues) {
    // Queues are ordered by device.
    if (devices.devices.empty() || devices.devices.back() != queue.device) devices.devices.push_back(queue.device);
    devices.device_of_queue.push_back(static_cast<std::uint32_t>(devices.devices.size() - 1));
  }
}

}  // namespace

const char* identifier(WorkType type) {
  static constexpr const char* kNames[] = {"computation", "communication", "memory_copy", "memory_set"};
  return kNames[static_cast<std::size_t>(type)];
}

const char* to_string(WorkType type) {
  static constexpr const char* kNames[] = {"computation", "communication", "memory copy", "memory set"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<DeviceRank> look_at_devices(const trace::Trace& trace, const trace::RankTrace& rank,
                                   const causal::WindowRequest& request, bool with_operators,
                                   Diagnostics& diagnostics) {
  trace::ContentOrder content(trace, rank);
  causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, diagnostics);
  Result<causal::StepWindow> window = causal::choose_window(trace, rank, timeline, content, request);
  if (!window) return window.error();
  DeviceRank devices{.trace = &trace,
                     .rank = &rank,
                     .content = std::move(content),
                     .timeline = std::move(timeline),
                     .window = std::move(*window),
                     .devices = {},
                     .device_of_queue = {},
                     .types = {},
                     .communication = {},
                     .operators = {},
                     .operator_around = {}};
  number_devices(devices);
  if (!devices.timeline.works.empty() && (with_operators || causal::operators_may_tell_communication(trace)))
    devices.operators = causal::launching_operators(trace, rank, devices.timeline, devices.content,
                                                    with_operators ? &devices.operator_around : nullptr);
  devices.communication = causal::communications_of_works(trace, rank, devices.timeline, devices.operators);
  devices.types = types_of(devices);
  bool any = false;
  for (std::uint32_t w = 0; w < devices.timeline.works.size() && !any; ++w)
    any = devices.belongs(w) || devices.in_window(w);
  if (!any) diagnostics.add(kRankWithoutDevice, [&] { return rank.source.path; });
  return devices;
}

Result<std::vector<DeviceRank>> look_at_devices(const trace::Trace& trace, const causal::WindowRequest& request,
                                                bool with_operators, Diagnostics& diagnostics) {
  std::vector<std::optional<Result<DeviceRank>>> looked(trace.ranks.size());
  std::vector<Diagnostics> remarks(trace.ranks.size());
  parallel_for(trace.ranks.size(), [&](std::size_t r) {
    looked[r].emplace(look_at_devices(trace, trace.ranks[r], request, with_operators, remarks[r]));
  });
  std::vector<DeviceRank> ranks;
  for (std::size_t r = 0; r < looked.size(); ++r) {
    diagnostics.merge(remarks[r]);
    if (!*looked[r]) return looked[r]->error();
    ranks.push_back(std::move(**looked[r]));
  }
  return ranks;
}

bool any_device_work(const std::vector<DeviceRank>& ranks) {
  for (const DeviceRank& devices : ranks) {
    for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
      if (devices.belongs(w) || devices.in_window(w)) return true;
    }
  }
  return false;
}

}  // namespace orrery::analyze
