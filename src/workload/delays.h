// Time in which nothing is done: what linking puts between activities because a dependency has no length in a program
// (launch delays, gaps, waits), and joins, which gather many dependencies in one. They are told by their names, which
// files keep.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "workload/workload.h"

namespace orrery::workload {

// Durations as execution traces have them: whole microseconds.

/// Rounded, but never to 0: simulators take 0 for "not measured" and compute a time of their own. 0 stays 0.
inline TimePs in_whole_microseconds(TimePs duration) {
  return duration <= 0 ? 0 : std::max<TimePs>(1, (duration + kPsPerUs / 2) / kPsPerUs) * kPsPerUs;
}

enum class Delay : std::uint8_t {
  launch,
  kernel_gap,
  stream_wait,
  sync_return,
  handoff,
  idle_thread,
  idle_device,
  join,
  host_gap
};

inline constexpr std::array<std::string_view, 9> kDelayNames = {
    "[launch delay]", "[kernel gap]",  "[stream wait]", "[return from sync]", "[thread handoff]",
    "[thread idle]",  "[device idle]", "[join]",        "[host gap]"};

constexpr std::string_view to_string(Delay delay) { return kDelayNames[static_cast<std::size_t>(delay)]; }

/// Whether an activity of that name is one.
bool names_delay(std::string_view name);

/// By activity of the program: 1 if it is a delay: it has such a name, and it does nothing else (communicate, copy).
Column<std::uint8_t> find_delays(const Program& program, const Interner& strings);

}  // namespace orrery::workload
