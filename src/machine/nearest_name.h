// "Did you mean …?" for keys and names.
#pragma once

#include <span>
#include <string_view>

namespace orrery::machine {

/// The known name a writer most likely meant: one that continues `name` ("bandwidth" for "bandwidth_gb_per_s"), else the one fewest
/// typing errors away. Empty when nothing is near. Ties go to the name that comes first.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace orrery::machine
