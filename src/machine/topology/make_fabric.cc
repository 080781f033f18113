#include "machine/topology/make_fabric.h"

#include <fmt/format.h>

#include "machine/topology/dragonfly_fabric.h"
#include "machine/topology/fat_tree_fabric.h"
#include "machine/topology/graph_fabric.h"
#include "machine/topology/grid_fabric.h"
#include "machine/topology/star_fabric.h"

namespace orrery::machine {

namespace {

using FabricPointer = std::unique_ptr<const Fabric>;

Result<FabricPointer> make_graph_fabric(const Dimension& dimension) {
  CableGraph graph;
  if (const auto problem = make_cable_graph(dimension, graph)) {
    const std::string where = problem->entry ? fmt::format("links[{}]", *problem->entry) : "links";
    return Error{.message = fmt::format("the {} of '{}' {}", where, dimension.name, problem->message)};
  }
  // It keeps a distance and a count for every device and vertex: quadratic, which regular topologies need not be.
  if (std::uint64_t{graph.device_count} * graph.vertex_count() > GraphFabric::kMaxEntries) {
    return Error{.message = fmt::format(
                     "the links of '{}' join {} devices and {} switches, more than an explicit network may have",
                     dimension.name, graph.device_count, graph.switch_names.size()),
                 .hint = "describe it as a regular topology, or as a product of dimensions"};
  }
  return FabricPointer(std::make_unique<GraphFabric>(std::move(graph)));
}

}  // namespace

bool spans_inner(const Dimension& dimension) {
  return dimension.topology == Topology::rails && dimension.rails.cross_rail == CrossRail::spine;
}

Result<FabricPointer> make_fabric(const Dimension& dimension, std::uint32_t places) {
  switch (dimension.topology) {
    case Topology::ring:
      return FabricPointer(std::make_unique<GridFabric>(dimension, std::vector{dimension.size}, GridWrap::ties_up));
    case Topology::fully_connected: return FabricPointer(std::make_unique<FullFabric>(dimension, places));
    case Topology::switched: return FabricPointer(std::make_unique<SwitchFabric>(dimension, places));
    case Topology::mesh: return FabricPointer(std::make_unique<GridFabric>(dimension, dimension.shape, GridWrap::none));
    case Topology::torus:
      return FabricPointer(std::make_unique<GridFabric>(dimension, dimension.shape, GridWrap::ties_simgrid));
    case Topology::fat_tree: return FabricPointer(std::make_unique<FatTreeFabric>(dimension, dimension.levels, false));
    case Topology::leaf_spine:
      return FabricPointer(std::make_unique<FatTreeFabric>(dimension, leaf_spine_levels(dimension), true));
    case Topology::dragonfly: return FabricPointer(std::make_unique<DragonflyFabric>(dimension));
    case Topology::rails:
      // Without spines each rail is a switch by itself, one instance per rail.
      if (spans_inner(dimension)) return FabricPointer(std::make_unique<RailsFabric>(dimension, places));
      return FabricPointer(std::make_unique<SwitchFabric>(dimension, places));
    case Topology::links: return make_graph_fabric(dimension);
  }
  return Error{.message = fmt::format("'{}' has an unknown topology", dimension.name)};
}

}  // namespace orrery::machine
