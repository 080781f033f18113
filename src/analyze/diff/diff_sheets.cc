#include "analyze/diff/diff_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "analyze/text_cell.h"
#include "base/json/json_writer.h"
#include "base/percent.h"
#include "report/counted.h"

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

Cell name_cell(const ChangeCause& cause) { return cause.name.empty() ? Cell(nullptr) : Cell(cause.name); }

/// "rank 3", "ranks 0 to 7": whose pieces they are, for people; of many only how many.
std::string ranks_in_words(const ChangeCause& cause) {
  if (cause.ranks.empty()) return "";
  const auto largest = std::max_element(cause.ranks.begin(), cause.ranks.end(), [](const auto& x, const auto& y) {
    return std::llabs(x.contribution) < std::llabs(y.contribution);
  });
  // One rank that adds nine tenths of it is whose fault it is.
  if (std::llabs(largest->contribution) >= std::llabs(cause.contribution) / 10 * 9)
    return fmt::format("{}", largest->rank);
  return fmt::format("{}, mostly {}", report::counted(cause.ranks.size(), "rank"), largest->rank);
}

}  // namespace

std::string label_of(const ChangeCause& cause) {
  return cause.name.empty() ? fmt::format("({})", to_string(cause.kind)) : cause.name;
}

Sheet runs_sheet(const ComparedRun& a, const ComparedRun& b) {
  Sheet sheet("runs");
  sheet.add({.name = "run", .title = "run"})
      .add({.name = "steps", .type = Type::integer, .title = "steps"})
      .add({.name = "median", .type = Type::time, .unit = Unit::us, .title = "median"})
      .add({.name = "low", .type = Type::time, .unit = Unit::us, .title = "95 % from"})
      .add({.name = "high", .type = Type::time, .unit = Unit::us, .title = "to"})
      .add({.name = "median_step", .title = "median step"});
  const auto add = [&](const char* name, const ComparedRun& run) {
    sheet.add_row({name, run.steps.size(), run.median_span(), run.interval ? Cell(run.interval->low) : Cell(nullptr),
                   run.interval ? Cell(run.interval->high) : Cell(nullptr), run.steps[run.median]});
  };
  add("A", a);
  add("B", b);
  return sheet;
}

Sheet causes_sheet(const RunDiff& diff) {
  Sheet sheet("causes");
  sheet.add({.name = "label", .title = "what", .people_only = true})
      .add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "status", .title = "status"})
      .add({.name = "a", .type = Type::time, .unit = Unit::us, .title = "in A"})
      .add({.name = "b", .type = Type::time, .unit = Unit::us, .title = "in B"})
      .add({.name = "a_count", .type = Type::integer, .title = "segments in A"})
      .add({.name = "b_count", .type = Type::integer, .title = "in B"})
      .add({.name = "significant", .type = Type::flag, .title = "surely"})
      .add({.name = "change_low", .type = Type::time, .unit = Unit::us, .is_change = true})
      .add({.name = "change_high", .type = Type::time, .unit = Unit::us, .is_change = true})
      .add({.name = "contribution", .type = Type::time, .unit = Unit::us, .title = "adds", .is_change = true})
      .add({.name = "whose", .title = "rank", .people_only = true});
  for (const ChangeCause& cause : diff.causes) {
    const std::string label = label_of(cause), whose = ranks_in_words(cause);
    sheet.add_row({label, identifier(cause.kind), to_string(cause.kind), name_cell(cause), to_string(cause.status),
                   cause.a, cause.b, cause.a_count, cause.b_count,
                   cause.significant ? Cell(*cause.significant) : Cell(nullptr),
                   cause.change ? Cell(cause.change->low) : Cell(nullptr),
                   cause.change ? Cell(cause.change->high) : Cell(nullptr), cause.contribution, whose});
  }
  return sheet;
}

Sheet kind_changes_sheet(const RunDiff& diff) {
  struct Sum {
    TimePs a = 0, b = 0, contribution = 0;
  };
  std::map<causal::EdgeKind, Sum> sums;
  for (const ChangeCause& cause : diff.causes) {
    Sum& sum = sums[cause.kind];
    sum.a += cause.a;
    sum.b += cause.b;
    sum.contribution += cause.contribution;
  }
  std::vector<std::pair<causal::EdgeKind, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
    return std::llabs(x.second.contribution) > std::llabs(y.second.contribution);
  });
  Sheet sheet("kinds");
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "a", .type = Type::time, .unit = Unit::us, .title = "in A"})
      .add({.name = "b", .type = Type::time, .unit = Unit::us, .title = "in B"})
      .add({.name = "contribution", .type = Type::time, .unit = Unit::us, .title = "adds", .is_change = true});
  for (const auto& [kind, sum] : rows)
    sheet.add_row({identifier(kind), to_string(kind), sum.a, sum.b, sum.contribution});
  return sheet;
}

Sheet cause_ranks_sheet(const RunDiff& diff) {
  Sheet sheet("cause_ranks");
  sheet.add({.name = "kind"})
      .add({.name = "name"})
      .add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "contribution", .type = Type::time, .unit = Unit::us, .title = "adds", .is_change = true});
  for (const ChangeCause& cause : diff.causes) {
    for (const ChangeCause::OfRank& rank : cause.ranks)
      sheet.add_row({identifier(cause.kind), name_cell(cause), rank.rank, rank.contribution});
  }
  return sheet;
}

namespace {

std::string json_list(const std::vector<std::string>& texts) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const std::string& one : texts) json.value(one);
  json.end_array();
  return text;
}

/// The operator, or the kernel where none is known.
std::string_view what_it_is(const OperatorChange& row) {
  if (!row.key.op.empty()) return row.key.op;
  return row.a.kernels.empty() ? row.b.kernels.front() : row.a.kernels.front();
}

/// An optimizer's operator is given a list of hundreds of tensors: of such people see the begin.
std::string shapes_in_words(const std::string& shapes) {
  constexpr std::size_t kMost = 72;
  return shapes.size() <= kMost ? shapes : shapes.substr(0, kMost - 3) + "...";
}

const char* kernels_in_words(const OperatorChange& row) {
  if (row.a.kernels.empty() || row.b.kernels.empty()) return "";
  return row.has_same_kernels() ? "same" : "other";
}

}  // namespace

Sheet operator_changes_sheet(const OperatorChanges& changes) {
  Sheet sheet("by_operator");
  sheet.add({.name = "what", .title = "operator or kernel", .people_only = true})
      .add({.name = "operator"})
      .add({.name = "shapes", .type = Type::json})
      .add({.name = "shapes_in_words", .title = "shapes", .people_only = true})
      .add({.name = "types", .type = Type::json})
      .add({.name = "module"})
      .add({.name = "a_calls", .type = Type::integer, .title = "calls in A"})
      .add({.name = "b_calls", .type = Type::integer, .title = "in B"})
      .add({.name = "a", .type = Type::time, .unit = Unit::us, .title = "time in A"})
      .add({.name = "b", .type = Type::time, .unit = Unit::us, .title = "in B"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true})
      .add({.name = "a_kernels", .type = Type::json})
      .add({.name = "b_kernels", .type = Type::json})
      .add({.name = "same_kernels", .type = Type::flag})
      .add({.name = "kernels_in_words", .title = "kernels", .people_only = true})
      .add({.name = "status", .title = "status"});
  for (const OperatorChange& row : changes.rows) {
    const std::string kernels_of_a = json_list(row.a.kernels), kernels_of_b = json_list(row.b.kernels);
    const std::string shapes = shapes_in_words(row.key.shapes);
    sheet.add_row({what_it_is(row), text_or_null(row.key.op), text_or_null(row.key.shapes), shapes,
                   text_or_null(row.key.types), text_or_null(row.module), row.a.calls, row.b.calls, row.a.time,
                   row.b.time, row.change(), kernels_of_a, kernels_of_b, row.has_same_kernels(), kernels_in_words(row),
                   to_string(row.status())});
  }
  return sheet;
}

Sheet matched_sheet(const OperatorChanges& changes) {
  Sheet sheet("matched");
  sheet.add({.name = "a", .type = Type::real, .unit = Unit::pct})
      .add({.name = "b", .type = Type::real, .unit = Unit::pct});
  const auto share = [](TimePs matched, TimePs all) {
    return all > 0 ? Cell(share_percent(matched, all)) : Cell(nullptr);
  };
  sheet.add_row({share(changes.a_matched, changes.a), share(changes.b_matched, changes.b)});
  return sheet;
}

}  // namespace orrery::analyze
