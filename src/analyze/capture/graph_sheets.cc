#include "analyze/capture/graph_sheets.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "analyze/capture/join_captures.h"
#include "analyze/capture/operand_lists.h"
#include "analyze/text_cell.h"
#include "base/parallel.h"
#include "base/percent.h"

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;
using trace::Field;

namespace {

void add_where(Sheet& sheet, const std::vector<GraphRank>& ranks, bool with_device) {
  const bool are_runs = !ranks.empty() && ranks.front().devices->rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact});
  if (with_device) sheet.add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact});
}

/// The launches of each graph, in order.
std::vector<std::vector<std::uint32_t>> launches_by_graph(const GraphLaunches& launches) {
  std::vector<std::vector<std::uint32_t>> by_graph(launches.graphs.size());
  for (std::uint32_t l = 0; l < launches.launches.size(); ++l) by_graph[launches.launches[l].graph].push_back(l);
  return by_graph;
}

std::string_view text_of(const DeviceRank& devices, Field field, trace::EventIndex event) {
  const auto id = devices.rank->field(field).find(event);
  return id ? devices.trace->strings.text(static_cast<StringId>(*id)) : std::string_view();
}

/// How long the nodes of a graph took, of `nodes` that its first launch had, in `of_graph`: its launches in the order
/// of their calls, however they were written.
std::vector<Moments> spread_of_nodes(const GraphRank& rank, std::span<const std::uint32_t> of_graph,
                                     std::size_t nodes) {
  // A few nodes at a time: their works lie beside each other in every launch, and their times stay in a cache.
  constexpr std::size_t kAtOnce = 16;
  const GraphLaunches& launches = rank.origins->launches();
  std::array<std::vector<TimePs>, kAtOnce> times;
  std::vector<Moments> spread;
  spread.reserve(nodes);
  for (std::size_t first = 0; first < nodes; first += kAtOnce) {
    const std::size_t end = std::min(nodes, first + kAtOnce);
    for (const std::uint32_t l : of_graph) {
      const std::span<const std::uint32_t> own = launches.works_of(launches.launches[l]);
      for (std::size_t n = first; n < std::min(own.size(), end); ++n)
        times[n - first].push_back(rank.devices->time_of(own[n]));
    }
    for (std::size_t n = first; n < end; ++n) {
      spread.push_back(moments_of(times[n - first]));
      times[n - first].clear();
    }
  }
  return spread;
}

}  // namespace

std::vector<GraphRank> look_at_graphs(const std::vector<DeviceRank>& ranks) {
  std::vector<GraphRank> result(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    result[r].devices = &ranks[r];
    result[r].origins = std::make_unique<WorkOrigins>(*ranks[r].trace, *ranks[r].rank, ranks[r].timeline);
    result[r].gaps = launch_gaps(ranks[r], result[r].origins->launches());
  });
  return result;
}

Sheet graphs_sheet(const std::vector<GraphRank>& ranks) {
  Sheet sheet("graphs");
  add_where(sheet, ranks, true);
  sheet.add({.name = "graph", .type = Type::integer, .title = "graph", .decimals = report::kExact})
      .add({.name = "id", .type = Type::integer})
      .add({.name = "launches", .type = Type::integer, .title = "launches"})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "streams", .type = Type::integer, .title = "streams"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::us, .title = "a launch takes"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "of it busy"})
      .add({.name = "matched", .type = Type::integer, .title = "with operator"})
      .add({.name = "source", .title = "told by"})
      .add({.name = "capture", .title = "which"})
      .add({.name = "ambiguous", .type = Type::flag});
  for (const GraphRank& rank : ranks) {
    const GraphLaunches& launches = rank.origins->launches();
    const auto by_graph = launches_by_graph(launches);
    for (std::uint32_t g = 0; g < launches.graphs.size(); ++g) {
      const LaunchedGraph& graph = launches.graphs[g];
      std::vector<TimePs> spans, busy;
      std::size_t matched = 0;
      for (const std::uint32_t l : by_graph[g]) {
        spans.push_back(rank.gaps[l].span);
        busy.push_back(rank.gaps[l].busy);
      }
      const GraphLaunch& first = launches.launches[graph.first_launch];
      for (const std::uint32_t w : launches.works_of(first)) matched += rank.origins->of(w).source.empty() ? 0 : 1;
      std::string_view source = text_of(*rank.devices, Field::origin_text, first.call);
      const bool ambiguous = source.ends_with(kByOrderAlone);
      if (ambiguous) source.remove_suffix(kByOrderAlone.size());
      sheet.add_row({rank.devices->rank->rank, first.device, g, graph.id == 0 ? Cell(nullptr) : Cell(graph.id),
                     graph.launches, graph.works, graph.streams, moments_of(spans).mean, moments_of(busy).mean, matched,
                     text_or_null(source), text_or_null(text_of(*rank.devices, Field::range_text, first.call)),
                     ambiguous});
    }
  }
  return sheet;
}

Sheet nodes_sheet(const std::vector<GraphRank>& ranks, std::size_t top) {
  Sheet sheet("nodes");
  add_where(sheet, ranks, false);
  sheet.add({.name = "graph", .type = Type::integer, .title = "graph", .decimals = report::kExact})
      .add({.name = "node", .type = Type::integer, .title = "node", .decimals = report::kExact})
      .add({.name = "name", .title = "kernel, copy or set"})
      .add({.name = "stream", .type = Type::integer, .title = "stream", .decimals = report::kExact})
      .add({.name = "operator", .title = "operator"})
      .add({.name = "shapes", .type = Type::json, .title = "shapes"})
      .add({.name = "types", .type = Type::json})
      .add({.name = "module", .title = "module"})
      .add({.name = "range", .title = "range"})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::us, .title = "mean"})
      .add({.name = "std", .type = Type::time, .unit = Unit::us, .title = "std"})
      .add({.name = "min", .type = Type::time, .unit = Unit::us, .title = "min"})
      .add({.name = "max", .type = Type::time, .unit = Unit::us, .title = "max"});
  for (const GraphRank& rank : ranks) {
    const GraphLaunches& launches = rank.origins->launches();
    const auto by_graph = launches_by_graph(launches);
    for (std::uint32_t g = 0; g < launches.graphs.size(); ++g) {
      const std::span<const std::uint32_t> works =
          launches.works_of(launches.launches[launches.graphs[g].first_launch]);
      const std::vector<Moments> spread = spread_of_nodes(rank, by_graph[g], works.size());
      std::vector<std::uint32_t> shown(works.size());
      for (std::uint32_t n = 0; n < shown.size(); ++n) shown[n] = n;
      if (top != 0 && top < shown.size()) {
        std::stable_sort(shown.begin(), shown.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return spread[a].sum > spread[b].sum; });
        shown.resize(top);
        std::sort(shown.begin(), shown.end());
      }
      for (const std::uint32_t n : shown) {
        const WorkOrigin origin = rank.origins->of(works[n]);
        const causal::DeviceWork& work = rank.devices->timeline.works[works[n]];
        const std::string shapes = without_blanks(origin.shapes()), types = without_blanks(origin.types());
        sheet.add_row({rank.devices->rank->rank, g, n, rank.devices->trace->name(*rank.devices->rank, work.event),
                       rank.devices->timeline.queues[work.queue].stream, text_or_null(origin.op()),
                       text_or_null(shapes), text_or_null(types), text_or_null(origin.modules),
                       text_or_null(origin.range), spread[n].count, spread[n].mean, spread[n].deviation,
                       spread[n].least, spread[n].most});
      }
    }
  }
  return sheet;
}

Sheet launches_sheet(const std::vector<GraphRank>& ranks) {
  Sheet sheet("launches");
  add_where(sheet, ranks, true);
  const auto time = [&](const char* name, const char* title) {
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  };
  sheet.add({.name = "launch", .type = Type::integer, .title = "launch", .decimals = report::kExact})
      .add({.name = "graph", .type = Type::integer, .title = "graph", .decimals = report::kExact})
      .add({.name = "step", .type = Type::integer, .title = "step", .decimals = report::kExact});
  time("call", "");
  sheet.add({.name = "works", .type = Type::integer, .title = "works"});
  time("span", "takes"), time("busy", ""), time("gap", "gap before"), time("other_works", "other work");
  time("idle", "idle"), time("host_wait", "waiting for the call");
  sheet.add({.name = "cause"})
      .add({.name = "cause_in_words", .title = "what the host did", .people_only = true})
      .add({.name = "cause_kind"});
  time("cause", "for");
  for (const GraphRank& rank : ranks) {
    const GraphLaunches& launches = rank.origins->launches();
    for (const LaunchGap& gap : rank.gaps) {
      const GraphLaunch& launch = launches.launches[gap.launch];
      const bool is_first = !gap.gap.has_value();
      const auto of_gap = [&](TimePs value) { return is_first ? Cell(nullptr) : Cell(value); };
      const HostWaitCause* const cause = gap.causes.empty() ? nullptr : &gap.causes.front();
      const std::string_view words = cause == nullptr      ? std::string_view()
                                     : cause->name.empty() ? std::string_view("(not recorded)")
                                                           : std::string_view(cause->name);
      sheet.add_row({rank.devices->rank->rank, launch.device, gap.number, launch.graph,
                     gap.step < 0 ? Cell(nullptr) : Cell(gap.step), rank.devices->rank->duration[launch.call],
                     launch.count, gap.span, gap.busy, is_first ? Cell(nullptr) : Cell(*gap.gap),
                     of_gap(gap.other_works), of_gap(gap.idle), of_gap(gap.host_wait),
                     cause == nullptr ? Cell(nullptr) : Cell(cause->name), text_or_null(words),
                     cause == nullptr ? Cell(nullptr) : Cell(causal::identifier(cause->kind)),
                     cause == nullptr ? Cell(nullptr) : Cell(cause->time)});
    }
  }
  return sheet;
}

Sheet gap_causes_sheet(const std::vector<GraphRank>& ranks, std::size_t top) {
  Sheet sheet("gap_causes");
  add_where(sheet, ranks, true);
  sheet.add({.name = "cause"})
      .add({.name = "cause_in_words", .title = "what the host did between launches", .people_only = true})
      .add({.name = "cause_kind"})
      .add({.name = "gaps", .type = Type::integer, .title = "gaps"})
      .add({.name = "idle", .type = Type::time, .unit = Unit::us, .title = "idle"})
      .add({.name = "pct", .type = Type::real, .unit = Unit::pct, .title = "of that", .with_bar = true});
  struct Sum {
    std::size_t gaps = 0;
    TimePs time = 0;
  };
  for (const GraphRank& rank : ranks) {
    std::map<std::int64_t, std::map<std::pair<std::string, causal::EdgeKind>, Sum>> by_device;
    std::map<std::int64_t, TimePs> total;
    for (const LaunchGap& gap : rank.gaps) {
      const std::int64_t device = rank.origins->launches().launches[gap.launch].device;
      for (const HostWaitCause& cause : gap.causes) {
        Sum& sum = by_device[device][{cause.name, cause.kind}];
        ++sum.gaps;
        sum.time = plus_capped(sum.time, cause.time);
        total[device] = plus_capped(total[device], cause.time);
      }
    }
    for (const auto& [device, causes] : by_device) {
      std::vector<std::pair<std::pair<std::string, causal::EdgeKind>, Sum>> rows(causes.begin(), causes.end());
      // Names of equal times keep the order of the map.
      std::stable_sort(rows.begin(), rows.end(),
                       [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
      if (top != 0 && rows.size() > top) rows.resize(top);
      for (const auto& [what, sum] : rows)
        sheet.add_row({rank.devices->rank->rank, device, what.first,
                       what.first.empty() ? std::string_view("(not recorded)") : std::string_view(what.first),
                       causal::identifier(what.second), sum.gaps, sum.time, share_percent(sum.time, total[device])});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
