// What must be known of all files of a job before the first is rewritten, and what the user asked for.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "scrub/key.h"
#include "scrub/words/id_map.h"

namespace orrery::scrub {

struct Settings {
  Key key{};
  int size_bits = 0;     ///< sizes keep this many leading bits; 0: all
  TimePs jitter_ps = 0;  ///< no moment moves by more than this
  bool fuse = false;     ///< chains of compute nodes become one (Chakra)
  bool keep_device_names = false;
  bool keep_operators = false;  ///< of PyTorch: names, schemas, shapes and values (public_operators.h)
};

/// Kineto gives device work the number of its device for a process.
inline constexpr std::int64_t kDeviceProcesses = 64;
inline constexpr std::int64_t kNoThread = 1;
/// Chakra files number threads as execution traces do, from 1 on, or as the system does. The small numbers say nothing.
inline constexpr std::uint64_t kFrameworkThreads = 64;

/// The same for every file of a job, so that what they say of one another stays true.
struct JobFacts {
  IdMap processes{kDeviceProcesses};
  IdMap threads{kNoThread};         ///< of the host; device work has the number of its stream there, which stays
  std::int64_t first_us = 0;        ///< the earliest moment of profiler and linked traces
  std::int64_t shift_us = 0;        ///< subtracted from their moments
  std::int64_t base_shift_ns = 0;   ///< subtracted from what these are relative to
  std::int64_t clock_shift_ms = 0;  ///< subtracted from start_ts and finish_ts of host traces
  std::uint64_t node_shift_us = 0;  ///< subtracted from the starts of Chakra's nodes
};

}  // namespace orrery::scrub
