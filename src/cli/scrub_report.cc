#include "cli/scrub_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/units.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;
using report::Table;
using scrub::Domain;
using scrub::Renamed;
using scrub::Treatment;

/// One domain of names: how many became others, how many stayed, and the most used of each.
struct NameSummary {
  Domain domain;
  std::uint64_t renamed = 0, kept = 0;
  const Renamed* example = nullptr;  ///< of those renamed
  const Renamed* kept_example = nullptr;
};

std::vector<NameSummary> summarize_names(const scrub::RenameLedger& ledger) {
  std::vector<NameSummary> summaries;
  for (std::size_t d = 0; d < scrub::kDomains; ++d) {
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
  const scrub::MemberRule* rule;
  scrub::MemberCount counted;
};

// The most frequent first.
std::vector<MemberLine> member_lines(const scrub::Tally& tally) {
  std::vector<MemberLine> lines;
  const auto rules = scrub::all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (tally.by_rule()[i].count == 0) continue;
    lines.push_back({std::string(rules[i].object->place) + std::string(rules[i].rule->key), rules[i].rule, tally.by_rule()[i]});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const MemberLine& a, const MemberLine& b) { return a.counted.count > b.counted.count; });
  return lines;
}

std::string members_table(const Invocation& invocation, const scrub::Outcome& outcome, bool going) {
  Table table({{going ? "goes" : "stays"}, {"occurrences", Align::right}, {"how"}});
  for (const MemberLine& line : member_lines(outcome.tally)) {
    if (is_container(*line.rule) || is_removed(*line.rule) != going) continue;
    table.add_row({line.member, format_count(line.counted.count), std::string(scrub::describe(*line.rule))});
  }
  if (going) {
    for (const auto& [member, count] : outcome.tally.unknown()) table.add_row({member, format_count(count), "left out: not known"});
  }
  return table.rows() == 0 ? "" : table.render(invocation.columns(), invocation.style()) + "\n";
}

std::string names_table(const Invocation& invocation, const scrub::Outcome& outcome) {
  Table table({{"names of"}, {"renamed", Align::right}, {"kept", Align::right}, {"such as"}, {"becomes"}});
  for (const NameSummary& summary : summarize_names(outcome.names)) {
    const Renamed* const example = summary.example != nullptr ? summary.example : summary.kept_example;
    table.add_row({std::string(to_string(summary.domain)), format_count(summary.renamed), format_count(summary.kept), example->original,
                   example->scrubbed});
  }
  return table.rows() == 0 ? "" : table.render(invocation.columns(), invocation.style()) + "\n";
}

std::string files_table(const Invocation& invocation, const scrub::Outcome& outcome, bool is_dry) {
  Table table({{"file"},
               {"kind"},
               {"records", Align::right},
               {"text", Align::right},
               {"scrubbed", Align::right},
               {is_dry ? "would be" : "written"}});
  for (const scrub::FileOutcome& file : outcome.files) {
    table.add_row({file.facts.path, std::string(to_string(file.facts.kind)), format_count(file.facts.records),
                   format_bytes(file.facts.text_bytes), format_bytes(file.output_bytes), file.output});
  }
  return table.render(invocation.columns(), invocation.style()) + "\n";
}

std::string summary_line(const scrub::Request& request, const scrub::Outcome& outcome) {
  std::uint64_t renamed = 0, dropped = 0;
  for (const NameSummary& summary : summarize_names(outcome.names)) renamed += summary.renamed;
  for (const MemberLine& line : member_lines(outcome.tally))
    dropped += line.rule->treatment == Treatment::drop ? line.counted.count : line.counted.unusable;
  for (const auto& [member, count] : outcome.tally.unknown()) dropped += count;
  return fmt::format("{} file{}: {} names {}, {} members {}.\n\n", outcome.files.size(), outcome.files.size() == 1 ? "" : "s",
                     format_count(renamed), request.output_folder.empty() ? "would be replaced" : "replaced", format_count(dropped),
                     request.output_folder.empty() ? "would be left out" : "left out");
}

std::string kept_promise(const Invocation& invocation, const scrub::Request& request) {
  const auto& settings = request.settings;
  std::string text = settings.jitter_ps != 0
                         ? fmt::format("Every moment moved by up to {}; their order is the same.\n", format_duration(settings.jitter_ps))
                         : "Times are the same but for a constant: path, replay and simulate give what they gave.\n";
  if (settings.size_bits != 0)
    text += fmt::format("Sizes are rounded to {} bits: simulated communication takes other times.\n", settings.size_bits);
  text += invocation.has("key-file")
              ? fmt::format("The key is in {}: whoever has it can test which names these were.\n", invocation.text("key-file"))
              : "The key is gone: nobody can tell the names again, nor rename another file alike.\n";
  return text;
}

void write_json(Invocation& invocation, const scrub::Request& request, const scrub::Outcome& outcome) {
  JsonWriter& json = invocation.data();
  json.field("dry_run", request.output_folder.empty());
  json.key("files").begin_array();
  for (const scrub::FileOutcome& file : outcome.files) {
    json.begin_object().field("input", file.facts.path).field("output", file.output).field("kind", to_string(file.facts.kind));
    if (file.facts.rank) json.field("rank", *file.facts.rank);
    json.field("records", file.facts.records)
        .field("text_bytes", file.facts.text_bytes)
        .field("scrubbed_bytes", file.output_bytes)
        .end_object();
  }
  json.end_array().key("members").begin_array();
  for (const MemberLine& line : member_lines(outcome.tally)) {
    json.begin_object().field("member", line.member).field("treatment", scrub::describe(*line.rule)).field("count", line.counted.count);
    json.field("unusable", line.counted.unusable).end_object();
  }
  for (const auto& [member, count] : outcome.tally.unknown())
    json.begin_object()
        .field("member", member)
        .field("treatment", "left out: not known")
        .field("count", count)
        .field("unusable", 0)
        .end_object();
  json.end_array().key("names").begin_array();
  for (const NameSummary& summary : summarize_names(outcome.names))
    json.begin_object().field("of", to_string(summary.domain)).field("renamed", summary.renamed).field("kept", summary.kept).end_object();
  json.end_array();
}

}  // namespace

void report_scrub(Invocation& invocation, const scrub::Request& request, const scrub::Outcome& outcome) {
  if (invocation.json()) return write_json(invocation, request, outcome);
  const bool is_dry = request.output_folder.empty();
  std::string& text = invocation.text();
  text = summary_line(request, outcome);
  if (!is_dry) {
    text += files_table(invocation, outcome, is_dry) + kept_promise(invocation, request);
    return;
  }
  text += names_table(invocation, outcome) + members_table(invocation, outcome, true) + members_table(invocation, outcome, false) +
          files_table(invocation, outcome, is_dry);
}

}  // namespace orrery::cli
