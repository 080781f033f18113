#include "machine/topology/dragonfly_fabric.h"

// Links are numbered by sort: from and to devices, within a chassis, between chassis of a group, between groups. So
// each is computed from its ends, and no tables are needed. A way has up to three legs: to the router that leads out,
// across, and from where it enters.

namespace orrery::machine {

namespace {

/// The number of `other` among all but `self`.
std::uint32_t rank_without(std::uint32_t self, std::uint32_t other) { return other < self ? other : other - 1; }

}  // namespace

DragonflyFabric::DragonflyFabric(const Dimension& dimension)
    : grade_(LinkGrade::of(dimension)),
      shape_(dimension.dragonfly),
      groups_(static_cast<std::uint32_t>(shape_.groups)),
      chassis_(static_cast<std::uint32_t>(shape_.chassis_per_group)),
      blades_(static_cast<std::uint32_t>(shape_.routers_per_chassis)),
      devices_per_router_(static_cast<std::uint32_t>(shape_.devices_per_router)),
      group_size_(chassis_ * blades_),
      places_(groups_ * group_size_ * devices_per_router_) {}

LinkId DragonflyFabric::blade_link(std::uint32_t router, std::uint32_t to_blade) const {
  return 2 * places_ + router * (blades_ - 1) + rank_without(router % blades_, to_blade);
}
LinkId DragonflyFabric::chassis_link(std::uint32_t router, std::uint32_t to_chassis) const {
  const LinkId first = 2 * places_ + groups_ * group_size_ * (blades_ - 1);
  return first + router * (chassis_ - 1) + rank_without(router % group_size_ / blades_, to_chassis);
}
LinkId DragonflyFabric::group_link(std::uint32_t group, std::uint32_t to_group) const {
  const LinkId first = 2 * places_ + groups_ * group_size_ * (blades_ - 1 + chassis_ - 1);
  return first + group * (groups_ - 1) + rank_without(group, to_group);
}

std::vector<Link> DragonflyFabric::make_links() const {
  const std::uint32_t routers = groups_ * group_size_;
  std::vector<Link> links;
  links.reserve(2 * std::size_t{places_} + std::size_t{routers} * (blades_ + chassis_ - 2) +
                std::size_t{groups_} * (groups_ - 1));
  for (std::uint32_t d = 0; d < places_; ++d) grade_.append_cable(d, places_ + d / devices_per_router_, links);
  const LinkGrade between_routers = grade_.times(shape_.cables_between_routers);
  for (std::uint32_t r = 0; r < routers; ++r) {
    for (std::uint32_t b = 0; b < blades_; ++b) {
      if (b != r % blades_) links.push_back(between_routers.link(places_ + r, places_ + r - r % blades_ + b));
    }
  }
  const LinkGrade between_chassis = grade_.times(shape_.cables_between_chassis);
  for (std::uint32_t r = 0; r < routers; ++r) {
    for (std::uint32_t c = 0; c < chassis_; ++c) {
      // Where there are routers, there are blades.
      const std::uint32_t own = r % group_size_ / blades_;  // NOLINT(clang-analyzer-core.DivideZero)
      if (c != own) links.push_back(between_chassis.link(places_ + r, places_ + r - own * blades_ + c * blades_));
    }
  }
  const LinkGrade between_groups = grade_.times(shape_.cables_between_groups);
  for (std::uint32_t a = 0; a < groups_; ++a) {
    for (std::uint32_t b = 0; b < groups_; ++b) {
      if (a != b) links.push_back(between_groups.link(places_ + a * group_size_ + b, places_ + b * group_size_ + a));
    }
  }
  return links;
}

DragonflyFabric::Legs DragonflyFabric::legs(std::uint32_t source, std::uint32_t target) const {
  const std::uint32_t begin = source / devices_per_router_;
  const std::uint32_t end = target / devices_per_router_;
  const std::uint32_t from = begin / group_size_;
  const std::uint32_t to = end / group_size_;
  if (from == to) return {.begin = begin, .exit = end, .entry = end, .end = end, .crosses = false};
  // Group a is joined to group b by router b of a and router a of b: one link per pair, and no table of who has which.
  return {
      .begin = begin, .exit = from * group_size_ + to, .entry = to * group_size_ + from, .end = end, .crosses = true};
}

std::uint32_t DragonflyFabric::local_paths(std::uint32_t from, std::uint32_t to) const {
  const bool blade_differs = from % blades_ != to % blades_;
  const bool chassis_differs = from % group_size_ / blades_ != to % group_size_ / blades_;
  return blade_differs && chassis_differs ? 2 : 1;
}

PathNumber DragonflyFabric::path_count(std::uint32_t source, std::uint32_t target) const {
  // SimGrid knows one way and has no other to spread over.
  if (shape_.compat == DragonflyCompat::simgrid) return 1;
  const Legs way = legs(source, target);
  return PathNumber{1} * local_paths(way.begin, way.exit) * local_paths(way.entry, way.end);
}

void DragonflyFabric::append_local(std::uint32_t from, std::uint32_t to, bool chassis_first, LinkId first_link,
                                   std::vector<LinkId>& route) const {
  const std::uint32_t blade = to % blades_;
  const std::uint32_t chassis = to % group_size_ / blades_;
  for (int step = 0; step < 2; ++step) {
    const bool between_chassis = (step == 0) == chassis_first;
    const std::uint32_t own_blade = from % blades_;
    const std::uint32_t own_chassis = from % group_size_ / blades_;
    if (between_chassis && own_chassis != chassis) {
      route.push_back(first_link + chassis_link(from, chassis));
      from = from - own_chassis * blades_ + chassis * blades_;
    }
    if (!between_chassis && own_blade != blade) {
      route.push_back(first_link + blade_link(from, blade));
      from = from - own_blade + blade;
    }
  }
}

void DragonflyFabric::append_simgrid_local(std::uint32_t from, std::uint32_t to, LinkId first_link,
                                           std::vector<LinkId>& route) const {
  const std::uint32_t blade = to % blades_;
  if (from % blades_ != blade) {
    route.push_back(first_link + blade_link(from, blade));
    from = to / group_size_ * group_size_ + blade;
  }
  const std::uint32_t chassis = to % group_size_ / blades_;
  if (from % group_size_ / blades_ != chassis) route.push_back(first_link + chassis_link(from, chassis));
}

void DragonflyFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                                  std::vector<LinkId>& route) const {
  const Legs way = legs(source, target);
  const PathNumber last_paths = local_paths(way.entry, way.end);
  route.push_back(first_link + 2 * source);
  // Only inside a group does SimGrid go its own way; between groups it turns where we do.
  if (!way.crosses && shape_.compat == DragonflyCompat::simgrid) {
    append_simgrid_local(way.begin, way.exit, first_link, route);
  } else {
    append_local(way.begin, way.exit, path / last_paths == 1, first_link, route);
  }
  if (way.crosses) {
    route.push_back(first_link + group_link(way.begin / group_size_, way.end / group_size_));
    append_local(way.entry, way.end, path % last_paths == 1, first_link, route);
  }
  route.push_back(first_link + 2 * target + 1);
}

std::string DragonflyFabric::switch_name(std::uint32_t index) const { return "router" + std::to_string(index); }

}  // namespace orrery::machine
