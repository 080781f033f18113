#include "workload/role.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/counted.h"

namespace orrery::workload {
namespace {

std::uint32_t coordinate(const Axis& axis, std::uint32_t rank) { return rank / axis.stride % axis.size; }

std::vector<Axis> by_stride(std::vector<Axis> axes) {
  // Of equal strides all but one have a single rank: those first, since they do not widen anything.
  std::sort(axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return std::pair(a.stride, a.size) < std::pair(b.stride, b.size); });
  return axes;
}

}  // namespace

std::uint32_t Role::size() const {
  std::uint32_t product = 1;
  for (const Axis& axis : axes) product *= axis.size;
  return product;
}

std::uint32_t Role::place_of(std::uint32_t rank) const {
  std::uint32_t place = 0, step = 1;
  for (const Axis& axis : axes) {
    place += coordinate(axis, rank) * step;
    step *= axis.size;
  }
  return place;
}

std::uint32_t Role::member(std::uint32_t rank, std::uint32_t place) const {
  for (const Axis& axis : axes) {
    rank -= coordinate(axis, rank) * axis.stride;
    rank += place % axis.size * axis.stride;
    place /= axis.size;
  }
  return rank;
}

std::uint32_t Role::neighbour(std::uint32_t rank, std::int64_t offset) const {
  const std::int64_t count = size();
  const std::int64_t place = (place_of(rank) + offset % count + count) % count;
  return member(rank, static_cast<std::uint32_t>(place));
}

// The number of a rank when the digits of the role's axes are left out: from the widest stride on, so that those below
// keep their meaning.
std::uint32_t Role::group_of(std::uint32_t rank) const {
  const std::vector<Axis> sorted = by_stride(axes);
  for (auto axis = sorted.rbegin(); axis != sorted.rend(); ++axis) {
    const std::uint32_t block = axis->stride * axis->size;
    rank = rank / block * axis->stride + rank % axis->stride;
  }
  return rank;
}

std::vector<std::uint32_t> Role::ranks_with(std::uint32_t rank) const {
  std::vector<std::uint32_t> ranks(size());
  for (std::uint32_t place = 0; place < ranks.size(); ++place) ranks[place] = member(rank, place);
  return ranks;
}

Status Role::check(std::size_t rank_count) const {
  std::uint64_t filled = 1;  // up to the widest axis so far
  for (const Axis& axis : by_stride(axes)) {
    const bool fits = axis.size > 0 && axis.stride > 0 && axis.stride % filled == 0;
    filled = std::uint64_t{axis.stride} * axis.size;
    if (fits && filled <= rank_count && rank_count % filled == 0) continue;
    return Error{.message =
                     fmt::format("an axis of {}, {} apart, does not divide {}", report::counted(axis.size, "rank"),
                                 axis.stride, report::counted(rank_count, "rank"))};
  }
  return {};
}

}  // namespace orrery::workload
