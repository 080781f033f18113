#include "analyze/path/path_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/percent.h"

namespace orrery::analyze {

std::optional<std::string> selection_of(const causal::CausalGraph& job, const Contributor& contributor) {
  const std::span<const causal::JobRank> ranks = job.ranks_to_tell_apart();
  const std::string scope = ranks.empty() || contributor.rank == causal::kNoRank
                                ? ""
                                : "rank:" + std::to_string(ranks[contributor.rank].rank) + " ";
  // Idle time is nothing that an edit could select.
  if (causal::is_idle(contributor.kind)) return std::nullopt;
  if (const std::string_view gap = gap_word_of(contributor.kind); !gap.empty()) {
    if (contributor.name != 0) return std::nullopt;
    return scope + "gap:" + std::string(gap);
  }
  const std::string_view word = word_of(contributor.kind);
  if (word.empty()) return std::nullopt;
  const std::string_view name = job.strings.text(contributor.name);
  // Steps count under their name without the number.
  if (name.ends_with('#')) return scope + std::string(word) + ":\"" + std::string(name) + "*\"";
  return scope + std::string(word) + ":" + exact_pattern(name);
}

namespace {

using causal::EdgeKind;
using report::Sheet;
using report::Type;
using report::Unit;

std::vector<EdgeKind> kinds_on_path(const PathSums& path) {
  std::vector<EdgeKind> kinds;
  for (std::size_t k = 0; k < causal::kJobEdgeKinds; ++k) {
    if (path.kinds[k].on_path > 0) kinds.push_back(static_cast<EdgeKind>(k));
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](EdgeKind a, EdgeKind b) { return path.on_path(a) > path.on_path(b); });
  return kinds;
}

}  // namespace

Sheet bound_by_sheet(const PathSums& path) {
  Sheet sheet("bound_by");
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "on the path", .people_only = true})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true})
      .add({.name = "pieces", .type = Type::integer, .title = "segments"});
  for (const EdgeKind kind : kinds_on_path(path)) {
    const KindTotals& totals = path.kinds[static_cast<std::size_t>(kind)];
    const double share = share_percent(totals.on_path, path.length());
    sheet.add_row({identifier(kind), to_string(kind), totals.on_path, share, totals.path_edges},
                  causal::is_idle(kind) ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

report::Cell slack_cell(TimePs slack) {
  return slack == graph::kUnlimited ? report::Cell(nullptr) : report::Cell(slack);
}

Sheet contributors_sheet(const causal::CausalGraph& job, const PathSums& path) {
  const std::span<const causal::JobRank> ranks = job.ranks_to_tell_apart();
  Sheet sheet("contributors");
  sheet.add({.name = "label", .title = "largest contributors", .people_only = true});
  if (!ranks.empty()) sheet.add({.name = "rank", .type = Type::integer, .title = "rank"});
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "count", .type = Type::integer, .title = "calls"})
      .add({.name = "path_count", .type = Type::integer})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on path"})
      .add({.name = "least_slack", .type = Type::time, .unit = Unit::us, .title = "slack"})
      .add({.name = "derivative", .type = Type::real, .title = "derivative"})
      .add({.name = "gain_if_free", .type = Type::time, .unit = Unit::us, .title = "gain if free"});
  for (const Contributor& contributor : path.contributors) {
    const std::string_view name = job.strings.text(contributor.name);
    const std::string kind_in_brackets = fmt::format("({})", to_string(contributor.kind));
    const bool is_named = contributor.name != 0;
    std::vector<report::Cell> cells = {is_named ? name : std::string_view(kind_in_brackets)};
    if (!ranks.empty())
      cells.push_back(contributor.rank == causal::kNoRank ? report::Cell(nullptr)
                                                          : report::Cell(ranks[contributor.rank].rank));
    for (const report::Cell& cell :
         {report::Cell(identifier(contributor.kind)), report::Cell(to_string(contributor.kind)),
          is_named ? report::Cell(name) : report::Cell(nullptr), report::Cell(contributor.count),
          report::Cell(contributor.path_count), report::Cell(contributor.total), report::Cell(contributor.on_path),
          slack_cell(contributor.least_slack), report::Cell(contributor.derivative()),
          report::Cell(contributor.gain_if_free)})
      cells.push_back(cell);
    sheet.add_row(cells);
  }
  return sheet;
}

Sheet path_ranks_sheet(const causal::CausalGraph& job, const CausalPath& path) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on the path"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (std::size_t r = 0; r < path.ranks.size(); ++r)
    sheet.add_row({job.ranks[r].rank, path.ranks[r], share_percent(path.ranks[r], path.length())});
  return sheet;
}

Sheet path_groups_sheet(const causal::CausalGraph& job, const CausalPath& path) {
  Sheet sheet("groups");
  sheet.add({.name = "what", .title = "transfers"})
      .add({.name = "group", .title = "group"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on the path"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (const TransferShare& share : path.transfers)
    sheet.add_row({job.strings.text(share.what), job.strings.text(share.group), share.on_path,
                   share_percent(share.on_path, path.length())});
  return sheet;
}

Sheet hops_sheet(const causal::CausalGraph& job, const CausalPath& path) {
  Sheet sheet("hops");
  sheet.add({.name = "at", .type = Type::time, .unit = Unit::us, .title = "at"})
      .add({.name = "from", .type = Type::integer, .title = "from rank"})
      .add({.name = "to", .type = Type::integer, .title = "to rank"})
      .add({.name = "what", .title = "waits in"})
      .add({.name = "group", .title = "group"})
      .add({.name = "name"});
  for (const Hop& hop : path.hops) {
    const causal::JobOperation& operation = job.operations[hop.operation];
    sheet.add_row({hop.at, job.ranks[hop.from].rank, job.ranks[hop.to].rank, job.strings.text(operation.what),
                   job.strings.text(operation.group), job.strings.text(operation.name)});
  }
  return sheet;
}

}  // namespace orrery::analyze
