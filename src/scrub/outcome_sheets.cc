#include "scrub/outcome_sheets.h"

#include <algorithm>
#include <string>
#include <vector>

namespace orrery::scrub {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

constexpr std::string_view kNotKnown = "left out: not known";

/// One domain of names: how many became others, how many stayed, and the most used of each.
struct NameSummary {
  Domain domain;
  std::uint64_t renamed = 0, kept = 0;
  const Renamed* example = nullptr;  ///< of those renamed
  const Renamed* kept_example = nullptr;
};

std::vector<NameSummary> summarize_names(const RenameLedger& ledger) {
  std::vector<NameSummary> summaries;
  for (std::size_t d = 0; d < kDomains; ++d) {
    NameSummary summary{static_cast<Domain>(d)};
    for (const Renamed& name : ledger.renamed(summary.domain)) {
      ++(name.is_kept() ? summary.kept : summary.renamed);
      const Renamed*& example = name.is_kept() ? summary.kept_example : summary.example;
      if (example == nullptr || name.uses > example->uses) example = &name;
    }
    if (summary.renamed + summary.kept > 0) summaries.push_back(summary);
  }
  return summaries;
}

struct MemberLine {
  std::string member;
  const MemberRule* rule;
  MemberCount counted;
};

/// Those that have a rule, the most frequent first.
std::vector<MemberLine> known_members(const Tally& tally) {
  std::vector<MemberLine> lines;
  const auto rules = all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (tally.by_rule()[i].count == 0) continue;
    lines.push_back(
        {std::string(rules[i].object->place) + std::string(rules[i].rule->key), rules[i].rule, tally.by_rule()[i]});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const MemberLine& a, const MemberLine& b) { return a.counted.count > b.counted.count; });
  return lines;
}

Sheet empty_members_sheet(const char* title) {
  Sheet sheet("members");
  sheet.add({.name = "member", .title = title})
      .add({.name = "count", .type = Type::integer, .title = "occurrences"})
      .add({.name = "treatment", .title = "how"})
      .add({.name = "unusable", .type = Type::integer});
  return sheet;
}

void add_known(Sheet& sheet, const MemberLine& line) {
  sheet.add_row({line.member, line.counted.count, describe(*line.rule), line.counted.unusable});
}

void add_unknown(Sheet& sheet, const Outcome& outcome) {
  for (const auto& [member, count] : outcome.tally.unknown()) sheet.add_row({member, count, kNotKnown, 0});
}

}  // namespace

Sheet files_sheet(const Outcome& outcome, bool is_dry) {
  Sheet sheet("files");
  sheet.add({.name = "input", .title = "file"})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "rank", .type = Type::integer})
      .add({.name = "records", .type = Type::integer, .title = "records"})
      .add({.name = "text", .type = Type::integer, .unit = Unit::bytes, .title = "text"})
      .add({.name = "scrubbed", .type = Type::integer, .unit = Unit::bytes, .title = "scrubbed"})
      .add({.name = "output", .title = is_dry ? "would be" : "written"});
  for (const FileOutcome& file : outcome.files) {
    sheet.add_row({file.facts.path, to_string(file.facts.kind),
                   file.facts.rank ? Cell(*file.facts.rank) : Cell(nullptr), file.facts.records, file.facts.text_bytes,
                   file.output_bytes, file.output});
  }
  return sheet;
}

Sheet names_sheet(const Outcome& outcome) {
  Sheet sheet("names");
  sheet.add({.name = "of", .title = "names of"})
      .add({.name = "renamed", .type = Type::integer, .title = "renamed"})
      .add({.name = "kept", .type = Type::integer, .title = "kept"})
      .add({.name = "such_as", .title = "such as", .people_only = true})
      .add({.name = "becomes", .title = "becomes", .people_only = true});
  for (const NameSummary& summary : summarize_names(outcome.names)) {
    const Renamed& example = summary.example != nullptr ? *summary.example : *summary.kept_example;
    sheet.add_row({to_string(summary.domain), summary.renamed, summary.kept, example.original, example.scrubbed});
  }
  return sheet;
}

Sheet members_sheet(const Outcome& outcome) {
  Sheet sheet = empty_members_sheet("member");
  for (const MemberLine& line : known_members(outcome.tally)) add_known(sheet, line);
  add_unknown(sheet, outcome);
  return sheet;
}

Sheet members_that(bool go, const Outcome& outcome) {
  Sheet sheet = empty_members_sheet(go ? "goes" : "stays");
  for (const MemberLine& line : known_members(outcome.tally)) {
    if (!is_container(*line.rule) && is_removed(*line.rule) == go) add_known(sheet, line);
  }
  if (go) add_unknown(sheet, outcome);
  return sheet;
}

ScrubTotals totals_of(const Outcome& outcome) {
  ScrubTotals totals;
  for (const NameSummary& summary : summarize_names(outcome.names)) totals.names += summary.renamed;
  for (const MemberLine& line : known_members(outcome.tally))
    totals.members += line.rule->treatment == Treatment::drop ? line.counted.count : line.counted.unusable;
  for (const auto& [member, count] : outcome.tally.unknown()) totals.members += count;
  return totals;
}

}  // namespace orrery::scrub
