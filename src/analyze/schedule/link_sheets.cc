#include "analyze/schedule/link_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/percent.h"
#include "graph/longest_path.h"

namespace orrery::analyze {
namespace {

using causal::Coverage;
using causal::DependencyCause;
using causal::LinkedRank;
using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;
using workload::ActivityKind;

constexpr std::size_t kActivityKinds = 8;
constexpr std::size_t kShownErrors = 10;

std::size_t found_operators(const Coverage& coverage) {
  return coverage.by_record_function + coverage.by_external_id + coverage.by_name_and_order;
}

/// Nothing of nothing is not all of it: a rank without device work has no share of it attributed.
Cell percent_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? Cell(nullptr) : Cell(share_percent(part, whole));
}

/// An activity that replays at another time than it was recorded.
struct ReplayError {
  std::size_t activity;
  TimePs error;
};

std::vector<ReplayError> worst_errors(const workload::Program& program, TimePs begin) {
  const graph::Solution replay = graph::solve(program.dependencies);
  std::vector<ReplayError> errors;
  for (graph::NodeId i = 0; i < program.size(); ++i) {
    if (const TimePs error = replay.start(i) - (program.starts_ps[i] - begin); error != 0) errors.push_back({i, error});
  }
  std::stable_sort(errors.begin(), errors.end(), [](const ReplayError& a, const ReplayError& b) {
    return std::llabs(a.error) > std::llabs(b.error);
  });
  errors.resize(std::min(errors.size(), kShownErrors));
  return errors;
}

/// Rows of a count per name, for one rank or for several together.
Sheet counts_sheet(std::string name, const std::string& column, std::string title) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = column + "_in_words", .title = std::move(title), .people_only = true})
      .add({.name = column})
      .add({.name = "count", .type = Type::integer, .title = "count"});
  return sheet;
}

/// "call order" -> call_order: programs compare these.
std::string identifier_of(std::string_view words) {
  std::string identifier(words);
  std::replace(identifier.begin(), identifier.end(), ' ', '_');
  return identifier;
}

Cell rank_cell(const LinkAnswer& answer, std::span<const std::size_t> of) {
  return of.size() == 1 ? Cell(answer.ranks[of.front()].rank) : Cell(nullptr);
}

}  // namespace

Sheet linked_ranks_sheet(const LinkAnswer& answer) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "device"})
      .add({.name = "host"});
  for (const char* name : {"host_operators", "by_record_function", "by_external_id", "by_name_and_order"})
    sheet.add({.name = name, .type = Type::integer});
  sheet.add({.name = "operators", .type = Type::real, .unit = Unit::pct, .title = "operators found"});
  for (const char* name : {"device_works", "attributed"}) sheet.add({.name = name, .type = Type::integer});
  // "attributed" is the count, attributed_pct the share: two columns of one name would not be told apart.
  sheet.add({.name = "attributed_pct", .type = Type::real, .unit = Unit::pct, .title = "kernels attributed"})
      .add({.name = "activities", .type = Type::integer, .title = "activities"})
      .add({.name = "dependencies", .type = Type::integer, .title = "dependencies"})
      .add({.name = "cut_dependencies", .type = Type::integer})
      .add({.name = "measured", .type = Type::time, .unit = Unit::us, .title = "measured"})
      .add({.name = "replayed", .type = Type::time, .unit = Unit::us, .title = "replayed"})
      .add({.name = "residual", .type = Type::real, .unit = Unit::pct, .title = "residual", .decimals = 4});
  for (std::size_t r = 0; r < answer.ranks.size(); ++r) {
    const LinkedRank& rank = answer.ranks[r];
    const workload::Program& program = answer.workload.program(r);
    const Coverage& coverage = rank.coverage;
    const bool has_host = !answer.host_files[r].empty();
    sheet.add_row(
        {rank.rank, answer.device_files[r], has_host ? Cell(answer.host_files[r]) : Cell(nullptr), coverage.host_rows,
         coverage.by_record_function, coverage.by_external_id, coverage.by_name_and_order,
         percent_of(found_operators(coverage), coverage.host_rows), coverage.device_works, coverage.attributed,
         percent_of(coverage.attributed, coverage.device_works), program.size(), program.dependencies.edge_count(),
         rank.cut_edges, rank.measured_ps, rank.replayed_ps, rank.residual_percent()},
        // By more than a percent the program is not what was recorded.
        rank.residual_percent() > 1.0 ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

Sheet activity_counts_sheet(const LinkAnswer& answer, std::span<const std::size_t> of) {
  std::array<std::size_t, kActivityKinds> counts{};
  for (const std::size_t r : of) {
    for (const ActivityKind kind : answer.workload.program(r).kinds) ++counts[static_cast<std::size_t>(kind)];
  }
  Sheet sheet = counts_sheet("activity_kinds", "kind", "activities");
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::string_view kind = workload::to_string(static_cast<ActivityKind>(k));
    if (counts[k] > 0) sheet.add_row({rank_cell(answer, of), kind, identifier_of(kind), counts[k]});
  }
  return sheet;
}

Sheet dependency_counts_sheet(const LinkAnswer& answer, std::span<const std::size_t> of) {
  Sheet sheet = counts_sheet("dependency_causes", "cause", "dependencies");
  for (std::size_t c = 0; c < causal::kDependencyCauses; ++c) {
    std::size_t count = 0;
    for (const std::size_t r : of) count += answer.ranks[r].dependencies[c];
    const std::string_view cause = causal::to_string(static_cast<DependencyCause>(c));
    if (count > 0) sheet.add_row({rank_cell(answer, of), cause, identifier_of(cause), count});
  }
  return sheet;
}

Sheet replay_errors_sheet(const LinkAnswer& answer, std::span<const std::size_t> of) {
  Sheet sheet("worst");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "name", .title = "replays at another time"})
      .add({.name = "node", .type = Type::integer, .title = "node", .decimals = report::kExact})
      .add({.name = "recorded_start", .type = Type::time, .unit = Unit::us, .title = "recorded at"})
      .add({.name = "error", .type = Type::time, .unit = Unit::us, .title = "off by", .is_change = true});
  for (const std::size_t r : of) {
    const workload::Program& program = answer.workload.program(r);
    const TimePs begin = answer.ranks[r].begin_ps;
    for (const ReplayError& error : worst_errors(program, begin)) {
      sheet.add_row({answer.ranks[r].rank, answer.workload.strings.text(program.names[error.activity]),
                     program.ids[error.activity], program.starts_ps[error.activity] - begin, error.error});
    }
  }
  return sheet;
}

std::string coverage_in_words(const LinkAnswer& answer) {
  Coverage sum;
  std::size_t cut = 0;
  for (const LinkedRank& rank : answer.ranks) {
    sum.host_rows += rank.coverage.host_rows;
    sum.by_record_function += rank.coverage.by_record_function;
    sum.by_external_id += rank.coverage.by_external_id;
    sum.by_name_and_order += rank.coverage.by_name_and_order;
    sum.device_works += rank.coverage.device_works;
    sum.attributed += rank.coverage.attributed;
    cut += rank.cut_edges;
  }
  std::string text;
  if (sum.host_rows > 0) {
    text += fmt::format(
        "Operators: {} of {} found in the profiler trace: {} by record-function id, {} by External id, {} by name and "
        "order.\n",
        format_count(found_operators(sum)), format_count(sum.host_rows), format_count(sum.by_record_function),
        format_count(sum.by_external_id), format_count(sum.by_name_and_order));
  }
  text += fmt::format("Device work: {} of {} kernels, copies and fills belong to a known operator.\n",
                      format_count(sum.attributed), format_count(sum.device_works));
  return text +
         (cut == 0
              ? "Cycles: none; every dependency leads forward in recorded time.\n"
              : fmt::format("Cycles: none; {} inferred dependencies that lead back in recorded time were left out.\n",
                            format_count(cut)));
}

}  // namespace orrery::analyze
