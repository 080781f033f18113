#include "causal/chakra/link.h"

#include "causal/chakra/device_trace.h"
#include "causal/chakra/diagnostics.h"
#include "causal/chakra/exclusive_time.h"
#include "causal/chakra/gpu_parents.h"
#include "causal/chakra/host_match.h"
#include "causal/chakra/inter_thread.h"
#include "causal/chakra/linked_rows.h"
#include "causal/chakra/sync_path.h"
#include "causal/chakra/sync_targets.h"

namespace orrery::causal::chakra {
namespace {

Result<std::vector<SyncTarget>> synchronisations(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTrace& device,
                                                 Diagnostics& diagnostics) {
  const Result<SyncPath> path = find_sync_path(trace, rank);
  if (!path) return path.error();
  if (path->refusal) {
    diagnostics.add(kNoSyncPath, [&] { return rank.source.path + ": " + *path->refusal; });
    return std::vector<SyncTarget>();
  }
  return find_sync_targets(rank, device, *path);
}

}  // namespace

Result<trace::HostTrace> link(trace::HostTrace host, trace::Trace& trace, const trace::RankTrace& rank, Diagnostics& diagnostics) {
  const Result<DeviceTrace> device = sort_events(trace, rank);
  if (!device) return device.error();
  const Result<Column<double>> exclusive = exclusive_times(device->host, rank.source.path);
  if (!exclusive) return exclusive.error();
  const Column<std::int64_t> dependencies = inter_thread_dependencies(device->host);
  const Result<std::vector<SyncTarget>> sync_targets = synchronisations(trace, rank, *device, diagnostics);
  if (!sync_targets) return sync_targets.error();
  const WorkByExternalId work_under = find_gpu_parents(trace, rank, *device, diagnostics);
  const Result<HostMatch> match = match_host_rows(host, trace.strings, device->host, dependencies, diagnostics);
  if (!match) return match.error();
  return make_linked_rows(std::move(host), rank, trace.strings, {*device, *exclusive, work_under, *match, *sync_targets});
}

}  // namespace orrery::causal::chakra
