// An explicit network: whatever cables its description lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/topology/adjacency.h"
#include "machine/topology/dimension.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

/// The vertices and links that a list of cables makes. Cable by cable: the link forwards and, if it has both
/// directions, the one back.
struct CableGraph {
  std::uint32_t device_count = 0;
  std::vector<std::string> switch_names;  ///< in the order in which the list names them
  std::vector<Link> links;

  [[nodiscard]] std::uint32_t vertex_count() const {
    return device_count + static_cast<std::uint32_t>(switch_names.size());
  }
};

/// What is wrong with a list of cables: which entry (none: the list as a whole), and how.
struct CableProblem {
  std::optional<std::size_t> entry = {};
  std::string message;
};

/// Refuses a cable from a vertex to itself, a device that is beyond the dimension's size, and a network that does not
/// connect its devices. O(cables · log cables).
std::optional<CableProblem> make_cable_graph(const Dimension& dimension, CableGraph& graph);

/// Shortest paths by number of links, numbered in the order of their links. Memory: 8 bytes per device and vertex.
class GraphFabric : public Fabric {
 public:
  /// The most entries the table of paths may have.
  static constexpr std::uint64_t kMaxEntries = 1 << 23;

  /// Of a connected graph with device_count * vertex_count() <= kMaxEntries.
  explicit GraphFabric(CableGraph graph);

  [[nodiscard]] std::uint32_t switch_count() const override {
    return static_cast<std::uint32_t>(graph_.switch_names.size());
  }
  [[nodiscard]] std::vector<Link> make_links() const override { return graph_.links; }
  [[nodiscard]] PathNumber path_count(std::uint32_t source, std::uint32_t target) const override;
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t index) const override { return graph_.switch_names[index]; }
  [[nodiscard]] std::uint32_t parallel_index(LinkId link) const override;

 private:
  /// From a vertex to a target device.
  struct Way {
    std::uint32_t distance = kUnreached;
    std::uint32_t paths = 0;  ///< shortest ones; at most kMaxCounted
  };
  static constexpr std::uint32_t kMaxCounted = 1U << 31;

  void count_paths(VertexId target, const Adjacency& reaching);
  [[nodiscard]] const Way& way(VertexId from, VertexId target) const {
    return ways_[std::size_t{target} * graph_.vertex_count() + from];
  }

  CableGraph graph_;
  Adjacency leaving_;
  std::vector<Way> ways_;  ///< by target, then by vertex
};

}  // namespace orrery::machine
