// The built-in motifs: names, parameters with their defaults, a sentence each.
//
// What they do follows the motifs of SST's Ember, under the same names and parameters, so that configurations carry
// over; docs/MOTIF_RUN.md tells where they differ and why.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/patterns/pattern.h"

namespace orrery::motif {

/// By family: collectives, messages, stencils, sweeps, applications.
const std::vector<PatternInfo>& pattern_catalog();

/// The one called `name`, in any spelling of Ember's ("Halo3D", "NAS-LU"); null if there is none.
const PatternInfo* find_pattern(std::string_view name, std::span<const PatternInfo> catalog = pattern_catalog());

/// An Error names the motif or parameter that is not known, with what may be meant; or says why so many ranks cannot do
/// it.
Result<Pattern> make_pattern(std::string_view name, const Settings& settings, std::uint32_t ranks,
                             std::span<const PatternInfo> catalog = pattern_catalog());

// The families.
std::span<const PatternInfo> collective_patterns();
std::span<const PatternInfo> message_patterns();
std::span<const PatternInfo> communicator_patterns();
std::span<const PatternInfo> stream_patterns();
std::span<const PatternInfo> random_patterns();
std::span<const PatternInfo> halo_patterns();
std::span<const PatternInfo> sweep_patterns();
std::span<const PatternInfo> cmt_patterns();
std::span<const PatternInfo> lattice_patterns();
std::span<const PatternInfo> transform_patterns();
std::span<const PatternInfo> mesh_patterns();
std::span<const PatternInfo> triangle_patterns();

}  // namespace orrery::motif
