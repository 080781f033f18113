#include "machine/topology/fat_tree_fabric.h"

#include <algorithm>

namespace orrery::machine {

FatTreeFabric::FatTreeFabric(const Dimension& dimension, const std::vector<FatTreeLevel>& levels, bool leaf_names)
    : leaf_names_(leaf_names) {
  std::uint32_t nodes = 1;
  for (const FatTreeLevel& level : levels) nodes *= static_cast<std::uint32_t>(level.children);
  std::uint32_t tops = 1;
  std::uint32_t devices = 1;
  std::uint32_t first_vertex = 0;
  LinkId first_link = 0;
  for (const FatTreeLevel& level : levels) {
    Step step{.grade = LinkGrade::of(dimension, level.bandwidth_gb_per_s, level.latency_ns),
              .children = static_cast<std::uint32_t>(level.children),
              .parents = static_cast<std::uint32_t>(level.parents),
              .cables = static_cast<std::uint32_t>(level.cables),
              .nodes = nodes,
              .tops = tops,
              .devices = devices,
              .first_vertex = first_vertex,
              .first_link = first_link};
    steps_.push_back(step);
    first_vertex += nodes;
    first_link += 2 * nodes * step.ports();
    nodes = nodes / step.children * step.parents;
    tops *= step.parents;
    devices *= step.children;
    switch_count_ += nodes;
  }
}

std::vector<Link> FatTreeFabric::make_links() const {
  const Step& last = steps_.back();
  std::vector<Link> links;
  links.reserve(last.first_link + 2 * std::size_t{last.nodes} * last.ports());
  for (const Step& step : steps_) {
    const std::uint32_t first_parent = step.first_vertex + step.nodes;
    for (std::uint32_t node = 0; node < step.nodes; ++node) {
      const std::uint32_t subtree = node / step.tops / step.children;
      for (std::uint32_t port = 0; port < step.ports(); ++port) {
        const std::uint32_t top = node % step.tops + port % step.parents * step.tops;
        step.grade.append_cable(step.first_vertex + node, first_parent + subtree * step.tops * step.parents + top,
                                links);
      }
    }
  }
  return links;
}

std::size_t FatTreeFabric::climb(std::uint32_t source, std::uint32_t target) const {
  std::size_t levels = 0;
  while (source != target) {
    source /= steps_[levels].children;
    target /= steps_[levels].children;
    ++levels;
  }
  return levels;
}

PathNumber FatTreeFabric::path_count(std::uint32_t source, std::uint32_t target) const {
  PathNumber count = 1;
  for (std::size_t l = climb(source, target); l-- > 0;) count *= PathNumber{steps_[l].ports()} * steps_[l].cables;
  return count;
}

PathNumber FatTreeFabric::usual_path(std::uint32_t source, std::uint32_t target) const {
  const std::size_t levels = climb(source, target);
  PathNumber path = 0;
  // D-mod-k (Zahavi 2012): the way up follows from the target, so that flows to different targets part early and those
  // to one meet.
  for (std::size_t l = 0; l < levels; ++l)
    path = path * steps_[l].ports() + target / steps_[l].tops % steps_[l].ports();
  for (std::size_t l = levels; l-- > 0;) path = path * steps_[l].cables + source % steps_[l].cables;
  return path;
}

void FatTreeFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                                std::vector<LinkId>& route) const {
  const std::size_t levels = climb(source, target);
  const std::size_t begin = route.size();
  route.resize(begin + 2 * levels);
  // The digits of the path, last one first: the cables downwards from the lowest level up, then the ports upwards from
  // the top down.
  for (std::size_t l = 0; l < levels; ++l) {
    route[begin + 2 * levels - 1 - l] = static_cast<std::uint32_t>(path % steps_[l].cables);
    path /= steps_[l].cables;
  }
  for (std::size_t l = levels; l-- > 0;) {
    route[begin + l] = static_cast<std::uint32_t>(path % steps_[l].ports());
    path /= steps_[l].ports();
  }
  std::uint32_t top = 0;  // which of its subtree's tops the message is at
  for (std::size_t l = 0; l < levels; ++l) {
    const Step& step = steps_[l];
    const std::uint32_t port = route[begin + l];
    const std::uint32_t parent = port % step.parents;
    const std::uint32_t cable = route[begin + 2 * levels - 1 - l];
    route[begin + l] = first_link + step.link(source / step.devices * step.tops + top, port);
    // On its way down the message passes the same tops, in the subtrees of the target.
    route[begin + 2 * levels - 1 - l] =
        first_link + step.link(target / step.devices * step.tops + top, parent + cable * step.parents) + 1;
    top += parent * step.tops;
  }
}

std::string FatTreeFabric::switch_name(std::uint32_t index) const {
  std::uint32_t level = 0;
  for (; level + 1 < steps_.size(); ++level) {
    const std::uint32_t switches = steps_[level + 1].nodes;
    if (index < switches) break;
    index -= switches;
  }
  if (leaf_names_) return (level == 0 ? "leaf" : "spine") + std::to_string(index);
  return "level" + std::to_string(level + 1) + "." + std::to_string(index);
}

std::uint32_t FatTreeFabric::parallel_index(LinkId link) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), link,
                                      [](LinkId id, const Step& step) { return id < step.first_link; });
  const Step& step = *(after - 1);
  return (link - step.first_link) / 2 % step.ports() / step.parents;
}

std::vector<FatTreeLevel> leaf_spine_levels(const Dimension& dimension) {
  const LeafSpine& tree = dimension.leaf_spine;
  // What comes up from a leaf is shared out over its spines, less the oversubscription.
  const double up_gb_per_s = dimension.bandwidth_gb_per_s * static_cast<double>(tree.leaf_size) /
                             (static_cast<double>(tree.spine_count) * tree.oversubscription);
  return {
      {.children = tree.leaf_size},
      {.children = dimension.size / tree.leaf_size, .parents = tree.spine_count, .bandwidth_gb_per_s = up_gb_per_s}};
}

}  // namespace orrery::machine
