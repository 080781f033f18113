// A fitted motif as a pattern: its control flow walked once for a run of given parameters, with chance decided by a
// seed that all ranks share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/motif.h"
#include "motif/patterns/pattern.h"

namespace orrery::motif {

struct FittedPattern {
  Pattern pattern;
  std::vector<std::string> notes;  ///< what the motif does not say and was assumed, or left out; each once
};

/// "MPI_Allgatherv" or "Allgatherv" is an all_gather; none for what is no collective.
std::optional<workload::Collective> collective_of(std::string_view operation);

/// Times between calls are the local ones (Transition::compute_us); what the calls take is for the simulation to say. A
/// message is received where it is sent: traces tell of sends only, and partners send alike, so that receives are
/// posted with the sends and waited for where the program waits or receives. An Error if a rank belongs to no class, or
/// for more calls than can be held.
Result<FittedPattern> fitted_pattern(const Motif& motif, const RunParameters& run, std::uint64_t seed);

}  // namespace orrery::motif
