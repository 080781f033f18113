#include "analyze/schedule/link_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/numbers.h"
#include "base/percent.h"
#include "base/units.h"

// Links that did exactly alike (time, bytes, sharing and the whole series) become one row: sorted by content they lie
// side by side. For the machine as a whole the use of every link is added to its two ends and its dimension, and
// vertices of one kind are put together.

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

/// Order by content, so that equal links come together; those without a series first.
bool series_less(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// The name without its numbers, and without the instance: "NVLink[3].switch" is a "NVLink.switch",
/// "rails[0].level1.56" a "rails.level1".
std::string part_kind_of(std::string_view name) {
  std::string kind;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '[') {
      while (i < name.size() && name[i] != ']') ++i;
      continue;
    }
    const bool is_digit = name[i] >= '0' && name[i] <= '9';
    if (!is_digit || kind.ends_with("level")) kind += name[i];
  }
  while (!kind.empty() && kind.back() == '.') kind.pop_back();
  return kind;
}

/// Of very many links one of each sort was recorded (simulate::LinkRecorder): the others have its series.
void adopt_series(const simulate::Schedule& schedule, std::vector<std::span<const std::uint64_t>>& series) {
  std::map<std::pair<TimePs, std::uint64_t>, std::uint32_t> recorded;
  for (const std::uint32_t link : schedule.link_series.links)
    recorded.try_emplace({schedule.link_busy_ps[link], schedule.link_bytes[link]}, link);
  for (std::size_t link = 0; link < series.size(); ++link) {
    if (!series[link].empty()) continue;
    const auto like = recorded.find({schedule.link_busy_ps[link], schedule.link_bytes[link]});
    if (like != recorded.end()) series[link] = series[like->second];
  }
}

/// Adds up, vertex by vertex and link by link, what MachineUse tells.
class MachineUseSums {
 public:
  MachineUseSums(const machine::Machine& machine, TimePs makespan) : makespan_(makespan) {
    for (const machine::Dimension& dimension : machine.network) use_.dimensions.push_back(dimension.name);
    use_.dimension_use.resize(use_.dimensions.size(), 0);
    links_of_.resize(use_.dimensions.size(), 0);
  }

  std::uint32_t add_vertex(std::string name, std::size_t row) {
    use_.vertices.push_back({.name = std::move(name), .row = row});
    return static_cast<std::uint32_t>(use_.vertices.size() - 1);
  }

  void add_link(std::uint32_t from, std::uint32_t to, std::size_t dimension, double bytes_per_second,
                std::uint64_t bytes) {
    // What the link could have carried in all the time of the run.
    const double room = bytes_per_second * static_cast<double>(makespan_) / static_cast<double>(kPsPerSecond);
    const double share = room > 0 ? static_cast<double>(bytes) / room : 0;
    for (const std::uint32_t end : {from, to}) {
      VertexUse& vertex = use_.vertices[end];
      vertex.mean_use += share;  // divided in the end
      vertex.most_use = std::max(vertex.most_use, share);
      vertex.bytes += bytes;
      ++vertex.links;
    }
    // The fuller one of the two directions stands for the cable.
    double& cable = cables_[{std::min(from, to), std::max(from, to)}];
    cable = std::max(cable, share);
    use_.dimension_use[dimension] += share;
    ++links_of_[dimension];
  }

  MachineUse take() {
    for (VertexUse& vertex : use_.vertices)
      vertex.mean_use /= static_cast<double>(std::max<std::uint64_t>(vertex.links, 1));
    for (std::size_t d = 0; d < links_of_.size(); ++d)
      use_.dimension_use[d] /= static_cast<double>(std::max<std::uint64_t>(links_of_[d], 1));
    for (const auto& [ends, share] : cables_) use_.cables.push_back({ends.first, ends.second, share});
    add_classes();
    return std::move(use_);
  }

 private:
  void add_classes() {
    std::map<std::pair<std::size_t, std::string>, std::size_t> places;
    for (const VertexUse& vertex : use_.vertices) {
      const auto [at, is_new] = places.try_emplace({vertex.row, part_kind_of(vertex.name)}, use_.classes.size());
      if (is_new) use_.classes.push_back({.name = at->first.second, .row = vertex.row});
      VertexClass& kind = use_.classes[at->second];
      ++kind.count;
      kind.links += vertex.links;
      kind.bytes += vertex.bytes;
      // Weighted by links, since kinds are means over links, not over vertices.
      kind.mean_use += vertex.mean_use * static_cast<double>(vertex.links);
      kind.most_use = std::max(kind.most_use, vertex.most_use);
    }
    for (VertexClass& kind : use_.classes) kind.mean_use /= static_cast<double>(std::max<std::uint64_t>(kind.links, 1));
  }

  TimePs makespan_;
  MachineUse use_;
  std::vector<std::uint64_t> links_of_;  // by dimension
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> cables_;
};

/// "3 -> switch (dim 1)": no device is the dimension's switch.
struct AstraLink {
  std::optional<std::uint32_t> from, to;
  std::size_t dimension = 0;
};

std::optional<AstraLink> astra_link(std::string_view name) {
  AstraLink link;
  const auto skip = [&](std::string_view text) {
    if (!name.starts_with(text)) return false;
    name.remove_prefix(text.size());
    return true;
  };
  const auto vertex = [&](std::optional<std::uint32_t>& device) {
    if (skip("switch")) return true;
    return take_number(name, device.emplace());
  };
  if (vertex(link.from) && skip(" -> ") && vertex(link.to) && skip(" (dim ") && take_number(name, link.dimension))
    return link;
  return std::nullopt;
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
  adopt_series(schedule, series);
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
    const auto most = [&](std::uint32_t link) {
      return std::tuple(-schedule.link_busy_ps[link], ~schedule.link_bytes[link], link);
    };
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
      .add({.name = "peak_sharing", .type = Type::integer, .title = "peak concurrency"})
      .add({.name = "bins", .type = Type::integers, .unit = Unit::bytes});
  for (const LinkUseRow& row : rows) {
    std::string bins;
    for (const std::uint64_t bytes : row.series) bins += (bins.empty() ? "" : ", ") + std::to_string(bytes);
    sheet.add_row(
        {row.link, row.alike, row.bytes, row.busy_ps, share_percent(row.busy_ps, makespan), row.peak_sharing, bins});
  }
  return sheet;
}

MachineUse machine_use(const machine::Machine& machine, const machine::Network& network,
                       const simulate::Schedule& schedule) {
  MachineUseSums sums(machine, schedule.makespan_ps());
  for (machine::VertexId vertex = 0; vertex < network.vertex_count(); ++vertex) {
    const bool is_device = vertex < network.device_count();
    sums.add_vertex(network.vertex_name(vertex), is_device ? 0 : 1 + network.dimension_of_switch(vertex));
  }
  for (machine::LinkId id = 0; id < network.links().size() && id < schedule.link_count(); ++id) {
    const machine::Link& link = network.links()[id];
    sums.add_link(link.from, link.to, network.dimension_of_link(id), link.bytes_per_second, schedule.link_bytes[id]);
  }
  return sums.take();
}

MachineUse astra_machine_use(const machine::Machine& machine, std::span<const std::string> names,
                             const simulate::Schedule& schedule) {
  MachineUseSums sums(machine, schedule.makespan_ps());
  const auto devices = static_cast<std::uint32_t>(machine.devices.count);
  for (std::uint32_t device = 0; device < devices; ++device) sums.add_vertex("device" + std::to_string(device), 0);
  std::map<std::size_t, std::uint32_t> switches;  // of a dimension all are one: the names do not tell them apart
  for (std::size_t id = 0; id < names.size() && id < schedule.link_count(); ++id) {
    const std::optional<AstraLink> link = astra_link(names[id]);
    if (!link || link->dimension >= machine.network.size()) continue;
    const auto vertex = [&](std::optional<std::uint32_t> device) {
      if (device) return *device;
      const auto [at, is_new] = switches.try_emplace(link->dimension, 0);
      if (is_new) at->second = sums.add_vertex(machine.network[link->dimension].name + ".switch", 1 + link->dimension);
      return at->second;
    };
    if (link->from.value_or(0) >= devices || link->to.value_or(0) >= devices) continue;
    sums.add_link(vertex(link->from), vertex(link->to), link->dimension,
                  machine.network[link->dimension].bandwidth_gb_per_s * 1e9, schedule.link_bytes[id]);
  }
  return sums.take();
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
    sheet.add_row({kind.name, kind.row == 0 ? Cell(nullptr) : Cell(use.dimensions[kind.row - 1]), kind.count,
                   kind.links, kind.bytes, 100 * kind.mean_use, 100 * kind.most_use});
  }
  return sheet;
}

}  // namespace orrery::analyze
