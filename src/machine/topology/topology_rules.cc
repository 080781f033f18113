#include "machine/topology/topology_rules.h"

#include <fmt/format.h>

#include "machine/topology/graph_fabric.h"

namespace orrery::machine {

namespace {

constexpr std::size_t kMaxLevels = 24;

std::optional<Violation> check_fat_tree(const Dimension& dimension, const std::string& place) {
  const std::size_t count = dimension.levels.size();
  if (count == 0 || count > kMaxLevels) {
    return Violation{.field = place + ".levels",
                     .message = fmt::format("must have 1 to {} entries, and has {}", kMaxLevels, count)};
  }
  double paths = 1;
  for (const FatTreeLevel& level : dimension.levels) {
    const auto cables = static_cast<double>(level.cables);
    // Cables are chosen on the way up and again on the way down.
    paths *= static_cast<double>(level.parents) * cables * cables;
  }
  // A path has a number of 32 bits.
  if (paths <= static_cast<double>(kMaxPaths)) return std::nullopt;
  return Violation{.field = place + ".levels",
                   .message = fmt::format("make {:.0f} paths between two devices, more than {}", paths, kMaxPaths),
                   .hint = "parallel cables may be written as one of more bandwidth"};
}

std::optional<Violation> check_leaf_spine(const Dimension& dimension, const std::string& place) {
  const LeafSpine& tree = dimension.leaf_spine;
  if (dimension.size % tree.leaf_size == 0) return std::nullopt;
  return Violation{.field = place + ".leaf_size",
                   .message = fmt::format("is {}, which does not divide the size {}", tree.leaf_size, dimension.size)};
}

std::optional<Violation> check_dragonfly(const Dimension& dimension, const std::string& place) {
  const Dragonfly& dragonfly = dimension.dragonfly;
  const std::int64_t routers = dragonfly.chassis_per_group * dragonfly.routers_per_chassis;
  if (dragonfly.groups <= routers) return std::nullopt;
  return Violation{
      .field = place + ".groups",
      .message = fmt::format("is {}, but the {} routers of a group can be connected to no more than that many groups",
                             dragonfly.groups, routers),
      .hint = "each router has a link to at most one other group"};
}

std::optional<Violation> check_links(const Dimension& dimension, const std::string& place) {
  CableGraph graph;
  const auto problem = make_cable_graph(dimension, graph);
  if (!problem) return std::nullopt;
  const std::string field = place + ".links";
  return Violation{.field = problem->entry ? fmt::format("{}[{}]", field, *problem->entry) : field,
                   .message = problem->message};
}

}  // namespace

std::optional<Violation> find_topology_violation(const Dimension& dimension, const std::string& place) {
  switch (dimension.topology) {
    case Topology::fat_tree: return check_fat_tree(dimension, place);
    case Topology::leaf_spine: return check_leaf_spine(dimension, place);
    case Topology::dragonfly: return check_dragonfly(dimension, place);
    case Topology::links: return check_links(dimension, place);
    case Topology::ring:
    case Topology::fully_connected:
    case Topology::switched:
    case Topology::mesh:
    case Topology::torus:
    case Topology::rails: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace orrery::machine
