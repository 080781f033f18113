#include "machine/topology/graph_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machine/device/device.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

namespace {

/// Gives every name its vertex; devices beyond the dimension's size have none.
class VertexNames {
 public:
  explicit VertexNames(CableGraph& graph) : graph_(graph) {}

  std::optional<VertexId> vertex(const std::string& name) {
    if (const auto number = device_number(name)) {
      if (*number >= graph_.device_count) return std::nullopt;
      return static_cast<VertexId>(*number);
    }
    const auto [found, is_new] = switches_.try_emplace(name, graph_.vertex_count());
    if (is_new) graph_.switch_names.push_back(name);
    return found->second;
  }

 private:
  CableGraph& graph_;
  std::map<std::string, VertexId> switches_;
};

}  // namespace

std::optional<CableProblem> make_cable_graph(const Dimension& dimension, CableGraph& graph) {
  graph.device_count = static_cast<std::uint32_t>(dimension.size);
  VertexNames names(graph);
  for (std::size_t i = 0; i < dimension.links.size(); ++i) {
    const Cable& cable = dimension.links[i];
    const auto from = names.vertex(cable.from);
    const auto to = names.vertex(cable.to);
    if (!from || !to) {
      return CableProblem{i, fmt::format("names {}, but the dimension has only device0 to device{}",
                                         from ? cable.to : cable.from, dimension.size - 1)};
    }
    // No route would ever take it, so that it can only be a slip.
    if (*from == *to) return CableProblem{i, fmt::format("leads from {} to itself", cable.from)};
    const LinkGrade grade = LinkGrade::of(dimension, cable.bandwidth_gb_per_s, cable.latency_ns);
    graph.links.push_back(grade.link(*from, *to));
    if (cable.direction == Direction::both) graph.links.push_back(grade.link(*to, *from));
  }
  if (const auto gap = find_gap(graph.links, graph.vertex_count(), graph.device_count)) {
    return CableProblem{
        {}, fmt::format("do not connect all devices: there is no way from device{} to device{}", gap->from, gap->to)};
  }
  return std::nullopt;
}

GraphFabric::GraphFabric(CableGraph graph)
    : graph_(std::move(graph)),
      leaving_(graph_.links, graph_.vertex_count(), Adjacency::Towards::ends),
      ways_(std::size_t{graph_.device_count} * graph_.vertex_count()) {
  const Adjacency reaching(graph_.links, graph_.vertex_count(), Adjacency::Towards::begins);
  for (VertexId target = 0; target < graph_.device_count; ++target) count_paths(target, reaching);
}

void GraphFabric::count_paths(VertexId target, const Adjacency& reaching) {
  Way* ways = ways_.data() + std::size_t{target} * graph_.vertex_count();
  ways[target] = {.distance = 0, .paths = 1};
  std::vector<VertexId> queue = {target};
  // Breadth first: when a vertex is taken from the queue, all shorter ways, and so all paths over it, have been
  // counted.
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Way& here = ways[queue[head]];
    for (const LinkId id : reaching.links_of(queue[head])) {
      Way& before = ways[graph_.links[id].from];
      if (before.distance == kUnreached) {
        before.distance = here.distance + 1;
        queue.push_back(graph_.links[id].from);
      }
      // Parallel links and ways of equal length each count; past the limit they are not told apart any more.
      if (before.distance == here.distance + 1) before.paths = std::min(kMaxCounted, before.paths + here.paths);
    }
  }
}

PathNumber GraphFabric::path_count(std::uint32_t source, std::uint32_t target) const {
  return way(source, target).paths;
}

void GraphFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                              std::vector<LinkId>& route) const {
  for (VertexId vertex = source; vertex != target;) {
    for (const LinkId id : leaving_.links_of(vertex)) {
      const VertexId next = graph_.links[id].to;
      const Way& rest = way(next, target);
      if (rest.distance + 1 != way(vertex, target).distance) continue;
      // Paths are numbered by the links they begin with: skip all that begin with this one.
      if (path >= rest.paths) {
        path -= rest.paths;
        continue;
      }
      route.push_back(first_link + id);
      vertex = next;
      break;
    }
  }
}

std::uint32_t GraphFabric::parallel_index(LinkId link) const {
  const auto same = [&](const Link& other) {
    return other.from == graph_.links[link].from && other.to == graph_.links[link].to;
  };
  return static_cast<std::uint32_t>(std::count_if(graph_.links.begin(), graph_.links.begin() + link, same));
}

}  // namespace orrery::machine
