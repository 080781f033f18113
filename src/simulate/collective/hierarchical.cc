// One dimension of the machine after the other: reduce-scatter along the inner ones, so that less is left for the outer
// ones, which are slower; all-reduce along the outermost; all-gather on the way back.
#include <utility>

#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

/// A group as a block: the number of a rank in the group is made of one digit per level, innermost first.
struct Block {
  std::span<const std::uint32_t> ranks;
  std::vector<std::size_t> sizes;

  [[nodiscard]] std::size_t stride(std::size_t level) const {
    std::size_t product = 1;
    for (std::size_t inner = 0; inner < level; ++inner) product *= sizes[inner];
    return product;
  }
};

/// All lines along one level.
GroupFamily lines(const Block& block, std::size_t level) {
  GroupFamily family{.ranks = {}, .group_size = block.sizes[level]};
  family.ranks.reserve(block.ranks.size());
  const std::size_t stride = block.stride(level), period = stride * family.group_size;
  for (std::size_t base = 0; base < block.ranks.size(); base += period) {
    for (std::size_t offset = 0; offset < stride; ++offset) {
      for (std::size_t i = 0; i < family.group_size; ++i)
        family.ranks.push_back(block.ranks[base + offset + i * stride]);
    }
  }
  return family;
}

/// The lines along one level that a broadcast from the rank numbered `root` uses after it has gone along the levels
/// outside: those that go through a rank whose inner digits are the root's, with the rank that has the root's digit in
/// front.
GroupFamily lines_from(const Block& block, std::size_t level, std::size_t root) {
  GroupFamily family{.ranks = {}, .group_size = block.sizes[level]};
  const std::size_t stride = block.stride(level), period = stride * family.group_size;
  const std::size_t root_digit = root / stride % family.group_size;
  for (std::size_t base = root % stride; base < block.ranks.size(); base += period) {
    for (std::size_t i = 0; i < family.group_size; ++i) {
      family.ranks.push_back(block.ranks[base + (root_digit + i) % family.group_size * stride]);
    }
  }
  return family;
}

class Composer {
 public:
  Composer(const PhaseBuilder& builder, const Block& block) : builder_(builder), block_(block) {}

  /// The collective along one level, on the `part` of the buffer that is left there.
  void along(Collective collective, std::size_t level, double part) { append(collective, lines(block_, level), part); }
  void along_from(Collective collective, std::size_t level, std::size_t root) {
    append(collective, lines_from(block_, level, root), 1);
  }
  Phases take() { return std::move(phases_); }

 private:
  void append(Collective collective, const GroupFamily& family, double part) {
    for (PlanPhase& phase : fastest_phases(builder_, collective, family)) {
      phase.bytes_per_byte *= part;
      phase.seconds_per_byte *= part;
      phases_.push_back(std::move(phase));
    }
  }

  const PhaseBuilder& builder_;
  const Block& block_;
  Phases phases_;
};

Phases compose(const PhaseBuilder& builder, Collective collective, const Block& block, std::size_t root) {
  Composer composer(builder, block);
  const std::size_t levels = block.sizes.size();
  const auto part = [&](std::size_t level) { return 1 / static_cast<double>(block.stride(level)); };
  const auto inwards = [&](auto&& visit, std::size_t from) {
    while (from-- > 0) visit(from);
  };
  switch (collective) {
    case Collective::all_reduce:
      for (std::size_t level = 0; level + 1 < levels; ++level)
        composer.along(Collective::reduce_scatter, level, part(level));
      composer.along(Collective::all_reduce, levels - 1, part(levels - 1));
      inwards([&](std::size_t level) { composer.along(Collective::all_gather, level, part(level)); }, levels - 1);
      break;
    case Collective::reduce_scatter:
      for (std::size_t level = 0; level < levels; ++level) composer.along(collective, level, part(level));
      break;
    case Collective::all_gather:
    case Collective::barrier:
      inwards([&](std::size_t level) { composer.along(collective, level, part(level)); }, levels);
      break;
    case Collective::all_to_all:  // each level moves the whole buffer: blocks for the same place along it travel
                                  // together
      for (std::size_t level = 0; level < levels; ++level) composer.along(collective, level, 1);
      break;
    case Collective::broadcast:
      inwards([&](std::size_t level) { composer.along_from(collective, level, root); }, levels);
      break;
    case Collective::reduce:
      for (std::size_t level = 0; level < levels; ++level) composer.along_from(collective, level, root);
      break;
    case Collective::gather:
    case Collective::scatter: break;  // can_do() says no
  }
  return composer.take();
}

}  // namespace

Result<Phases> hierarchical_phases(const PhaseBuilder& builder, Collective collective,
                                   std::span<const std::uint32_t> ranks, std::size_t root) {
  auto sizes = dimension_levels(ranks, builder.weights.network());
  if (!sizes) return sizes.error();
  return compose(builder, collective, {.ranks = ranks, .sizes = std::move(*sizes)}, root);
}

}  // namespace orrery::simulate
