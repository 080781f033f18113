// Values over time as the outline of an SVG picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace orrery::page {

/// The d of a path that fills what lies below a series, a unit wide per value and `height` high where a value is
/// `most`; steps of equal height are one. What is not 0 is at least a unit high: it must be seen, however little it is.
std::string stairs(std::span<const std::uint64_t> series, double most, int height);

}  // namespace orrery::page
