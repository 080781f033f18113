// Which links leave (or reach) each vertex: what searches of a whole network walk over.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/sparse_rows.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

/// The links of a vertex are in ascending order. Memory: 4 bytes per vertex and link.
class Adjacency {
 public:
  enum class Towards : std::uint8_t { ends, begins };

  Adjacency() = default;
  /// Of links that are up only. Towards::ends lists the links that leave a vertex, Towards::begins those that reach it.
  Adjacency(std::span<const Link> links, std::uint32_t vertex_count, Towards towards);

  [[nodiscard]] std::span<const LinkId> links_of(VertexId vertex) const { return links_[vertex]; }
  [[nodiscard]] std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(links_.row_count()); }

 private:
  SparseRows<LinkId> links_;  // by vertex
};

inline constexpr std::uint32_t kUnreached = ~std::uint32_t{0};

/// How many links every vertex is away from `start` (along them, or against them, as the adjacency says), breadth
/// first; kUnreached for those that cannot be reached. O(vertices + links).
std::vector<std::uint32_t> distances_from(VertexId start, std::span<const Link> links, const Adjacency& adjacency);

/// Two devices without a way from the first to the second.
struct Gap {
  VertexId from = 0;
  VertexId to = 0;
};
/// A gap among the vertices 0 … device_count-1, if there is one.
std::optional<Gap> find_gap(std::span<const Link> links, std::uint32_t vertex_count, std::uint32_t device_count);

/// A shortest path over links that are up, of several the one found first when links are tried in ascending order;
/// false if there is none. O(vertices + links), and only for pairs whose regular paths are all cut.
bool append_shortest_path(VertexId source, VertexId target, std::span<const Link> links, const Adjacency& leaving,
                          std::vector<LinkId>& route);

}  // namespace orrery::machine
