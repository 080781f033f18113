#include "machine/topology/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "machine/topology/dimension.h"
#include "machine/topology/dragonfly_fabric.h"
#include "machine/topology/fabric.h"
#include "machine/topology/fat_tree_fabric.h"
#include "machine/topology/graph_fabric.h"
#include "machine/topology/grid_fabric.h"
#include "machine/topology/star_fabric.h"
#include "machine/yaml/machine_rules.h"

// Dimensions become levels from the inside out: of each as many instances of its fabric as there are places outside of
// it, whose switches and links are numbered one instance after the other. So every id can be computed from level,
// instance and place, and back.

namespace orrery::machine {

// Which topology is which Fabric: the one place that knows all of them.

/// Lays out a dimension without a violation and with a reasonable number of links. `places` is the dimension's size, or
/// for a fabric that spans the dimensions further in (see spans_inner) the product with theirs.
Result<std::unique_ptr<const Fabric>> make_fabric(const Dimension& dimension, std::uint32_t places);

/// Whether one instance connects all places of the dimensions further in, too.
bool spans_inner(const Dimension& dimension);

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

namespace {

/// Links of all instances of the level, numbered after those that are there.
void append_links(NetworkLevel& level, std::vector<Link>& links) {
  const std::vector<Link> local = level.fabric->make_links();
  level.first_link = static_cast<LinkId>(links.size());
  level.links_per_instance = static_cast<LinkId>(local.size());
  for (std::uint32_t instance = 0; instance < level.instances; ++instance) {
    for (Link link : local) {
      link.from = level.vertex(instance, link.from);
      link.to = level.vertex(instance, link.to);
      links.push_back(link);
    }
  }
}

std::string level_name(const std::vector<Dimension>& network, std::size_t index) {
  const std::string& name = network[index].name;
  const bool unique =
      std::count_if(network.begin(), network.end(), [&](const Dimension& other) { return other.name == name; }) == 1;
  return unique ? name : fmt::format("{}#{}", name, index);
}

/// Without links and fabrics' insides this can be told from the description alone, before anything large is allocated.
double total_links(const Machine& machine) {
  // In floating point, since a wrong description may well ask for more than 64 bits hold.
  double inner = 1;
  double links = 0;
  for (const Dimension& dimension : machine.network) {
    const double places = static_cast<double>(dimension.size) * (spans_inner(dimension) ? inner : 1);
    links += links_per_instance(dimension, inner) * (static_cast<double>(machine.devices.count) / places);
    inner *= static_cast<double>(dimension.size);
  }
  return links;
}

Status append_levels(const Machine& machine, NetworkLayout& layout) {
  std::uint32_t inner = 1;
  for (std::size_t i = 0; i < machine.network.size(); ++i) {
    const Dimension& dimension = machine.network[i];
    NetworkLevel level;
    level.name = level_name(machine.network, i);
    level.topology = dimension.topology;
    level.size = static_cast<std::uint32_t>(dimension.size);
    level.coordinate_stride = inner;
    level.spans_inner = spans_inner(dimension);
    // A fabric over all inner dimensions numbers devices as ranks do; one of this dimension alone takes every inner-th.
    level.stride = level.spans_inner ? 1 : inner;
    level.places = level.size * (level.spans_inner ? inner : 1);
    level.instances = layout.device_count / level.places;
    auto fabric = make_fabric(dimension, level.places);
    if (!fabric) return fabric.error();
    level.fabric = std::move(*fabric);
    level.first_switch = layout.vertex_count;
    level.switches_per_instance = level.fabric->switch_count();
    layout.vertex_count += level.instances * level.switches_per_instance;
    append_links(level, layout.links);
    inner *= level.size;
    layout.levels.push_back(std::move(level));
  }
  return {};
}

}  // namespace

Result<Network> Network::build(const Machine& machine) {
  if (const auto violation = find_violation(machine)) {
    return Error{.message = fmt::format("the machine's {} {}", violation->field, violation->message),
                 .hint = violation->hint};
  }
  const double link_count = total_links(machine);
  // Asked before anything is laid out: a full mesh of 2^20 devices would be 10^12 links.
  if (link_count > static_cast<double>(kMaxLinks)) {
    return Error{.message = fmt::format("the network of '{}' has {:.0f} links, more than the {} that are supported",
                                        machine.name, link_count, kMaxLinks),
                 .hint = "a switch stands for many links"};
  }
  auto layout = std::make_shared<NetworkLayout>();
  layout->device_count = static_cast<std::uint32_t>(machine.devices.count);
  layout->vertex_count = layout->device_count;
  layout->routing = machine.routing;
  layout->links.reserve(static_cast<std::size_t>(link_count));
  if (Status status = append_levels(machine, *layout); !status) return status.error();
  if (Status status = apply_faults(machine.faults, *layout); !status) return status.error();
  return Network(std::move(layout));
}

Network Network::with_links(std::vector<Link> links) const {
  auto layout = std::make_shared<NetworkLayout>(*layout_);
  assert(links.size() == layout->links.size());
  layout->links = std::move(links);
  return Network(std::move(layout));
}

std::uint32_t Network::device_count() const { return layout_->device_count; }
std::span<const Link> Network::links() const { return layout_->links; }
std::uint32_t Network::vertex_count() const { return layout_->vertex_count; }
Routing Network::routing() const { return layout_->routing; }
Topology Network::topology(std::size_t dimension) const { return layout_->levels[dimension].topology; }
std::string Network::vertex_name(VertexId vertex) const { return layout_->vertex_name(vertex); }

std::string Network::link_name(LinkId link) const {
  const std::uint32_t cable = layout_->parallel_index(link);
  return fmt::format("{} -> {}{}", vertex_name(layout_->links[link].from), vertex_name(layout_->links[link].to),
                     cable == 0 ? std::string() : fmt::format(" (cable {})", cable));
}

std::size_t Network::dimension_of_switch(VertexId vertex) const { return layout_->level_of_switch(vertex); }

std::size_t Network::dimension_of_link(LinkId link) const {
  return static_cast<std::size_t>(&layout_->level_of_link(link) - layout_->levels.data());
}

std::size_t Network::outermost_dimension(std::uint32_t a, std::uint32_t b) const {
  // From the outermost on: the first that differs is the one a message has to cross.
  for (std::size_t d = layout_->levels.size(); d-- > 0;) {
    if (layout_->levels[d].coordinate(a) != layout_->levels[d].coordinate(b)) return d;
  }
  return 0;
}

std::string NetworkLayout::vertex_name(VertexId vertex) const {
  if (vertex < device_count) return fmt::format("device{}", vertex);
  const NetworkLevel& level = levels[level_of_switch(vertex)];
  const std::uint32_t instance = (vertex - level.first_switch) / level.switches_per_instance;
  const std::string place = level.instances == 1 ? level.name : fmt::format("{}[{}]", level.name, instance);
  return fmt::format("{}.{}", place,
                     level.fabric->switch_name((vertex - level.first_switch) % level.switches_per_instance));
}

std::size_t NetworkLayout::level_of_switch(VertexId vertex) const {
  std::size_t d = levels.size() - 1;
  // A level without switches begins where the next one does, and would be taken for it.
  while (levels[d].first_switch > vertex || levels[d].switches_per_instance == 0) --d;
  return d;
}

const NetworkLevel& NetworkLayout::level_of_link(LinkId link) const {
  std::size_t d = levels.size() - 1;
  while (levels[d].first_link > link) --d;
  return levels[d];
}

std::uint32_t NetworkLayout::parallel_index(LinkId link) const {
  const NetworkLevel& level = level_of_link(link);
  return level.fabric->parallel_index((link - level.first_link) % level.links_per_instance);
}

}  // namespace orrery::machine
