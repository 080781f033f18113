// Which host calls waited for the device, and for what.
#pragma once

#include <vector>

#include "causal/device/device_timeline.h"

namespace orrery::causal {

/// The call did not return before `work` had ended; of copies that the call takes part in (Submission::within), before
/// all but the last of it was done.
struct HostWait {
  trace::EventIndex call;
  std::uint32_t work;
  bool inferred;  ///< no recorded wait names the work: it is the last thing launched before the call that ended before
                  ///< the call did
};

/// Calls by start, then content; several per call where it waited for several streams. Work that had ended before the
/// call was entered is listed too: it needed no waiting, but would if it took longer.
///
/// From recorded waits (Stream Sync, Context Sync, Event Sync) where there are any; else from blocking calls by name
/// (cudaStreamSynchronize, hipDeviceSynchronize, cudaMemcpy, cudaFree ...); and from copies that ended before the call
/// that asked for them returned, or with it: the call takes part in copying ordinary (pageable) memory.
std::vector<HostWait> find_host_waits(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                      Diagnostics& diagnostics);

/// A runtime call that by its name waits for the device.
bool is_blocking_call(std::string_view name);

}  // namespace orrery::causal
