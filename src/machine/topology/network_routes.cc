// The routing rules: dimension by dimension, innermost first, one of the shortest paths in each.
#include <algorithm>
#include <utility>

#include "machine/topology/network.h"

namespace orrery::machine {

namespace {

constexpr PathNumber kMaxExaminedPaths = 4096;

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014). Fixed, so that a flow takes the same way on every machine and
/// with every release.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// One dimension's part of a route: from place to place of one instance of its fabric.
struct Segment {
  const Fabric& fabric;
  std::uint32_t source;
  std::uint32_t target;
  LinkId first_link;

  [[nodiscard]] PathNumber path_count() const { return fabric.path_count(source, target); }
  void append(PathNumber path, std::vector<LinkId>& route) const {
    fabric.append_path(source, target, path, first_link, route);
  }
};

bool is_up(const NetworkLayout& layout, std::span<const LinkId> path) {
  return std::all_of(path.begin(), path.end(), [&](LinkId id) { return layout.links[id].bytes_per_second > 0; });
}

/// Appends path number `wanted` or, if that is cut, the next one (cyclically) that is not; false if there is none.
bool append_live_path(const NetworkLayout& layout, const Segment& segment, PathNumber wanted,
                      std::vector<LinkId>& route) {
  const std::size_t begin = route.size();
  segment.append(wanted, route);
  // The usual case by far: one look at a flag.
  if (!layout.has_down_links || is_up(layout, std::span(route).subspan(begin))) return true;
  const PathNumber count = segment.path_count();
  // Few faults cut few paths: one of the next is live. If not, the caller searches the whole network.
  for (PathNumber i = 1; i < std::min(count, kMaxExaminedPaths); ++i) {
    route.resize(begin);
    segment.append((wanted + i) % count, route);
    if (is_up(layout, std::span(route).subspan(begin))) return true;
  }
  route.resize(begin);
  return false;
}

/// Appends the least loaded path that is not cut; false if there is none.
bool append_least_loaded_path(const NetworkLayout& layout, const Segment& segment, const LinkLoad& load,
                              std::vector<LinkId>& route) {
  const std::size_t begin = route.size();
  const PathNumber count = std::min(segment.path_count(), kMaxExaminedPaths);
  PathNumber best = count;
  std::pair<double, double> least;
  for (PathNumber path = 0; path < count; ++path) {
    route.resize(begin);
    segment.append(path, route);
    const auto links = std::span(route).subspan(begin);
    if (layout.has_down_links && !is_up(layout, links)) continue;
    // The fullest link decides how fast it goes; the sum decides between paths that share it. Then the lowest number.
    std::pair<double, double> cost;  // maximum and sum
    for (const LinkId id : links) {
      const double here = load(id);
      cost.first = std::max(cost.first, here);
      cost.second += here;
    }
    if (best != count && !(cost < least)) continue;
    best = path;
    least = cost;
  }
  route.resize(begin);
  if (best == count) return false;
  segment.append(best, route);
  return true;
}

/// Calls `append(dimension, segment)` for each dimension in which the route makes way. A fabric that spans the
/// dimensions further in makes theirs as well. Where one is refused, the route becomes a shortest way over whatever is
/// up: there is one, or there were no network.
template <typename Append>
void append_segments(const NetworkLayout& layout, std::uint32_t source, std::uint32_t target,
                     std::vector<LinkId>& route, Append&& append) {
  const std::size_t begin = route.size();
  std::size_t first = 0;
  for (std::size_t d = layout.levels.size(); d-- > 0 && first == 0;) {
    const NetworkLevel& level = layout.levels[d];
    if (level.spans_inner && level.coordinate(source) != level.coordinate(target)) first = d;
  }
  std::uint32_t at = source;
  for (std::size_t d = first; d < layout.levels.size(); ++d) {
    const NetworkLevel& level = layout.levels[d];
    const std::uint32_t from = level.place(at);
    const std::uint32_t to = level.place(target);
    if (from == to) continue;
    const Segment segment{
        .fabric = *level.fabric, .source = from, .target = to, .first_link = level.first_link_of(level.instance(at))};
    if (!append(d, segment)) {
      route.resize(begin);
      append_shortest_path(source, target, layout.links, *layout.leaving, route);
      return;
    }
    at = at - from * level.stride + to * level.stride;
  }
}

}  // namespace

void Network::append_route(std::uint32_t source, std::uint32_t target, std::uint64_t flow,
                           std::vector<LinkId>& route) const {
  const NetworkLayout& layout = *layout_;
  const bool spreads = layout.routing == Routing::ecmp;
  // As switches do it: from source, target and flow, so that the messages of a flow stay in order.
  const std::uint64_t hash = spreads ? mix(mix(mix(source) ^ target) ^ flow) : 0;
  append_segments(layout, source, target, route, [&](std::size_t dimension, const Segment& segment) {
    const PathNumber path = spreads ? mix(hash + dimension) % segment.path_count()
                                    : segment.fabric.usual_path(segment.source, segment.target);
    return append_live_path(layout, segment, path, route);
  });
}

void Network::append_adaptive_route(std::uint32_t source, std::uint32_t target, const LinkLoad& load,
                                    std::vector<LinkId>& route) const {
  const NetworkLayout& layout = *layout_;
  append_segments(layout, source, target, route, [&](std::size_t, const Segment& segment) {
    return append_least_loaded_path(layout, segment, load, route);
  });
}

}  // namespace orrery::machine
