#include "page/sections/simulation_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/schedule/schedule_sheets.h"
#include "base/percent.h"
#include "page/sections/link_pictures.h"
#include "page/sections/section.h"
#include "page/sections/sheet_table.h"
#include "report/counted.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using report::HtmlAttribute;
using report::HtmlWriter;
using report::Sheet;

constexpr std::size_t kRanksShown = 16, kLinksShown = 24, kPicturesShown = 24, kPartsShown = 12;

/// What kinds of activities are to a reader.
std::string family_of(const workload::Program& program, std::uint32_t activity) {
  switch (program.kinds[activity]) {
    case workload::ActivityKind::collective:
    case workload::ActivityKind::send:
    case workload::ActivityKind::recv: return "communication";
    case workload::ActivityKind::memory_load:
    case workload::ActivityKind::memory_store: return "memory";
    default: return "compute";
  }
}

/// Ranks in the order of what they have most of.
std::vector<std::size_t> latest_first(const Sheet& ranks) {
  std::vector<std::size_t> order(ranks.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t finish = ranks.find("finish");
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks.integer(finish, a) > ranks.integer(finish, b); });
  return order;
}

void write_ranks(HtmlWriter& html, const SimulatedRun& run) {
  const simulate::Schedule& schedule = run.schedule;
  const Sheet ranks = analyze::ranks_sheet(schedule);
  const std::vector<std::size_t> order = latest_first(ranks);
  html.element("h3", {}, "Ranks")
      .open("div", {{"class", "wide"}})
      .open("table")
      .element("caption", {{"class", "unseen"}}, "When ranks finish");
  html.open("thead").open("tr");
  const std::vector<std::size_t> columns = {ranks.find("rank"), ranks.find("finish"), ranks.find("compute"),
                                            ranks.find("exposed_comm"), ranks.find("exposed_comm_share")};
  for (const std::size_t column : columns) {
    // Here a rank that waits for another one communicates.
    const bool with_waits = run.shares && column == ranks.find("exposed_comm");
    write_heading(html, with_waits ? "communicating or waiting, not computing" : ranks.columns()[column].title, true);
  }
  html.close("tr").close("thead").open("tbody");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < order.size() && shown < kRanksShown; ++shown) {
    // Ranks that do alike are one row: of a thousand, most are.
    std::size_t alike = 1;
    const auto same = [&](std::size_t a, std::size_t b) { return schedule.ranks[a] == schedule.ranks[b]; };
    while (i + alike < order.size() && same(order[i], order[i + alike])) ++alike;
    const std::string number = std::to_string(run.number_of(order[i]));
    html.open("tr", {{"data-rank", number}, {"data-finish-ps", std::to_string(schedule.ranks[order[i]].finish_ps)}});
    html.element("th", {{"scope", "row"}, {"class", "number"}},
                 alike == 1 ? number : fmt::format("{} and {} alike", number, format_count(alike - 1)));
    for (std::size_t c = 1; c < columns.size(); ++c) write_number(html, cell_text(ranks, columns[c], order[i]));
    html.close("tr");
    i += alike;
    if (shown + 1 == kRanksShown && i < order.size()) {
      html.close("tbody").close("table").close("div");
      html.element("p", {{"class", "about"}},
                   fmt::format("and {} more ranks, done earlier.", format_count(order.size() - i)));
      return;
    }
  }
  html.close("tbody").close("table").close("div");
}

void write_links(HtmlWriter& html, std::span<const analyze::LinkUseRow> rows, TimePs makespan) {
  const Sheet links = analyze::link_use_sheet(rows, makespan);
  html.open("div", {{"id", "links"}}).element("h3", {}, "Links");
  SheetTable table{.caption = "Links, the busiest first; those that did alike are one row",
                   .rows = kLinksShown,
                   .rest = "kinds of links, less busy",
                   .left_out = {}};
  table.of_row = [&](std::size_t row) {
    return std::vector<HtmlAttribute>{{"data-link", rows[row].link},
                                      {"data-bytes", std::to_string(rows[row].bytes)},
                                      {"data-busy-ps", std::to_string(rows[row].busy_ps)},
                                      {"data-alike", std::to_string(rows[row].alike)}};
  };
  write_sheet_table(html, links, table);
  html.close("div");
}

void write_network(HtmlWriter& html, const SimulatedRun& run) {
  const std::vector<analyze::LinkUseRow> rows = analyze::link_use(run.schedule, run.link_names);
  if (rows.empty()) {
    html.element("p", {{"class", "about"}},
                 run.link_names.empty()
                     ? "Links: the model tells nothing of links, or one rank stood for all (--no-symmetry lists them)."
                     : "Links: none carried anything.");
    return;
  }
  const TimePs makespan = run.schedule.makespan_ps();
  if (run.use != nullptr && run.machine != nullptr) {
    const analyze::MachineUse& use = *run.use;
    html.open("div", {{"id", "topology"}}).element("h3", {}, "Machine");
    html.element(
        "p", {{"class", "about"}},
        fmt::format(
            "{}: devices below, switches of each dimension above. The fuller its links, the stronger the colour.",
            run.machine->name));
    write_topology(html, use, static_cast<std::size_t>(run.machine->devices.count));
    write_sheet_table(html, analyze::topology_sheet(use),
                      {.caption = "Use of the machine by part", .rows = kPartsShown, .rest = "parts", .left_out = {}});
    html.close("div");
  }
  if (!run.schedule.link_series.empty()) {
    html.open("div", {{"id", "utilisation"}}).element("h3", {}, "Links over time");
    const double full = fullest_bin(rows, kPicturesShown, run.network, makespan);
    html.element("p", {{"class", "about"}},
                 fmt::format("From begin to end in 512 bins of {}; full height is {}. The busiest links; those that "
                             "did alike are one picture.",
                             time_text(makespan / static_cast<TimePs>(simulate::LinkSeries::kBins)),
                             full > 0 ? fmt::format("{:.3g} % of a link's bandwidth", 100 * full)
                                      : "the most that the link carried in a bin"));
    write_link_pictures(html, rows, kPicturesShown, run.network, makespan, full);
    html.close("div");
  }
  write_links(html, rows, makespan);
}

void write_reasons(HtmlWriter& html, const SimulatedRun& run) {
  const TimePs makespan = run.schedule.makespan_ps();
  if (!run.reasons.path.empty()) {
    html.element("h3", {}, "On the critical path");
    write_sheet_table(
        html, analyze::path_parts_sheet(run.workload, run.reasons.path, makespan),
        {.caption = "What the critical path consists of", .rows = kPartsShown, .rest = "kinds", .left_out = {}});
  }
  if (run.reasons.reactions.empty()) return;
  html.element("h3", {}, "Sensitivity of the makespan");
  write_sheet_table(html, analyze::reactions_sheet(run.reasons.reactions, makespan),
                    {.caption = "Sensitivity of the makespan", .rows = kPartsShown, .rest = "sorts", .left_out = {}});
}

/// What takes the place of what the run is bound by, where making that free saves little; see analyze/path/verdict.h.
std::string relief_clause(const RunBound& bound, const analyze::PathSums* path) {
  if (path == nullptr || !path->relief) return {};
  const std::string_view relieved = path->relief->bound == analyze::Bound::communication ? "communication"
                                    : path->relief->bound == analyze::Bound::compute     ? "compute"
                                                                                         : "";
  if (relieved != bound.what) return {};
  return analyze::but_clause(*path->relief, analyze::bound_shares(path->times()).front().on_path, path->length());
}

}  // namespace

RunBound bound_of(const SimulatedRun& run) {
  const TimePs makespan = run.schedule.makespan_ps();
  std::map<std::string, TimePs> sums;
  for (const simulate::PathPiece& piece : run.reasons.path)
    sums[family_of(run.workload.program(piece.place.rank), piece.place.activity)] += piece.to_ps - piece.from_ps;
  if (sums.empty()) {  // added up as it went: what the last rank did has to do
    const simulate::RankUse& last = run.schedule.ranks[analyze::last_rank(run.schedule)];
    sums["communication"] = last.exposed_ps;
    sums["compute"] = last.compute_ps;
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(sums.begin(), sums.end(), less);
  return {most->first, share_percent(most->second, makespan)};
}

Section simulated_verdict_section(const SimulatedRun& run, const analyze::PathSums* path) {
  const TimePs makespan = run.schedule.makespan_ps();
  const RunBound bound = bound_of(run);
  Section section{"verdict", "Run", {}, {}};
  HtmlWriter html(section.html);
  const std::string verdict =
      fmt::format("{:.0f} % {}-bound{}", bound.share_pct, bound.what, relief_clause(bound, path));
  html.open("section", {{"id", "verdict"},
                        {"data-step-ps", std::to_string(makespan)},
                        {"data-span-ps", std::to_string(makespan)},
                        {"data-verdict", verdict},
                        {"data-rank", "all"}});
  html.open("h1").element("strong", {}, time_text(makespan)).text(fmt::format(" simulated: {}.", verdict)).close("h1");
  const std::size_t last = analyze::last_rank(run.schedule);
  const simulate::RankUse& latest = run.schedule.ranks[last];
  std::string text = fmt::format("{}{}, {}. ", report::counted(run.schedule.ranks.size(), "rank"),
                                 run.machine != nullptr ? " on " + run.machine->name : "", run.model);
  text += run.shares
              ? fmt::format(
                    "{:.1f} % of the step is communication that no computation hides, and {:.1f} % waiting for other "
                    "stages, in "
                    "the mean of the stages.",
                    run.shares->exposed_pct, run.shares->bubble_pct)
              : fmt::format("Rank {} is done last; {:.1f} % of its time is communication that no computation hides.",
                            run.number_of(last), share_percent(latest.exposed_ps, latest.finish_ps));
  if (!run.expected.empty()) text += " " + run.expected;
  for (std::size_t i = 0; i < std::min<std::size_t>(run.reasons.reactions.size(), 1); ++i) {
    const analyze::Reaction& reaction = run.reasons.reactions[i];
    if (reaction.less_makespan_ps < makespan)
      text += fmt::format(" If {}{}{} took {} % less, the run would take {}.", reaction.what,
                          reaction.group.empty() ? "" : " of ", reaction.group, analyze::kLessPercent,
                          time_text(reaction.less_makespan_ps));
  }
  html.element("p", {{"class", "about"}}, text).close("section");
  return section;
}

Section simulation_section(const SimulatedRun& run) {
  Section section{"simulation", "Machine", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "simulation"}, {"data-makespan-ps", std::to_string(run.schedule.makespan_ps())}})
      .element("h2", {}, "Simulated run");
  if (run.phases != nullptr) {
    html.element("h3", {}, "Phases");
    write_sheet_table(html, analyze::phases_sheet(*run.phases, run.workload.strings, run.schedule.ranks.size()),
                      {.caption = "Phases of the program", .rows = kPartsShown, .rest = "phases", .left_out = {}});
  }
  write_reasons(html, run);
  write_network(html, run);
  write_ranks(html, run);
  html.close("section");
  return section;
}

}  // namespace orrery::page
