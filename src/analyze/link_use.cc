#include "analyze/link_use.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/share.h"
#include "base/units.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;
using simulate::LinkSeries;

/// Order by content, so that equal links come together; those without a series first.
bool series_less(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// The name without its numbers, and without the instance: "NVLink[3].switch" and "NVLink[0].switch" are "NVLink.switch".
std::string kind_of(std::string_view name) {
  std::string kind;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '[') {
      while (i < name.size() && name[i] != ']') ++i;
      continue;
    }
    if (name[i] < '0' || name[i] > '9') kind += name[i];
  }
  return kind;
}

double use_of(const machine::Link& link, std::uint64_t bytes, TimePs makespan) {
  if (makespan <= 0 || link.bytes_per_second <= 0) return 0;
  return static_cast<double>(bytes) / (link.bytes_per_second * static_cast<double>(makespan) / static_cast<double>(kPsPerSecond));
}

/// Adds what a link of the vertex carried; means are divided at the end.
void add_link(VertexUse& vertex, double use, std::uint64_t bytes) {
  vertex.mean_use += use;
  vertex.most_use = std::max(vertex.most_use, use);
  vertex.bytes += bytes;
  ++vertex.links;
}

void add_classes(MachineUse& use) {
  std::map<std::pair<std::size_t, std::string>, std::size_t> places;
  for (const VertexUse& vertex : use.vertices) {
    const auto [at, is_new] = places.try_emplace({vertex.row, kind_of(vertex.name)}, use.classes.size());
    if (is_new) use.classes.push_back({.name = at->first.second, .row = vertex.row});
    VertexClass& kind = use.classes[at->second];
    ++kind.count;
    kind.links += vertex.links;
    kind.bytes += vertex.bytes;
    kind.mean_use += vertex.mean_use * static_cast<double>(vertex.links);
    kind.most_use = std::max(kind.most_use, vertex.most_use);
  }
  for (VertexClass& kind : use.classes) kind.mean_use /= static_cast<double>(std::max<std::uint64_t>(kind.links, 1));
}

}  // namespace

std::vector<LinkUseRow> link_use(const simulate::Schedule& schedule, std::span<const std::string> names) {
  std::vector<std::span<const std::uint64_t>> series(schedule.link_count());
  for (std::size_t row = 0; row < schedule.link_series.links.size(); ++row)
    series[schedule.link_series.links[row]] = schedule.link_series.of(row);
  std::vector<std::uint32_t> order;
  for (std::uint32_t link = 0; link < std::min(schedule.link_count(), names.size()); ++link) {
    if (schedule.link_bytes[link] > 0) order.push_back(link);
  }
  const auto facts = [&](std::uint32_t link) {  // most first
    return std::tuple(-schedule.link_busy_ps[link], ~schedule.link_bytes[link], schedule.link_peak_sharing[link]);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (facts(a) != facts(b)) return facts(a) < facts(b);
    if (series_less(series[a], series[b])) return true;
    return !series_less(series[b], series[a]) && a < b;
  });
  std::vector<LinkUseRow> rows;
  for (const std::uint32_t link : order) {
    if (!rows.empty() && facts(rows.back().first) == facts(link) &&
        std::equal(series[link].begin(), series[link].end(), rows.back().series.begin(), rows.back().series.end())) {
      ++rows.back().alike;
      continue;
    }
    LinkUseRow row;
    row.first = link;
    row.link = names[link];
    row.bytes = schedule.link_bytes[link];
    row.busy_ps = schedule.link_busy_ps[link];
    row.peak_sharing = schedule.link_peak_sharing[link];
    row.series = series[link];
    rows.push_back(std::move(row));
  }
  // Of links that are as busy as each other the first of the machine comes first, not that of the smallest series.
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    const auto most = [&](std::uint32_t link) { return std::tuple(-schedule.link_busy_ps[link], ~schedule.link_bytes[link], link); };
    return most(a.first) < most(b.first);
  });
  return rows;
}

Sheet link_use_sheet(std::span<const LinkUseRow> rows, TimePs makespan) {
  Sheet sheet("link_use");
  sheet.add({.name = "link", .title = "link"})
      .add({.name = "alike", .type = Type::integer, .title = "alike"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "carried"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::ns, .title = "busy"})
      .add({.name = "busy_share", .type = Type::real, .unit = Unit::pct, .title = "share"})
      .add({.name = "peak_sharing", .type = Type::integer, .title = "at most at once"})
      .add({.name = "bins", .type = Type::integers, .unit = Unit::bytes});
  for (const LinkUseRow& row : rows) {
    std::string bins;
    for (const std::uint64_t bytes : row.series) bins += (bins.empty() ? "" : ", ") + std::to_string(bytes);
    sheet.add_row({row.link, row.alike, row.bytes, row.busy_ps, share_percent(row.busy_ps, makespan), row.peak_sharing, bins});
  }
  return sheet;
}

MachineUse machine_use(const machine::Machine& machine, const machine::Network& network, const simulate::Schedule& schedule) {
  MachineUse use;
  for (const machine::Dimension& dimension : machine.network) use.dimensions.push_back(dimension.name);
  for (machine::VertexId vertex = 0; vertex < network.vertex_count(); ++vertex) {
    const bool is_device = vertex < network.device_count();
    use.vertices.push_back({.name = network.vertex_name(vertex), .row = is_device ? 0 : 1 + network.dimension_of_switch(vertex)});
  }
  const TimePs makespan = schedule.makespan_ps();
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> cables;
  std::vector<std::uint64_t> links_of(use.dimensions.size(), 0);
  use.dimension_use.resize(use.dimensions.size(), 0);
  for (machine::LinkId id = 0; id < network.links().size() && id < schedule.link_count(); ++id) {
    const machine::Link& link = network.links()[id];
    const double share = use_of(link, schedule.link_bytes[id], makespan);
    add_link(use.vertices[link.from], share, schedule.link_bytes[id]);
    add_link(use.vertices[link.to], share, schedule.link_bytes[id]);
    double& cable = cables[{std::min(link.from, link.to), std::max(link.from, link.to)}];
    cable = std::max(cable, share);
    use.dimension_use[network.dimension_of_link(id)] += share;
    ++links_of[network.dimension_of_link(id)];
  }
  for (VertexUse& vertex : use.vertices) vertex.mean_use /= static_cast<double>(std::max<std::uint64_t>(vertex.links, 1));
  for (std::size_t d = 0; d < links_of.size(); ++d) use.dimension_use[d] /= static_cast<double>(std::max<std::uint64_t>(links_of[d], 1));
  for (const auto& [ends, share] : cables) use.cables.push_back({ends.first, ends.second, share});
  add_classes(use);
  return use;
}

Sheet topology_sheet(const MachineUse& use) {
  Sheet sheet("topology");
  sheet.add({.name = "what", .title = "part"})
      .add({.name = "dimension", .title = "dimension"})
      .add({.name = "count", .type = Type::integer, .title = "of them"})
      .add({.name = "links", .type = Type::integer, .title = "links"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "carried"})
      .add({.name = "mean_use", .type = Type::real, .unit = Unit::pct, .title = "mean use"})
      .add({.name = "busiest_use", .type = Type::real, .unit = Unit::pct, .title = "busiest link"});
  for (const VertexClass& kind : use.classes) {
    sheet.add_row({kind.name, kind.row == 0 ? Cell(nullptr) : Cell(use.dimensions[kind.row - 1]), kind.count, kind.links, kind.bytes,
                   100 * kind.mean_use, 100 * kind.most_use});
  }
  return sheet;
}

}  // namespace orrery::analyze
