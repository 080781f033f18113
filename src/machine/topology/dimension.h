// One dimension of a machine's network, as described: which topology, of what shape, over which links.
// docs/formats/machine.md tells the fields; fabric.h lays them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::machine {

enum class Topology : std::uint8_t {
  ring,
  fully_connected,
  switched,
  mesh,
  torus,
  fat_tree,
  leaf_spine,
  dragonfly,
  rails,
  links
};
inline constexpr std::array<std::string_view, 10> kTopologyNames = {
    "ring", "fully_connected", "switch", "mesh", "torus", "fat_tree", "leaf_spine", "dragonfly", "rails", "links"};

/// One level of switches of a fat tree. A cable is a link in each direction.
struct FatTreeLevel {
  std::int64_t children = 2;  ///< nodes of the level below that a switch of this level connects
  std::int64_t parents = 1;   ///< switches of this level that a node of the level below is connected to
  std::int64_t cables = 1;    ///< parallel ones between a node and each of its parents
  std::optional<double> bandwidth_gb_per_s = {};  ///< of one of them; the dimension's if left out
  std::optional<double> latency_ns = {};          ///< the same

  friend bool operator==(const FatTreeLevel&, const FatTreeLevel&) = default;
};

/// Every leaf switch connects `leaf_size` devices and has one cable to every spine switch.
struct LeafSpine {
  std::int64_t leaf_size = 2;
  std::int64_t spine_count = 1;
  double oversubscription = 1;  ///< what a leaf's devices can send over what its cables to the spines can carry

  friend bool operator==(const LeafSpine&, const LeafSpine&) = default;
};

/// Whose routes to take within a group. SimGrid 3.32 takes a message that changes its place within the chassis on to
/// the first chassis without a link: fewer or other links than lead there, in reality.
enum class DragonflyCompat : std::uint8_t { none, simgrid };
inline constexpr std::array<std::string_view, 2> kDragonflyCompatNames = {"none", "simgrid"};

/// Routers in groups: all routers of a chassis are connected, so are the ones at the same place of the chassis of a
/// group, and every pair of groups is connected once. Cables multiply the bandwidth of those links.
struct Dragonfly {
  std::int64_t groups = 2;
  std::int64_t chassis_per_group = 1;
  std::int64_t routers_per_chassis = 2;
  std::int64_t devices_per_router = 1;
  std::int64_t cables_between_groups = 1;
  std::int64_t cables_between_chassis = 1;
  std::int64_t cables_between_routers = 1;
  DragonflyCompat compat = DragonflyCompat::none;

  friend bool operator==(const Dragonfly&, const Dragonfly&) = default;
};

enum class CrossRail : std::uint8_t { inner, spine };
inline constexpr std::array<std::string_view, 2> kCrossRailNames = {"inner", "spine"};

/// One switch per rail: per place inside the dimensions further in. What has to change rails does so inside, before it
/// leaves, or over spine switches that connect the rails.
struct Rails {
  CrossRail cross_rail = CrossRail::inner;
  std::int64_t spine_count = 1;  ///< if cross_rail is spine
  double oversubscription = 1;   ///< what a rail's devices can send over what its cables to the spines can carry

  friend bool operator==(const Rails&, const Rails&) = default;
};

enum class Direction : std::uint8_t { both, forward };
inline constexpr std::array<std::string_view, 2> kDirectionNames = {"both", "forward"};

/// A cable of an explicit network. "device3" is the device at place 3 of the dimension; any other name is a switch.
struct Cable {
  std::string from;
  std::string to;
  Direction direction = Direction::both;
  std::optional<double> bandwidth_gb_per_s = {};  ///< the dimension's if left out
  std::optional<double> latency_ns = {};          ///< the same

  friend bool operator==(const Cable&, const Cable&) = default;
};

/// Every set of `size` devices that differ in this coordinate alone is connected like this. Of the members after
/// `derate` only those of the topology mean anything, and the others are as constructed.
struct Dimension {
  std::string name;
  Topology topology = Topology::ring;
  std::int64_t size = 2;
  double bandwidth_gb_per_s = 0;          ///< of one link in one direction: to a neighbour, a peer, or a switch
  std::optional<double> latency_ns = {};  ///< of one link; taken as 0 if left out
  double derate = 1;                      ///< the share of every bandwidth above that is reached

  std::vector<std::int64_t> shape = {};   ///< mesh, torus: the first coordinate varies fastest
  std::vector<FatTreeLevel> levels = {};  ///< fat_tree: from the devices upwards
  LeafSpine leaf_spine = {};
  Dragonfly dragonfly = {};
  Rails rails = {};
  std::vector<Cable> links = {};

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// How many devices the topology's own fields make room for; none if they leave that to `size`. A double, because
/// fields that have not been checked may multiply to anything.
std::optional<double> implied_size(const Dimension& dimension);

/// How many links one instance of the dimension has, where the dimensions further in have `inner_size` places.
double links_per_instance(const Dimension& dimension, double inner_size);

}  // namespace orrery::machine
