// Writes a trace again with some of its events marked and arrows added: for looking at a result in Perfetto or
// chrome://tracing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace orrery::kineto {

/// One end of an arrow.
struct FlowEnd {
  std::string process;  ///< pid as JSON text
  std::string thread;   ///< tid as JSON text
  std::string time;     ///< ts as JSON text
};

/// Which ends of an arrow the file has: of one that leads to the file of another rank, one.
enum class FlowEnds : std::uint8_t { both, only_from, only_to };

struct Flow {
  FlowEnd from;
  FlowEnd to;
  std::string type;    ///< "critical_path_kernel_launch_delay"
  std::string weight;  ///< as JSON text
  bool critical = true;
  FlowEnds ends = FlowEnds::both;
  std::uint64_t shared_id = 0;  ///< of an arrow between files: the same in both, above all that a file gives its own
};

/// Arrows within a file are numbered from 0.
inline constexpr std::uint64_t kFirstSharedFlow = std::uint64_t{1} << 40;

struct Overlay {
  std::vector<std::uint8_t> critical;  ///< by position in the event list: gets args.critical = 1
  bool only_critical =
      false;  ///< leaves out complete events (ph X) that are not critical, except annotations and Python frames
  std::vector<Flow> flows;
};

/// Copies `source` to `path` (gzip if it ends in .gz) in one streaming pass. Nothing is left behind on failure.
Status write_overlay(const std::string& source, const Overlay& overlay, const std::string& path);

}  // namespace orrery::kineto
