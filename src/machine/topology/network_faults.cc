// Faults: links that are down or carry less than they should.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/suggest.h"
#include "machine/device/device.h"
#include "machine/topology/network.h"

namespace orrery::machine {

namespace {

/// Finds vertices by name. Switches are looked up in a table that is made when the first one is asked for.
class VertexFinder {
 public:
  explicit VertexFinder(const NetworkLayout& layout) : layout_(layout) {}

  std::optional<VertexId> find(const std::string& name) {
    if (const auto number = device_number(name)) {
      return *number < layout_.device_count ? std::optional(static_cast<VertexId>(*number)) : std::nullopt;
    }
    const auto found = switches().find(name);
    return found == switches().end() ? std::nullopt : std::optional(found->second);
  }

  std::string hint(const std::string& name) {
    constexpr std::size_t kMaxCompared = 10'000;
    std::vector<std::string_view> known;
    for (const auto& [text, vertex] : switches()) {
      // Comparing a slip with a million names takes longer than the simulation.
      if (known.size() < kMaxCompared) known.push_back(text);
    }
    if (const std::string_view meant = nearest_word(name, known); !meant.empty())
      return fmt::format("did you mean '{}'?", meant);
    const std::string devices = fmt::format("devices are device0 to device{}", layout_.device_count - 1);
    return known.empty() ? devices : fmt::format("{}, switches are called like '{}'", devices, known.front());
  }

 private:
  const std::map<std::string, VertexId>& switches() {
    if (switches_.empty()) {
      for (VertexId v = layout_.device_count; v < layout_.vertex_count; ++v)
        switches_.emplace(layout_.vertex_name(v), v);
    }
    return switches_;
  }

  const NetworkLayout& layout_;
  std::map<std::string, VertexId> switches_;
};

Error fault_error(std::size_t index, std::string_view message, std::string hint = {}) {
  return Error{.message = fmt::format("faults[{}] {}", index, message), .hint = std::move(hint)};
}

/// Derates the links from `from` to `to` that the fault means; returns how many there are.
std::size_t derate_links(const Fault& fault, VertexId from, VertexId to, const Adjacency& leaving,
                         NetworkLayout& layout) {
  std::size_t changed = 0;
  for (const LinkId id : leaving.links_of(from)) {
    if (layout.links[id].to != to) continue;
    if (fault.cable && layout.parallel_index(id) != *fault.cable) continue;
    layout.links[id].bytes_per_second *= fault.derate;
    ++changed;
  }
  return changed;
}

Status apply_fault(const Fault& fault, std::size_t index, VertexFinder& finder, const Adjacency& leaving,
                   NetworkLayout& layout) {
  const auto from = finder.find(fault.from);
  const auto to = finder.find(fault.to);
  if (!from || !to) {
    const std::string& unknown = from ? fault.to : fault.from;
    return fault_error(index, fmt::format("names '{}', which is no device or switch of the network", unknown),
                       finder.hint(unknown));
  }
  std::size_t changed = derate_links(fault, *from, *to, leaving, layout);
  if (fault.direction == Direction::both) changed += derate_links(fault, *to, *from, leaving, layout);
  if (changed > 0) return {};
  const std::string cable = fault.cable ? fmt::format(" with number {}", *fault.cable) : "";
  return fault_error(index,
                     fmt::format("means a link{} between {} and {}, but there is none", cable, fault.from, fault.to),
                     "only neighbours share a link; parallel ones count from 0");
}

}  // namespace

Status apply_faults(const std::vector<Fault>& faults, NetworkLayout& layout) {
  if (faults.empty()) return {};
  VertexFinder finder(layout);
  const Adjacency leaving(layout.links, layout.vertex_count, Adjacency::Towards::ends);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (Status status = apply_fault(faults[i], i, finder, leaving, layout); !status) return status;
    // A detour is not dimension-ordered: better refused than silently something else.
    if (faults[i].derate == 0 && layout.routing == Routing::dimension_ordered) {
      return fault_error(
          i,
          fmt::format("takes the link between {} and {} down, and dimension-ordered routes do not go around it",
                      faults[i].from, faults[i].to),
          "routing: shortest does");
    }
  }
  layout.has_down_links = std::any_of(layout.links.begin(), layout.links.end(),
                                      [](const Link& link) { return link.bytes_per_second <= 0; });
  // Slower links change no route.
  if (!layout.has_down_links) return {};
  if (const auto gap = find_gap(layout.links, layout.vertex_count, layout.device_count)) {
    return Error{.message = fmt::format("the faults cut the network: there is no way from device{} to device{}",
                                        gap->from, gap->to)};
  }
  layout.leaving = std::make_shared<const Adjacency>(layout.links, layout.vertex_count, Adjacency::Towards::ends);
  return {};
}

}  // namespace orrery::machine
