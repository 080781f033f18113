// The links and paths of one instance of one dimension. Network joins the instances of all dimensions; each topology is
// one Fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/topology/link.h"

namespace orrery::machine {

/// Tells the shortest paths between two places apart.
using PathNumber = std::uint64_t;
inline constexpr PathNumber kMaxPaths = PathNumber{1} << 32;

/// Counts its places and links from 0: places 0 … size-1 are devices, the vertices after them switches. Immutable.
/// Paths are computed, not stored, and nothing is allocated for them.
class Fabric {
 public:
  virtual ~Fabric() = default;

  [[nodiscard]] virtual std::uint32_t switch_count() const = 0;
  /// All links in the order of their numbers, vertices and numbers local.
  [[nodiscard]] virtual std::vector<Link> make_links() const = 0;

  /// How many shortest paths lead from one place to another, at least 1, at most kMaxPaths. The places differ.
  [[nodiscard]] virtual PathNumber path_count(std::uint32_t source, std::uint32_t target) const = 0;
  /// The one that is taken when nothing asks for variety.
  [[nodiscard]] virtual PathNumber usual_path(std::uint32_t, std::uint32_t) const { return 0; }
  /// Appends the links of path number `path` < path_count(), each plus `first_link`. Paths are in the order of their
  /// links, where that is not said otherwise.
  virtual void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                           std::vector<LinkId>& route) const = 0;

  /// For people; unique within the fabric.
  [[nodiscard]] virtual std::string switch_name(std::uint32_t index) const = 0;
  /// Which of the parallel links between the same vertices in the same direction this is, from 0.
  [[nodiscard]] virtual std::uint32_t parallel_index(LinkId) const { return 0; }
};

}  // namespace orrery::machine
