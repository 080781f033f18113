// Collectives that carry no number, put together by the pattern of their times.
#pragma once

#include <cstdint>
#include <vector>

#include "match/recorded_communication.h"
#include "trace/trace.h"

namespace orrery::match {

inline constexpr std::uint32_t kNotPaired = ~std::uint32_t{0};

struct UnnumberedPairs {
  struct Collective {
    std::uint32_t operation = 0;
    std::int64_t place = 0;  ///< in the list of the node that recorded most of its group
  };
  struct Pair {
    std::size_t sighting = 0;      ///< place in RecordedCommunication::all
    std::uint32_t collective = 0;  ///< place in `collectives`
  };
  std::vector<Collective> collectives;
  std::vector<Pair> pairs;
  std::size_t unclear = 0;  ///< sightings whose pattern fits in more than one way, or in none
};

/// Group by group, every node against the node that recorded most: see pattern_pairing.h. Ends are compared, since
/// those are nearly simultaneous. Operations of one name are told apart by size where that is the same on all
/// participants.
UnnumberedPairs pair_unnumbered(const trace::Trace& trace, const RecordedCommunication& sightings);

}  // namespace orrery::match
