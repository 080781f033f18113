#include "analyze/diff/change_status.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "base/int128.h"

namespace orrery::analyze {

const char* to_string(ChangeStatus status) {
  static constexpr const char* kNames[] = {"new", "removed", "slower", "faster", "same"};
  return kNames[static_cast<std::size_t>(status)];
}

ChangeStatus change_status(TimePs a, std::uint64_t a_count, TimePs b, std::uint64_t b_count) {
  if (a_count == 0) return ChangeStatus::is_new;
  if (b_count == 0) return ChangeStatus::removed;
  // A thousandth is what significance asks for, too.
  const bool is_same = static_cast<Int128>(std::llabs(b - a)) * 1000 < std::max(a, b);
  if (is_same || a == b) return ChangeStatus::same;
  return b > a ? ChangeStatus::slower : ChangeStatus::faster;
}

}  // namespace orrery::analyze
