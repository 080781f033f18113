// What the definitions of an OTF2 archive say, as the library's callbacks tell it. Only where the library is there.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/int128.h"
#include "formats/otf2/archive_calls.h"

namespace orrery::otf2 {

inline constexpr OTF2_CallbackCode kGoOn = OTF2_CALLBACK_SUCCESS;

/// Everything that callbacks fill.
struct Collected {
  Archive archive;
  std::uint64_t ticks_per_second = 1'000'000'000, offset = 0;
  std::unordered_map<std::uint32_t, std::string> strings;
  std::unordered_map<std::uint32_t, std::uint32_t> region_names;  // of MPI: the text
  struct ProgramRegion {
    std::uint32_t name = 0;
    bool is_of_user = false, is_of_recorder = false;
  };
  std::unordered_map<std::uint32_t, ProgramRegion> program_regions;  // all others
  struct MetricMember {
    std::uint32_t name = 0, unit = 0;
    double scale = 1;
  };
  std::unordered_map<std::uint32_t, MetricMember> metric_members;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> metric_classes;  // their members
  std::unordered_map<std::uint32_t, std::uint32_t> metric_instances;             // their class
  std::set<std::uint64_t> threads;                                               // locations
  std::map<std::uint32_t, std::string> group_of_processes;     // name of a location group that is a process
  std::map<std::uint64_t, std::uint32_t> process_of_location;  // threads, and what records metrics for them
  std::vector<std::uint64_t> world;                            // locations by rank in MPI_COMM_WORLD
  struct Group {
    bool is_self = false;
    std::vector<std::uint64_t> members;  // places in `world`
  };
  std::map<std::uint32_t, Group> groups;
  std::map<std::uint32_t, std::uint32_t> group_of_communicator;

  /// Of a record's metric, which is a class or an instance of one. Null: not defined.
  [[nodiscard]] const std::vector<std::uint32_t>* members_of_metric(std::uint32_t metric) const {
    const auto instance = metric_instances.find(metric);
    const auto at = metric_classes.find(instance == metric_instances.end() ? metric : instance->second);
    return at == metric_classes.end() ? nullptr : &at->second;
  }
  [[nodiscard]] std::string text(std::uint32_t id) const {
    const auto at = strings.find(id);
    return at == strings.end() ? std::string() : at->second;
  }
  /// Rounded once.
  [[nodiscard]] TimePs time(std::uint64_t ticks) const {
    const Int128 scaled = (static_cast<Int128>(ticks) - static_cast<Int128>(offset)) * kPsPerSecond;
    const auto divisor = static_cast<Int128>(ticks_per_second);
    const Int128 half = divisor / 2;
    const Int128 ps = scaled >= 0 ? (scaled + half) / divisor : -((-scaled + half) / divisor);
    constexpr Int128 kFar = Int128{1} << 62;  // the one who makes a trace of it refuses that
    return static_cast<TimePs>(std::clamp(ps, -kFar, kFar));
  }
};

/// They are called with a Collected.
void set_definition_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks);

}  // namespace orrery::otf2
