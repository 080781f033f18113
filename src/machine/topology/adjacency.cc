#include "machine/topology/adjacency.h"

#include <algorithm>

namespace orrery::machine {

namespace {

bool is_up(const Link& link) { return link.bytes_per_second > 0; }

}  // namespace

Adjacency::Adjacency(std::span<const Link> links, std::uint32_t vertex_count, Towards towards)
    : links_(group_by_row<LinkId>(vertex_count, [&](auto&& add) {
        for (LinkId id = 0; id < links.size(); ++id) {
          // A link that is down is no link here: whoever searches for ways must not have to ask.
          if (is_up(links[id])) add(towards == Towards::ends ? links[id].from : links[id].to, id);
        }
      })) {}

std::vector<std::uint32_t> distances_from(VertexId start, std::span<const Link> links, const Adjacency& adjacency) {
  std::vector<std::uint32_t> distances(adjacency.vertex_count(), kUnreached);
  std::vector<VertexId> queue = {start};
  distances[start] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const VertexId vertex = queue[head];
    for (const LinkId id : adjacency.links_of(vertex)) {
      const VertexId other = links[id].from == vertex ? links[id].to : links[id].from;
      if (distances[other] != kUnreached) continue;
      distances[other] = distances[vertex] + 1;
      queue.push_back(other);
    }
  }
  return distances;
}

std::optional<Gap> find_gap(std::span<const Link> links, std::uint32_t vertex_count, std::uint32_t device_count) {
  const auto unreached = [&](Adjacency::Towards towards) -> std::optional<VertexId> {
    const auto distances = distances_from(0, links, Adjacency(links, vertex_count, towards));
    const auto devices_end = distances.begin() + device_count;
    const auto found = std::find(distances.begin(), devices_end, kUnreached);
    if (found == devices_end) return std::nullopt;
    return static_cast<VertexId>(found - distances.begin());
  };
  // Reaching all from device 0, and device 0 from all, is reaching all from all: two searches instead of one per
  // device.
  if (const auto device = unreached(Adjacency::Towards::ends)) return Gap{.from = 0, .to = *device};
  if (const auto device = unreached(Adjacency::Towards::begins)) return Gap{.from = *device, .to = 0};
  return std::nullopt;
}

bool append_shortest_path(VertexId source, VertexId target, std::span<const Link> links, const Adjacency& leaving,
                          std::vector<LinkId>& route) {
  // Kept between calls: a simulation asks for many detours.
  thread_local std::vector<LinkId> reached_by;
  thread_local std::vector<VertexId> queue;
  reached_by.assign(leaving.vertex_count(), kUnreached);
  queue.assign(1, source);
  for (std::size_t head = 0; head < queue.size() && reached_by[target] == kUnreached; ++head) {
    for (const LinkId id : leaving.links_of(queue[head])) {
      const VertexId next = links[id].to;
      // The source has no link that reached it and would look fresh.
      if (next == source || reached_by[next] != kUnreached) continue;
      reached_by[next] = id;
      queue.push_back(next);
    }
  }
  if (reached_by[target] == kUnreached) return false;
  const auto begin = static_cast<std::ptrdiff_t>(route.size());
  for (VertexId vertex = target; vertex != source; vertex = links[reached_by[vertex]].from)
    route.push_back(reached_by[vertex]);
  std::reverse(route.begin() + begin, route.end());
  return true;
}

}  // namespace orrery::machine
