// The order in which people number files: rank2 before rank10.
#pragma once

#include <string_view>

namespace orrery::job {

/// Runs of digits compare as numbers of any length, everything else byte by byte; texts that are equal so far (rank1, rank01) compare as
/// bytes. A strict total order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace orrery::job
