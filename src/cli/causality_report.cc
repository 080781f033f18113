#include "cli/causality_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;

constexpr std::size_t kShown = 10;

double us(TimePs ps) { return static_cast<double>(ps) / 1e6; }
std::string text_us(TimePs ps) { return fmt::format("{:.3f}", us(ps)); }

std::int64_t rank_of(const trace::Trace& job, std::uint32_t node) { return job.ranks[node].rank; }

std::string shown_of(std::size_t count) { return count > kShown ? fmt::format(" (the first {} of {})", kShown, format_count(count)) : ""; }

std::string violations_table(const Invocation& invocation, const trace::Trace& job, const align::MatchedCollectives& collectives,
                             const align::CausalityReport& report) {
  report::Table table({{"collective", Align::left},
                       {"number", Align::right},
                       {"ends on", Align::left},
                       {"before it starts on", Align::left},
                       {"by us", Align::right}});
  for (std::size_t i = 0; i < std::min(report.violations.size(), kShown); ++i) {
    const align::Violation& violation = report.violations[i];
    const align::MatchedCollective& collective = collectives.collectives[violation.collective];
    table.add_row({std::string(job.strings.text(collective.name)), std::to_string(collective.sequence),
                   fmt::format("rank {}", rank_of(job, violation.later_node)), fmt::format("rank {}", rank_of(job, violation.earlier_node)),
                   text_us(violation.by_ps)},
                  report::Tone::warning);
  }
  return table.render(invocation.columns(), invocation.style());
}

std::string pairs_table(const Invocation& invocation, const trace::Trace& job, const align::CausalityReport& report) {
  report::Table table(
      {{"ends on", Align::left}, {"before it starts on", Align::left}, {"times", Align::right}, {"largest us", Align::right}});
  for (std::size_t i = 0; i < std::min(report.pairs.size(), kShown); ++i) {
    const align::PairViolations& pair = report.pairs[i];
    table.add_row({fmt::format("rank {}", rank_of(job, pair.later_node)), fmt::format("rank {}", rank_of(job, pair.earlier_node)),
                   format_count(pair.count), text_us(pair.largest_ps)},
                  report::Tone::warning);
  }
  return table.render(invocation.columns(), invocation.style());
}

std::vector<std::int64_t> ranks_of(const trace::Trace& job, const align::MatchedCollectives& collectives,
                                   const align::MatchedCollective& collective) {
  std::vector<std::int64_t> ranks;
  for (std::uint32_t i = 0; i < collective.count; ++i) ranks.push_back(rank_of(job, collectives.parts[collective.first + i].node));
  return ranks;
}

std::string mispaired_table(const Invocation& invocation, const trace::Trace& job, const align::MatchedCollectives& collectives) {
  report::Table table({{"mis-paired", Align::left}, {"number", Align::right}, {"ranks", Align::left}});
  for (std::size_t i = 0; i < std::min(collectives.mispaired.size(), kShown); ++i) {
    const align::MatchedCollective& collective = collectives.mispaired[i];
    table.add_row({std::string(job.strings.text(collective.name)), std::to_string(collective.sequence),
                   fmt::format("{}", fmt::join(ranks_of(job, collectives, collective), ", "))},
                  report::Tone::warning);
  }
  return table.render(invocation.columns(), invocation.style());
}

struct Reason {
  const char* key;
  const char* text;
  std::size_t count;
};

/// Why something was not held to a rule.
std::vector<Reason> reasons(const align::MatchedCollectives& collectives, const align::CausalityReport& report) {
  return {{"root_unknown", "whose root is not recorded", report.root_unknown},
          {"peers_unknown", "that do not say who waits for whom", report.peers_unknown + collectives.peers_unknown},
          {"one_rank_only", "recorded by one rank only", collectives.unmatched + collectives.messages_unmatched},
          {"ambiguous", "with different counts under one number or channel", collectives.ambiguous + collectives.messages_ambiguous},
          {"unclear_pattern", "without a number, whose pattern fits in several ways or none", collectives.unclear_pattern},
          {"without_extent", "that do not end after they start", collectives.without_extent},
          {"mispaired", "mis-paired", collectives.mispaired.size()}};
}

}  // namespace

void write_causality(JsonWriter& json, const trace::Trace& job, const align::CausalityReport& report) {
  json.field("collectives", report.checked).field("messages", report.messages).field("violated", report.violated);
  json.field("early_ends", report.early_ends).field("largest_us", us(report.largest_ps())).key("pairs").begin_array();
  for (const align::PairViolations& pair : report.pairs) {
    json.begin_object().field("ends_on", rank_of(job, pair.later_node)).field("starts_on", rank_of(job, pair.earlier_node));
    json.field("violations", pair.count).field("largest_us", us(pair.largest_ps)).end_object();
  }
  json.end_array();
}

void write_causality_details(JsonWriter& json, const trace::Trace& job, const align::MatchedCollectives& collectives,
                             const align::CausalityReport& report) {
  json.key("violations").begin_array();
  for (const align::Violation& violation : report.violations) {
    const align::MatchedCollective& collective = collectives.collectives[violation.collective];
    json.begin_object().field("collective", job.strings.text(collective.name)).field("number", collective.sequence);
    json.field("ends_on", rank_of(job, violation.later_node)).field("starts_on", rank_of(job, violation.earlier_node));
    json.field("by_us", us(violation.by_ps)).end_object();
  }
  json.end_array().key("mispaired").begin_array();
  for (const align::MatchedCollective& collective : collectives.mispaired) {
    json.begin_object()
        .field("collective", job.strings.text(collective.name))
        .field("number", collective.sequence)
        .key("ranks")
        .begin_array();
    for (const std::int64_t rank : ranks_of(job, collectives, collective)) json.value(rank);
    json.end_array().end_object();
  }
  json.end_array().key("not_checked").begin_object();
  for (const Reason& reason : reasons(collectives, report)) json.field(reason.key, reason.count);
  json.end_object();
}

std::string describe_causality(const Invocation& invocation, const trace::Trace& job, const align::MatchedCollectives& collectives,
                               const align::CausalityReport& report) {
  std::string text = fmt::format("\nHappens-before: {} of {} collectives and messages end on one rank before they start on another",
                                 format_count(report.violated), format_count(report.checked));
  if (report.violated > 0) text += fmt::format(": {} ends, by up to {} us", format_count(report.early_ends), text_us(report.largest_ps()));
  text += ".\n";
  if (report.violated > 0) {
    text += fmt::format("\nThe worst{}:\n\n{}", shown_of(report.violations.size()), violations_table(invocation, job, collectives, report));
    text += fmt::format("\nBy pair of ranks{}:\n\n{}", shown_of(report.pairs.size()), pairs_table(invocation, job, report));
  }
  if (!collectives.mispaired.empty()) {
    text += fmt::format("\nThese would have to come before themselves{}: what was taken for one collective is not one.\n\n{}",
                        shown_of(collectives.mispaired.size()), mispaired_table(invocation, job, collectives));
  }
  std::string left_out;
  for (const Reason& reason : reasons(collectives, report)) {
    if (reason.count > 0) left_out += fmt::format("{}{} {}", left_out.empty() ? "" : "; ", format_count(reason.count), reason.text);
  }
  if (!left_out.empty()) text += fmt::format("\nNot checked: {}.\n", left_out);
  return text;
}

}  // namespace orrery::cli
