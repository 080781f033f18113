#include "analyze/blame/blame_sheets.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/blame/throttled.h"
#include "base/percent.h"
#include "report/counted.h"

namespace orrery::analyze {

using causal::CausalGraph;
using causal::EdgeKind;
using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

// What programs know it by; the text must outlive the cell.
constexpr std::string_view kBefore = "(before the window)";
constexpr std::size_t kNamedSteps = 2;

Cell name_cell(const CausalGraph& job, const causal::PieceClass& work) {
  if (work.kind == EdgeKind::before) return kBefore;
  return work.name == 0 ? Cell(nullptr) : Cell(job.strings.text(work.name));
}

Cell rank_cell(const CausalGraph& job, std::uint32_t place) {
  return place == kNobody ? Cell(nullptr) : Cell(job.ranks[place].rank);
}

report::Tone tone_of(Pattern pattern) {
  return pattern == Pattern::persistent || pattern == Pattern::intermittent ? report::Tone::warning
                                                                            : report::Tone::plain;
}

// By name while that is short.
std::string steps_in_words(const CausalGraph& job, const std::vector<std::uint32_t>& steps) {
  if (steps.size() > kNamedSteps) return fmt::format("{}", report::counted(steps.size(), "step"));
  std::string text;
  for (const std::uint32_t step : steps) text += fmt::format("{}{}", text.empty() ? "" : ", ", step_name(job, step));
  return text;
}

}  // namespace

std::string label_of(const CausalGraph& job, const causal::PieceClass& work) {
  if (work.kind == EdgeKind::before) return std::string(kBefore);
  return work.name == 0 ? fmt::format("({})", to_string(work.kind)) : std::string(job.strings.text(work.name));
}

std::string step_name(const CausalGraph& job, std::size_t step) {
  return job.steps.empty() ? job.label : job.steps[step];
}

Sheet blamed_ranks_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "span", .type = Type::time, .unit = Unit::us})
      .add({.name = "without_waiting", .type = Type::time, .unit = Unit::us, .title = "alone"})
      .add({.name = "wait", .type = Type::time, .unit = Unit::us, .title = "waits"})
      .add({.name = "caused_direct", .type = Type::time, .unit = Unit::us, .title = "came late"})
      .add({.name = "caused_root", .type = Type::time, .unit = Unit::us, .title = "caused"})
      .add({.name = "pattern", .title = "straggler"})
      .add({.name = "worst_in_steps", .type = Type::integer, .title = "worst in"})
      .add({.name = "p", .type = Type::real})
      .add({.name = "p_late", .type = Type::real})
      .add({.name = "p_exceptions", .type = Type::real})
      .add({.name = "chance", .title = "p", .people_only = true})
      .add({.name = "slowdown", .type = Type::real, .title = "slowdown", .decimals = 3})
      .add({.name = "gain_if_typical", .type = Type::time, .unit = Unit::us, .title = "if typical"})
      .add({.name = "outlier_steps", .title = "outliers", .people_only = true});
  const std::vector<std::optional<Throttled>> throttled = find_throttled(job);
  // Most recordings have no counters, and most devices of those that have are alike.
  const bool any = std::any_of(throttled.begin(), throttled.end(), [](const auto& one) { return one.has_value(); });
  if (any) sheet.add({.name = "throttled_in_words", .title = "throttled", .people_only = true});
  for (std::size_t r = 0; r < blame.ranks.size(); ++r) {
    const RankBlame& rank = blame.ranks[r];
    const std::optional<RankSlowdown>& slowdown = blame.slowdown.ranks[r];
    // A Cell only points at its text, which must live until the row is added.
    const std::string chance = fmt::format("{:.2g}", rank.straggler.chance());
    const std::string outliers = steps_in_words(job, rank.straggler.outlier_steps);
    std::vector<Cell> cells = {job.ranks[r].rank,
                               rank.span,
                               rank.alone,
                               rank.wait(),
                               rank.caused_direct,
                               rank.caused_root,
                               to_string(rank.straggler.pattern),
                               rank.straggler.worst_in_steps,
                               rank.straggler.p,
                               rank.straggler.p_late,
                               rank.straggler.p_exceptions,
                               chance,
                               slowdown ? Cell(slowdown->slowdown) : Cell(nullptr),
                               slowdown ? Cell(slowdown->gain_if_typical) : Cell(nullptr),
                               outliers.empty() ? Cell(nullptr) : Cell(outliers)};
    const std::string clock = throttled[r] ? in_words(*throttled[r]) : "";
    if (any) cells.push_back(clock.empty() ? Cell(nullptr) : Cell(clock));
    sheet.add_row(cells, tone_of(rank.straggler.pattern));
  }
  return sheet;
}

Sheet blame_pairs_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("pairs");
  sheet.add({.name = "waiter", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "culprit", .type = Type::integer, .title = "because of", .decimals = report::kExact})
      .add({.name = "direct", .type = Type::time, .unit = Unit::us, .title = "which came late"})
      .add({.name = "root", .type = Type::time, .unit = Unit::us, .title = "whose work it was"});
  for (const BlamePair& pair : blame.pairs)
    sheet.add_row({job.ranks[pair.waiter].rank, rank_cell(job, pair.culprit), pair.direct, pair.root});
  return sheet;
}

Sheet blame_matrix_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("matrix");
  sheet.add({.name = "waiter", .title = "waits"});
  for (const causal::JobRank& rank : job.ranks)
    sheet.add({.name = fmt::format("by_{}", rank.rank),
               .type = Type::time,
               .unit = Unit::us,
               .title = fmt::format("for {}", rank.rank)});
  // Only where there is any: most jobs have clocks that leave nothing open.
  if (blame.unresolved > 0)
    sheet.add({.name = "by_nobody", .type = Type::time, .unit = Unit::us, .title = "unresolved"});
  auto pair = blame.pairs.begin();
  for (std::uint32_t r = 0; r < blame.ranks.size(); ++r) {
    const std::string label = fmt::format("rank {}", job.ranks[r].rank);
    std::vector<Cell> cells(sheet.columns().size(), Cell(nullptr));
    cells[0] = label;
    // Pairs are sorted by waiter, so one pass over them serves all rows.
    for (; pair != blame.pairs.end() && pair->waiter == r; ++pair) {
      if (pair->root > 0) cells[pair->culprit == kNobody ? cells.size() - 1 : 1 + pair->culprit] = pair->root;
    }
    sheet.add_row(cells);
  }
  return sheet;
}

Sheet causes_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("causes");
  sheet.add({.name = "label", .title = "largest causes", .people_only = true})
      .add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "blame", .type = Type::time, .unit = Unit::us, .title = "others waited"})
      .add({.name = "share",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "share",
            .people_only = true,
            .with_bar = true});
  const std::vector<std::optional<Throttled>> throttled = find_throttled(job);
  for (const Cause& cause : blame.causes) {
    // A slow clock explains slow kernels.
    const bool is_clock = cause.work.kind == EdgeKind::kernel && throttled[cause.rank].has_value();
    sheet.add_row({label_of(job, cause.work), job.ranks[cause.rank].rank, identifier(cause.work.kind),
                   is_clock ? "kernel, throttled" : to_string(cause.work.kind), name_cell(job, cause.work), cause.blame,
                   share_percent(cause.blame, blame.exposed)});
  }
  return sheet;
}

Sheet blamed_operations_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("operations");
  sheet.add({.name = "what", .title = "waited in"})
      .add({.name = "group", .title = "group"})
      .add({.name = "name"})
      .add({.name = "state", .title = "for a"})
      .add({.name = "count", .type = Type::integer, .title = "times"})
      .add({.name = "wait", .type = Type::time, .unit = Unit::us, .title = "waiting"});
  for (const BlamedOperation& row : blame.operations) {
    sheet.add_row({job.strings.text(row.what), job.strings.text(row.group), job.strings.text(row.name),
                   identifier(row.state), row.count, row.wait});
  }
  return sheet;
}

Sheet blamed_steps_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("steps");
  sheet.add({.name = "step", .title = "step"})
      .add({.name = "wait", .type = Type::time, .unit = Unit::us, .title = "waiting"})
      .add({.name = "worst", .type = Type::integer, .title = "worst rank", .decimals = report::kExact})
      .add({.name = "worst_caused", .type = Type::time, .unit = Unit::us, .title = "caused", .people_only = true});
  for (std::size_t k = 0; k < blame.step_wait.size(); ++k) {
    const std::optional<std::uint32_t> worst = blame.steps.worst(k);
    sheet.add_row({step_name(job, k), blame.step_wait[k], worst ? Cell(job.ranks[*worst].rank) : Cell(nullptr),
                   worst ? Cell(blame.steps.at(k, *worst)) : Cell(nullptr)});
  }
  return sheet;
}

Sheet blame_cells_sheet(const CausalGraph& job, const Blame& blame) {
  Sheet sheet("cells");
  sheet.add({.name = "step"})
      .add({.name = "rank", .type = Type::integer, .decimals = report::kExact})
      .add({.name = "wait", .type = Type::time, .unit = Unit::us})
      .add({.name = "waited_for", .type = Type::integer, .decimals = report::kExact})
      .add({.name = "waited_for_event", .type = Type::integer, .decimals = report::kExact})
      .add({.name = "caused_root", .type = Type::time, .unit = Unit::us})
      .add({.name = "caused_event", .type = Type::integer, .decimals = report::kExact});
  const auto event_of = [&](const LongestWait& wait) -> Cell {
    return wait.part == causal::kNoPart ? Cell(nullptr) : Cell(job.owners[job.parts[wait.part].owner].ordinal);
  };
  for (std::size_t k = 0; k < blame.steps.steps(); ++k) {
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const TimePs wait = blame.waits.at(k, r), caused = blame.steps.at(k, r);
      // Cells in which nothing happened are left out: of a large job most are empty.
      if (wait == 0 && caused == 0) continue;
      const LongestWait& longest = blame.longest_waits[k * job.ranks.size() + r];
      sheet.add_row(
          {step_name(job, k), job.ranks[r].rank, wait,
           longest.part == causal::kNoPart ? Cell(nullptr) : Cell(job.ranks[job.parts[longest.part].rank].rank),
           event_of(longest), caused, event_of(blame.longest_caused[k * job.ranks.size() + r])});
    }
  }
  return sheet;
}

Sheet slowdown_sheet(const Blame& blame) {
  const Slowdown& slowdown = blame.slowdown;
  Sheet sheet("slowdown");
  sheet.add({.name = "measured", .type = Type::time, .unit = Unit::us, .title = "measured"})
      .add({.name = "ideal", .type = Type::time, .unit = Unit::us, .title = "typical ranks"})
      .add({.name = "S", .type = Type::real, .title = "slowdown", .decimals = 3})
      .add({.name = "communication", .type = Type::real, .title = "by transfers", .decimals = 3})
      .add({.name = "all", .type = Type::real, .title = "by both", .decimals = 3});
  sheet.add_row({slowdown.measured, slowdown.ideal, slowdown.factor(), slowdown.communication(), slowdown.both()});
  return sheet;
}

}  // namespace orrery::analyze
