// Several motifs in a file: one after the other on the same nodes, or beside one another on nodes of their own.
// docs/formats/motif_jobs.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"

namespace orrery::motif {

inline constexpr std::string_view kJobsFormat = "orrery.motif_jobs/1";

/// Whether a file that begins with `text` is one.
bool looks_like_jobs(std::string_view text);

/// The jobs of a file, on a machine of `nodes` nodes. An Error names the file and the line.
Result<std::vector<MotifJob>> parse_jobs(std::string_view yaml, const std::string& file, std::uint32_t nodes,
                                         std::span<const PatternInfo> catalog = pattern_catalog());

}  // namespace orrery::motif
