// Which characters Python writes as they are in the repr() of a string.
#pragma once

#include <cstdint>

namespace orrery::chakra {

/// Python's str.isprintable() of one code point, as of Unicode 14.
bool is_printable(std::uint32_t code_point);

}  // namespace orrery::chakra
