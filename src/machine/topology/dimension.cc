#include "machine/topology/dimension.h"

#include <algorithm>

namespace orrery::machine {

namespace {

double grid_size(const std::vector<std::int64_t>& shape) {
  double places = 1;
  for (const std::int64_t extent : shape) places *= static_cast<double>(extent);
  return places;
}

/// A line of `extent` devices has a cable between neighbours and, if it wraps around to more than one other device, one
/// from end to end.
double grid_links(const std::vector<std::int64_t>& shape, bool wraps) {
  double links = 0;
  for (const std::int64_t extent : shape) {
    const auto length = static_cast<double>(extent);
    // Two devices have one cable between them, whichever way round it is looked at.
    links += 2 * grid_size(shape) / length * (wraps && extent > 2 ? length : length - 1);
  }
  return links;
}

double fat_tree_links(const std::vector<FatTreeLevel>& levels) {
  double nodes = 1;  // of the level below
  for (const FatTreeLevel& level : levels) nodes *= static_cast<double>(level.children);
  double links = 0;
  for (const FatTreeLevel& level : levels) {
    links += 2 * nodes * static_cast<double>(level.parents) * static_cast<double>(level.cables);
    nodes = nodes / static_cast<double>(level.children) * static_cast<double>(level.parents);
  }
  return links;
}

double dragonfly_links(const Dragonfly& d) {
  const auto groups = static_cast<double>(d.groups);
  const auto chassis = static_cast<double>(d.chassis_per_group);
  const auto blades = static_cast<double>(d.routers_per_chassis);
  const double routers = groups * chassis * blades;
  return routers * (2 * static_cast<double>(d.devices_per_router) + (blades - 1) + (chassis - 1)) +
         groups * (groups - 1);
}

}  // namespace

std::optional<double> implied_size(const Dimension& dimension) {
  switch (dimension.topology) {
    case Topology::mesh:
    case Topology::torus: return grid_size(dimension.shape);
    case Topology::fat_tree: {
      double places = 1;
      for (const FatTreeLevel& level : dimension.levels) places *= static_cast<double>(level.children);
      return places;
    }
    case Topology::dragonfly: {
      const Dragonfly& d = dimension.dragonfly;
      return static_cast<double>(d.groups) * static_cast<double>(d.chassis_per_group) *
             static_cast<double>(d.routers_per_chassis) * static_cast<double>(d.devices_per_router);
    }
    case Topology::ring:
    case Topology::fully_connected:
    case Topology::switched:
    case Topology::leaf_spine:
    case Topology::rails:
    case Topology::links: return std::nullopt;
  }
  return std::nullopt;
}

double links_per_instance(const Dimension& dimension, double inner_size) {
  const auto size = static_cast<double>(dimension.size);
  switch (dimension.topology) {
    case Topology::ring: return grid_links({dimension.size}, true);
    case Topology::fully_connected: return size * (size - 1);
    case Topology::switched: return 2 * size;
    case Topology::mesh: return grid_links(dimension.shape, false);
    case Topology::torus: return grid_links(dimension.shape, true);
    case Topology::fat_tree: return fat_tree_links(dimension.levels);
    case Topology::leaf_spine: {
      const LeafSpine& tree = dimension.leaf_spine;
      return 2 * size + 2 * size / static_cast<double>(tree.leaf_size) * static_cast<double>(tree.spine_count);
    }
    case Topology::dragonfly: return dragonfly_links(dimension.dragonfly);
    case Topology::rails: {
      // Rails that do not meet outside are switches: going from one to another is left to the dimensions further in.
      if (dimension.rails.cross_rail == CrossRail::inner) return 2 * size;
      return 2 * inner_size * (size + static_cast<double>(dimension.rails.spine_count));
    }
    case Topology::links: {
      const auto one_way = std::count_if(dimension.links.begin(), dimension.links.end(),
                                         [](const Cable& cable) { return cable.direction == Direction::forward; });
      return 2 * static_cast<double>(dimension.links.size()) - static_cast<double>(one_way);
    }
  }
  return 0;
}

}  // namespace orrery::machine
