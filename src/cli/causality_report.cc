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

std::string violations_table(const Invocation& invocation, const trace::Trace& job, const match::Exchanges& exchanges,
                             const align::CausalityReport& report) {
  report::Table table({{"collective", Align::left},
                       {"number", Align::right},
                       {"ends on", Align::left},
                       {"before it starts on", Align::left},
                       {"by us", Align::right}});
  for (std::size_t i = 0; i < std::min(report.violations.size(), kShown); ++i) {
    const align::Violation& violation = report.violations[i];
    const match::Exchange& collective = exchanges.all[violation.collective];
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

std::vector<std::int64_t> ranks_of(const trace::Trace& job, const match::Exchanges& exchanges, const match::Exchange& collective) {
  std::vector<std::int64_t> ranks;
  for (std::uint32_t i = 0; i < collective.count; ++i) ranks.push_back(rank_of(job, exchanges.parts[collective.first + i].node));
  return ranks;
}

std::string mispaired_table(const Invocation& invocation, const trace::Trace& job, const match::Exchanges& exchanges) {
  report::Table table({{"mis-paired", Align::left}, {"number", Align::right}, {"ranks", Align::left}});
  for (std::size_t i = 0; i < std::min(exchanges.mispaired.size(), kShown); ++i) {
    const match::Exchange& collective = exchanges.mispaired[i];
    table.add_row({std::string(job.strings.text(collective.name)), std::to_string(collective.sequence),
                   fmt::format("{}", fmt::join(ranks_of(job, exchanges, collective), ", "))},
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
std::vector<Reason> reasons(const match::Exchanges& exchanges, const align::CausalityReport& report) {
  return {{"root_unknown", "whose root is not recorded", report.root_unknown},
          {"peers_unknown", "that do not say who waits for whom", report.peers_unknown + exchanges.peers_unknown},
          {"one_rank_only", "recorded by one rank only", exchanges.unmatched + exchanges.messages_unmatched},
          {"ambiguous", "with different counts under one number or channel", exchanges.ambiguous + exchanges.messages_ambiguous},
          {"unclear_pattern", "without a number, whose pattern fits in several ways or none", exchanges.unclear_pattern},
          {"without_extent", "that do not end after they start", exchanges.without_extent},
          {"group_unclear", "that could be of several process groups", exchanges.groups_unclear},
          {"mispaired", "mis-paired", exchanges.mispaired.size()}};
}

std::string reasons_text(const match::Exchanges& exchanges, const align::CausalityReport& report) {
  std::string text;
  for (const Reason& reason : reasons(exchanges, report)) {
    if (reason.count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", format_count(reason.count), reason.text);
  }
  return text;
}

}  // namespace

std::string why_unchecked(const trace::Trace& job, const match::Exchanges& exchanges, const align::CausalityReport& report) {
  if (job.ranks.size() < 2) return "there is only one rank";
  const std::string left_out = reasons_text(exchanges, report);
  if (left_out.empty()) return "no rank recorded a collective or a message";
  return "no collective or message could be matched and held to a rule: " + left_out;
}

void write_causality(JsonWriter& json, const trace::Trace& job, const align::CausalityReport& report) {
  json.field("collectives", report.checked - report.messages).field("messages", report.messages).field("violated", report.violated);
  json.field("early_ends", report.early_ends).field("largest_us", us(report.largest_ps())).key("pairs").begin_array();
  for (const align::PairViolations& pair : report.pairs) {
    json.begin_object().field("ends_on", rank_of(job, pair.later_node)).field("starts_on", rank_of(job, pair.earlier_node));
    json.field("violations", pair.count).field("largest_us", us(pair.largest_ps)).end_object();
  }
  json.end_array();
}

void write_causality_details(JsonWriter& json, const trace::Trace& job, const match::Exchanges& exchanges,
                             const align::CausalityReport& report) {
  json.key("violations").begin_array();
  for (const align::Violation& violation : report.violations) {
    const match::Exchange& collective = exchanges.all[violation.collective];
    json.begin_object().field("collective", job.strings.text(collective.name)).field("number", collective.sequence);
    json.field("ends_on", rank_of(job, violation.later_node)).field("starts_on", rank_of(job, violation.earlier_node));
    json.field("by_us", us(violation.by_ps)).end_object();
  }
  json.end_array().key("mispaired").begin_array();
  for (const match::Exchange& collective : exchanges.mispaired) {
    json.begin_object()
        .field("collective", job.strings.text(collective.name))
        .field("number", collective.sequence)
        .key("ranks")
        .begin_array();
    for (const std::int64_t rank : ranks_of(job, exchanges, collective)) json.value(rank);
    json.end_array().end_object();
  }
  json.end_array().key("not_checked").begin_object();
  for (const Reason& reason : reasons(exchanges, report)) json.field(reason.key, reason.count);
  json.end_object();
}

std::string describe_causality(const Invocation& invocation, const trace::Trace& job, const match::Exchanges& exchanges,
                               const align::CausalityReport& report) {
  if (report.checked == 0)
    return fmt::format("\nHappens-before: could not be checked, because {}.\n", why_unchecked(job, exchanges, report));
  std::string text = fmt::format("\nHappens-before: {} of {} collectives and messages end on one rank before they start on another",
                                 format_count(report.violated), format_count(report.checked));
  if (report.violated > 0) text += fmt::format(": {} ends, by up to {} us", format_count(report.early_ends), text_us(report.largest_ps()));
  text += ".\n";
  if (report.violated > 0) {
    text += fmt::format("\nThe worst{}:\n\n{}", shown_of(report.violations.size()), violations_table(invocation, job, exchanges, report));
    text += fmt::format("\nBy pair of ranks{}:\n\n{}", shown_of(report.pairs.size()), pairs_table(invocation, job, report));
  }
  if (!exchanges.mispaired.empty()) {
    text += fmt::format("\nThese would have to come before themselves{}: what was taken for one collective is not one.\n\n{}",
                        shown_of(exchanges.mispaired.size()), mispaired_table(invocation, job, exchanges));
  }
  const std::string left_out = reasons_text(exchanges, report);
  if (!left_out.empty()) text += fmt::format("\nNot checked: {}.\n", left_out);
  return text;
}

}  // namespace orrery::cli
