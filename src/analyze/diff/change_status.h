// Whether something takes longer in one run than in another.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace orrery::analyze {

enum class ChangeStatus : std::uint8_t { is_new, removed, slower, faster, same };
const char* to_string(ChangeStatus status);  ///< "new", "removed", ...

/// Of what takes `a` in `a_count` pieces in one run, and `b` in `b_count` in the other. Within a thousandth it is the
/// same.
ChangeStatus change_status(TimePs a, std::uint64_t a_count, TimePs b, std::uint64_t b_count);

}  // namespace orrery::analyze
