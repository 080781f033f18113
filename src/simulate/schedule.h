// What would happen: when every activity of a graph runs on a machine, and how much every link is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"

namespace orrery::simulate {

/// The outcome of one simulation. Activities and links are numbered as in the graph and the machine that were simulated; time 0 is the
/// start of the simulation. All values are integers, so that equal schedules are equal byte for byte, on any machine and for any number
/// of threads. A plain value: whoever fills it calls check().
struct Schedule {
  Column<TimePs> start_ps;  ///< per activity
  Column<TimePs> end_ps;    ///< per activity

  Column<std::uint64_t> link_bytes;  ///< per link: bytes carried
  Column<TimePs> link_busy_ps;       ///< per link: time during which it carried anything, at whatever rate

  Schedule() = default;
  /// All zero.
  Schedule(std::size_t activities, std::size_t links);

  [[nodiscard]] std::size_t activity_count() const { return start_ps.size(); }
  [[nodiscard]] std::size_t link_count() const { return link_bytes.size(); }

  /// When the last activity ends; 0 without activities.
  [[nodiscard]] TimePs makespan_ps() const;

  /// Columns of equal length, 0 <= start <= end for every activity, and no link busy for less than nothing, for longer than the makespan,
  /// or for no time while carrying bytes. The Error names the first activity or link that breaks this.
  [[nodiscard]] Status check() const;

  friend bool operator==(const Schedule& a, const Schedule& b);
};

}  // namespace orrery::simulate
