// Fat trees of any number of levels (extended generalised fat trees, Öhring et al. 1995), of which a leaf–spine network
// is the case of two.
#pragma once

#include "machine/topology/fabric.h"

namespace orrery::machine {

/// A node of level l (level 0: the devices) is known by its subtree g = device / (children of the levels up to l,
/// multiplied) and by which of the subtree's w tops it is; its number within the level is g * tops + w. It has parents
/// * cables ports upwards: port p leads to parent p mod parents, over cable p / parents. Links are numbered level by
/// level, node by node, port by port, upwards (even) before downwards. Paths differ in the ports taken upwards (the
/// lowest level varies slowest), and then in the cables taken downwards (the lowest level varies fastest). The usual
/// path is that of d-mod-k routing, as SimGrid has it: at level l the port upwards is target / (parents of the levels
/// below, multiplied) modulo the number of ports, and downwards it takes cable source modulo the number of cables.
/// (Where a level below the highest one has parallel cables, SimGrid 3.32 may take another of those.)
class FatTreeFabric : public Fabric {
 public:
  /// `leaf_names`: whether the levels are called leaf and spine.
  FatTreeFabric(const Dimension& dimension, const std::vector<FatTreeLevel>& levels, bool leaf_names);

  [[nodiscard]] std::uint32_t switch_count() const override { return switch_count_; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t source, std::uint32_t target) const override;
  [[nodiscard]] PathNumber usual_path(std::uint32_t source, std::uint32_t target) const override;
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t index) const override;
  [[nodiscard]] std::uint32_t parallel_index(LinkId link) const override;

 private:
  /// Between the nodes of one level and their parents in the next.
  struct Step {
    LinkGrade grade;
    std::uint32_t children;
    std::uint32_t parents;
    std::uint32_t cables;
    std::uint32_t nodes;         ///< of the lower level
    std::uint32_t tops;          ///< of a subtree of the lower level
    std::uint32_t devices;       ///< of a subtree of the lower level
    std::uint32_t first_vertex;  ///< of the lower level
    LinkId first_link;

    [[nodiscard]] std::uint32_t ports() const { return parents * cables; }
    [[nodiscard]] LinkId link(std::uint32_t node, std::uint32_t port) const {
      return first_link + 2 * (node * ports() + port);
    }
  };

  /// How many levels a message climbs: the lowest at which both devices are in one subtree.
  [[nodiscard]] std::size_t climb(std::uint32_t source, std::uint32_t target) const;

  std::vector<Step> steps_;
  std::uint32_t switch_count_ = 0;
  bool leaf_names_;
};

/// A leaf–spine network as a fat tree: its two levels.
std::vector<FatTreeLevel> leaf_spine_levels(const Dimension& dimension);

}  // namespace orrery::machine
