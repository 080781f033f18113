// What a collective costs along one dimension of a machine, as textbooks have it: alpha + S / beta, by algorithm. The
// table is in docs/NETWORK_CHARGES.md, "The algorithms, alone".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "simulate/collective/algorithm.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// How neighbours along a dimension are joined, as far as closed forms care.
enum class Wiring : std::uint8_t {
  circle,     ///< a link to the neighbour on either side
  port,       ///< one link to a switch that never blocks
  all_pairs,  ///< a link to each of the others
};

/// `members` of a group along one dimension.
struct Level {
  Wiring wiring = Wiring::port;
  std::uint32_t members = 1;
  double bytes_per_second = 0;  ///< of one link
  double hop_ps = 0;            ///< from one member to the next: the mean latency of the way
  TimePs message_overhead_ps = 0;
  bool inside_node = false;  ///< see is_inside_node()
};

struct ClosedForm {
  double seconds_per_byte = 0;  ///< of the buffer: bytes over the busiest link, per byte, over its bandwidth
  double alpha_ps = 0;
};

/// None where there is no closed form: an algorithm that is not made for the wiring, or cannot do the collective with
/// so many ranks.
std::optional<ClosedForm> closed_form(workload::Collective collective, Algorithm algorithm, const Level& level);

/// Of the algorithms of the automatic choice that have one: its form for each, in the order of Algorithm. `is_part`: of
/// those that are looked at along one of several dimensions (see fastest_phases()).
std::vector<ClosedForm> automatic_closed_forms(workload::Collective collective, const Level& level, bool is_part);

/// Of these the one that moves a byte fastest, of equals the one with the least latency, then the first. For use as a
/// part of hierarchical.
std::optional<ClosedForm> fastest_closed_form(workload::Collective collective, const Level& level);

}  // namespace orrery::simulate
