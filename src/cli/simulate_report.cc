#include "cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;
using simulate::CollectiveUse;
using simulate::RankUse;

constexpr std::size_t kShownRanks = 10;
constexpr std::size_t kShownLinks = 10;
constexpr std::size_t kShownCollectives = 10;

// Exact nanoseconds where they are whole, as all of ASTRA-sim's are.
void nanoseconds(JsonWriter& json, std::string_view key, TimePs ps) {
  json.key(key);
  if (ps % kPsPerNs == 0) json.value(ps / kPsPerNs);
  else json.value(static_cast<double>(ps) / static_cast<double>(kPsPerNs));
}

void write_ranks(JsonWriter& json, const SimulationReport& report) {
  json.key("ranks").begin_array();
  for (std::size_t rank = 0; rank < report.schedule.ranks.size(); ++rank) {
    const RankUse& use = report.schedule.ranks[rank];
    json.begin_object().field("rank", rank);
    nanoseconds(json, "finish_ns", use.finish_ps);
    nanoseconds(json, "exposed_comm_ns", use.exposed_ps);
    nanoseconds(json, "compute_ns", use.compute_ps);
    json.end_object();
  }
  json.end_array();
}

void write_nodes(JsonWriter& json, const SimulationReport& report) {
  json.key("nodes").begin_array();
  std::size_t activity = 0;
  for (std::size_t rank = 0; rank < report.workload.rank_count(); ++rank) {
    const graph::Program& program = report.workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i, ++activity) {
      json.begin_object().field("rank", rank).field("id", program.ids[i]);
      nanoseconds(json, "start_ns", report.schedule.start_ps[activity]);
      nanoseconds(json, "end_ns", report.schedule.end_ps[activity]);
      json.end_object();
    }
  }
  json.end_array();
}

void write_links(JsonWriter& json, const SimulationReport& report) {
  json.key("links").begin_array();
  for (std::size_t link = 0; link < report.link_names.size(); ++link) {
    if (report.schedule.link_bytes[link] == 0) continue;
    json.begin_object().field("link", report.link_names[link]).field("bytes", report.schedule.link_bytes[link]);
    nanoseconds(json, "busy_ns", report.schedule.link_busy_ps[link]);
    json.field("peak_sharing", report.schedule.link_peak_sharing[link]).end_object();
  }
  json.end_array();
}

void write_collectives(JsonWriter& json, const SimulationReport& report) {
  json.key("collectives").begin_array();
  for (const CollectiveUse& use : report.schedule.collectives) {
    json.begin_object().field("kind", graph::to_string(use.kind)).field("group", report.workload.strings.text(use.group_name));
    json.field("ranks", use.ranks).field("bytes", use.bytes);
    nanoseconds(json, "first_arrival_ns", use.first_arrival_ps);
    nanoseconds(json, "last_arrival_ns", use.last_arrival_ps);
    nanoseconds(json, "end_ns", use.end_ps);
    json.field("bus_gb_per_s", simulate::bus_bytes_per_second(use) / 1e9).end_object();
  }
  json.end_array();
}

template <typename Value>
std::vector<std::size_t> largest(std::size_t count, std::size_t shown, Value value) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(shown, count));
  std::partial_sort(order.begin(), middle, order.end(),
                    [&](std::size_t a, std::size_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  order.erase(middle, order.end());
  return order;
}

double share(TimePs part, TimePs whole) { return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

std::string headline(const SimulationReport& report) {
  const auto& ranks = report.schedule.ranks;
  const auto latest =
      std::max_element(ranks.begin(), ranks.end(), [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; });
  const auto earliest =
      std::min_element(ranks.begin(), ranks.end(), [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; });
  std::string text =
      fmt::format("{} ranks finish in {} ({})", format_count(ranks.size()), format_duration(latest->finish_ps), report.model);
  text += fmt::format(": {:.1f} % of the last rank's time is communication that no computation hides",
                      share(latest->exposed_ps, latest->finish_ps));
  if (earliest->finish_ps != latest->finish_ps) {
    text += fmt::format("; rank {} is done first, after {}", earliest - ranks.begin(), format_duration(earliest->finish_ps));
  }
  return text + ".\n";
}

std::string rank_table(const Invocation& invocation, const SimulationReport& report) {
  const auto& ranks = report.schedule.ranks;
  report::Table table(
      {{"rank", Align::right}, {"finish", Align::right}, {"computing", Align::right}, {"exposed communication", Align::right}});
  const auto shown = largest(ranks.size(), kShownRanks, [&](std::size_t rank) { return ranks[rank].finish_ps; });
  for (const std::size_t rank : shown) {
    table.add_row(
        {std::to_string(rank), format_duration(ranks[rank].finish_ps), format_duration(ranks[rank].compute_ps),
         fmt::format("{} ({:.1f} %)", format_duration(ranks[rank].exposed_ps), share(ranks[rank].exposed_ps, ranks[rank].finish_ps))});
  }
  std::string text = table.render(invocation.columns(), invocation.style());
  if (shown.size() < ranks.size())
    text += fmt::format("and {} more ranks, done earlier or at the same time\n", format_count(ranks.size() - shown.size()));
  return text;
}

std::string link_table(const Invocation& invocation, const SimulationReport& report) {
  const auto& schedule = report.schedule;
  const TimePs makespan = schedule.makespan_ps();
  report::Table table(
      {{"busiest links", Align::left}, {"carried", Align::right}, {"busy", Align::right}, {"at most at once", Align::right}});
  for (const std::size_t link : largest(schedule.link_count(), kShownLinks, [&](std::size_t i) { return schedule.link_busy_ps[i]; })) {
    if (schedule.link_bytes[link] == 0) continue;
    table.add_row({report.link_names[link], format_bytes(schedule.link_bytes[link]),
                   fmt::format("{} ({:.1f} %)", format_duration(schedule.link_busy_ps[link]), share(schedule.link_busy_ps[link], makespan)),
                   std::to_string(schedule.link_peak_sharing[link])});
  }
  return table.render(invocation.columns(), invocation.style());
}

std::string collective_table(const Invocation& invocation, const SimulationReport& report) {
  const auto& collectives = report.schedule.collectives;
  report::Table table({{"longest collectives", Align::left},
                       {"ranks", Align::right},
                       {"size", Align::right},
                       {"waited for the last", Align::right},
                       {"moving", Align::right},
                       {"bus bandwidth", Align::right}});
  const auto length = [&](std::size_t i) { return collectives[i].end_ps - collectives[i].last_arrival_ps; };
  for (const std::size_t i : largest(collectives.size(), kShownCollectives, length)) {
    const CollectiveUse& use = collectives[i];
    const std::string_view group = report.workload.strings.text(use.group_name);
    table.add_row({fmt::format("{}{}{}", graph::to_string(use.kind), group.empty() ? "" : " in group ", group), std::to_string(use.ranks),
                   format_bytes(static_cast<std::uint64_t>(use.bytes)), format_duration(use.last_arrival_ps - use.first_arrival_ps),
                   format_duration(length(i)), fmt::format("{:.2f} GB/s", simulate::bus_bytes_per_second(use) / 1e9)});
  }
  return table.render(invocation.columns(), invocation.style());
}

}  // namespace

void report_simulation(Invocation& invocation, const SimulationReport& report) {
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    nanoseconds(json, "makespan_ns", report.schedule.makespan_ps());
    json.field("model", report.model);
    if (report.events > 0) json.field("events", report.events);
    write_ranks(json, report);
    if (invocation.has("per-node")) write_nodes(json, report);
    write_links(json, report);
    write_collectives(json, report);
    return;
  }
  std::string& text = invocation.text();
  text = invocation.style().paint(report::Tone::strong, headline(report)) + "\n" + rank_table(invocation, report);
  if (!report.schedule.collectives.empty()) text += "\n" + collective_table(invocation, report);
  if (!report.link_names.empty()) text += "\n" + link_table(invocation, report);
}

}  // namespace orrery::cli
