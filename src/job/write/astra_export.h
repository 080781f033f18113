// A Workload such that ASTRA-sim runs its execution traces to the end: what `--for astra` writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"
#include "workload/workload.h"

namespace orrery::job {

/// Whom files are written for.
enum class Reader : std::uint8_t {
  anyone,  ///< what was recorded, as it was recorded
  astra,   ///< ASTRA-sim 2
};

/// What the flag that asks for it says.
inline constexpr std::string_view kForHelp =
    "write Chakra files that READER runs: nothing on the host, copies as computation, groups by number";

/// ASTRA-sim refuses communication on the host, aborts in its statistics when a rank that had any node on the host
/// ends, has memory transfers between devices and remote memory only, gives up when a metadata node comes by, does not
/// know every collective, and waits for ever for a group of one. So
///   - communication is the device's, also what the host did itself (gloo); and so is all else that the host did (C316
///   where the device computes, too);
///   - copies and fills are computation of the device, which takes as long as recorded;
///   - what tells groups (metadata) gathers dependencies only;
///   - reduce, gather, scatter and barrier, and collectives of one rank, are computation that takes as long as recorded
///   (C315);
///   - groups are called by numbers from 1, in their order, unless they are already.
workload::Workload workload_for_astra(workload::Workload workload, Diagnostics& diagnostics);

}  // namespace orrery::job
