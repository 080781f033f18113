#include "analyze/check/causality_sheets.h"

#include <fmt/format.h>

#include "report/sheet_text.h"

namespace orrery::analyze {
namespace {

using report::Sheet;
using report::Tone;
using report::Type;
using report::Unit;

std::int64_t rank_of(const trace::Trace& job, std::uint32_t node) { return job.ranks[node].rank; }

/// Two columns that name ranks: people read "rank 3", programs 3.
void add_ends(Sheet& sheet) {
  sheet.add({.name = "ends_on", .type = Type::integer, .title = "ends on rank", .decimals = report::kExact})
      .add({.name = "starts_on",
            .type = Type::integer,
            .title = "before it starts on rank",
            .decimals = report::kExact});
}

/// The unit stands in the title: contradictions are compared with one another, and with the clocks' uncertainty, digit
/// by digit.
report::SheetColumn exact_us(const char* name, const char* title) {
  return {.name = name, .type = Type::time, .unit = Unit::us, .title = title, .decimals = 3};
}

}  // namespace

Sheet causality_sheet(const align::CausalityReport& report) {
  Sheet sheet("causality");
  for (const char* name : {"collectives", "messages", "violated", "early_ends"})
    sheet.add({.name = name, .type = Type::integer});
  sheet.add({.name = "largest", .type = Type::time, .unit = Unit::us, .decimals = 3});
  sheet.add_row(
      {report.checked - report.messages, report.messages, report.violated, report.early_ends, report.largest_ps()});
  return sheet;
}

Sheet violating_pairs_sheet(const trace::Trace& job, const align::CausalityReport& report) {
  Sheet sheet("pairs");
  add_ends(sheet);
  sheet.add({.name = "violations", .type = Type::integer, .title = "times"}).add(exact_us("largest", "largest µs"));
  for (const align::PairViolations& pair : report.pairs)
    sheet.add_row({rank_of(job, pair.later_node), rank_of(job, pair.earlier_node), pair.count, pair.largest_ps},
                  Tone::warning);
  return sheet;
}

Sheet violations_sheet(const trace::Trace& job, const match::Exchanges& exchanges,
                       const align::CausalityReport& report) {
  Sheet sheet("violations");
  sheet.add({.name = "collective", .title = "collective"})
      .add({.name = "number", .type = Type::integer, .title = "number", .decimals = report::kExact});
  add_ends(sheet);
  sheet.add(exact_us("by", "by µs"));
  for (const align::Violation& violation : report.violations) {
    const match::Exchange& exchange = exchanges.all[violation.collective];
    sheet.add_row({job.strings.text(exchange.name), exchange.sequence, rank_of(job, violation.later_node),
                   rank_of(job, violation.earlier_node), violation.by_ps},
                  Tone::warning);
  }
  return sheet;
}

Sheet mispaired_sheet(const trace::Trace& job, const match::Exchanges& exchanges) {
  Sheet sheet("mispaired");
  sheet.add({.name = "collective", .title = "mis-paired"})
      .add({.name = "number", .type = Type::integer, .title = "number", .decimals = report::kExact})
      .add({.name = "ranks", .type = Type::integers, .title = "ranks"});
  for (const match::Exchange& exchange : exchanges.mispaired) {
    std::string ranks;
    for (std::uint32_t i = 0; i < exchange.count; ++i)
      ranks += fmt::format("{}{}", i == 0 ? "" : ", ", rank_of(job, exchanges.parts[exchange.first + i].node));
    sheet.add_row({job.strings.text(exchange.name), exchange.sequence, ranks}, Tone::warning);
  }
  return sheet;
}

Sheet not_checked_sheet(const match::Exchanges& exchanges, const align::CausalityReport& report) {
  struct Reason {
    const char *name, *title;
    std::size_t count;
  };
  const Reason reasons[] = {
      {"root_unknown", "whose root is not recorded", report.root_unknown},
      {"peers_unknown", "that do not say who waits for whom", report.peers_unknown + exchanges.peers_unknown},
      {"one_rank_only", "recorded by one rank only", exchanges.unmatched + exchanges.messages_unmatched},
      {"ambiguous", "with different counts under one number or channel",
       exchanges.ambiguous + exchanges.messages_ambiguous},
      {"unclear_pattern", "without a number, whose pattern fits in several ways or none", exchanges.unclear_pattern},
      {"without_extent", "that do not end after they start", exchanges.without_extent},
      {"group_unclear", "that could be of several process groups", exchanges.groups_unclear},
      {"mispaired", "mis-paired", exchanges.mispaired.size()}};
  Sheet sheet("not_checked");
  std::vector<report::Cell> counts;
  for (const Reason& reason : reasons) {
    sheet.add({.name = reason.name, .type = Type::integer, .title = reason.title});
    counts.emplace_back(reason.count);
  }
  sheet.add_row(counts);
  return sheet;
}

std::string not_checked_in_words(const match::Exchanges& exchanges, const align::CausalityReport& report) {
  const Sheet sheet = not_checked_sheet(exchanges, report);
  std::string words;
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
    if (sheet.integer(c, 0) == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : "; ", value_text(sheet, c, 0), sheet.columns()[c].title);
  }
  return words;
}

std::string why_unchecked(const trace::Trace& job, const match::Exchanges& exchanges,
                          const align::CausalityReport& report) {
  if (job.ranks.size() < 2) return "there is only one rank";
  const std::string left_out = not_checked_in_words(exchanges, report);
  if (left_out.empty()) return "no rank recorded a collective or a message";
  return "no collective or message could be matched and held to a rule: " + left_out;
}

}  // namespace orrery::analyze
