// Dragonflies (Kim, Dally, Scott, Abts 2008) with groups of one or more chassis, as in a Cray XC.
#pragma once

#include "machine/topology/fabric.h"

namespace orrery::machine {

/// Device d hangs on router d / devices_per_router; routers are numbered group by group, chassis by chassis. Groups a
/// and b are connected by router b of group a and router a of group b. Links, in this order: 2d and 2d+1 from device d
/// to its router and back; each router's to the others of its chassis; each router's to the ones at its place in the
/// other chassis of the group; each group's to the other groups. A message goes up, within its group to the router that
/// has the link to the target's group, over that, to the target's router, and down. Within a group it goes within the
/// chassis first and then between chassis (path 0), or the other way around where both are needed: bit 0 of the path
/// says so for the target's group, the next bit for the source's.
class DragonflyFabric : public Fabric {
 public:
  explicit DragonflyFabric(const Dimension& dimension);

  [[nodiscard]] std::uint32_t switch_count() const override { return groups_ * group_size_; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t source, std::uint32_t target) const override;
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t index) const override;

 private:
  /// Where a path enters and leaves the two groups, by the routers' numbers; with a single group only the first leg
  /// counts.
  struct Legs {
    std::uint32_t begin, exit, entry, end;
    bool crosses;
  };
  [[nodiscard]] Legs legs(std::uint32_t source, std::uint32_t target) const;
  /// 2 if two routers of a group differ in chassis and in their place, otherwise 1.
  [[nodiscard]] std::uint32_t local_paths(std::uint32_t from, std::uint32_t to) const;
  void append_local(std::uint32_t from, std::uint32_t to, bool chassis_first, LinkId first_link,
                    std::vector<LinkId>& route) const;

  void append_simgrid_local(std::uint32_t from, std::uint32_t to, LinkId first_link, std::vector<LinkId>& route) const;

  [[nodiscard]] LinkId blade_link(std::uint32_t router, std::uint32_t to_blade) const;
  [[nodiscard]] LinkId chassis_link(std::uint32_t router, std::uint32_t to_chassis) const;
  [[nodiscard]] LinkId group_link(std::uint32_t group, std::uint32_t to_group) const;

  LinkGrade grade_;
  Dragonfly shape_;
  std::uint32_t groups_;
  std::uint32_t chassis_;
  std::uint32_t blades_;
  std::uint32_t devices_per_router_;
  std::uint32_t group_size_;  ///< in routers
  std::uint32_t places_;
};

}  // namespace orrery::machine
