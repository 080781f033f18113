#include "cli/graphs/causality_report.h"

#include <fmt/format.h>

#include "analyze/check/causality_sheets.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kShown = 10;

std::string first_rows(const Invocation& invocation, std::string_view sentence, const report::Sheet& sheet) {
  if (sheet.rows() == 0) return {};
  report::SheetView view = invocation.view();
  view.rows = kShown;
  view.rest = "like these";
  return fmt::format("\n{}\n\n{}", sentence, to_text(sheet, view));
}

}  // namespace

void write_causality(JsonWriter& json, const trace::Trace& job, const align::CausalityReport& report) {
  write_members(json, analyze::causality_sheet(report), 0);
  write_sheet(json, analyze::violating_pairs_sheet(job, report));
}

void write_causality_details(JsonWriter& json, const trace::Trace& job, const match::Exchanges& exchanges,
                             const align::CausalityReport& report) {
  write_sheet(json, analyze::violations_sheet(job, exchanges, report));
  write_sheet(json, analyze::mispaired_sheet(job, exchanges));
  json.key("not_checked");
  write_row(json, analyze::not_checked_sheet(exchanges, report), 0);
}

std::string describe_causality(const Invocation& invocation, const trace::Trace& job, const match::Exchanges& exchanges,
                               const align::CausalityReport& report) {
  if (report.checked == 0)
    return fmt::format("\nHappens-before: could not be checked, because {}.\n",
                       analyze::why_unchecked(job, exchanges, report));
  std::string text =
      fmt::format("\nHappens-before: {} of {} collectives and messages end on one rank before they start on another",
                  format_count(report.violated), format_count(report.checked));
  if (report.violated > 0)
    text += fmt::format(": {} ends, by up to {:.3f} µs", format_count(report.early_ends), to_us(report.largest_ps()));
  text += ".\n";
  text += first_rows(invocation, "The worst:", analyze::violations_sheet(job, exchanges, report));
  text += first_rows(invocation, "By pair of ranks:", analyze::violating_pairs_sheet(job, report));
  text += first_rows(invocation,
                     "These would have to come before themselves: what was taken for one collective is not one.",
                     analyze::mispaired_sheet(job, exchanges));
  const std::string left_out = analyze::not_checked_in_words(exchanges, report);
  if (!left_out.empty()) text += fmt::format("\nNot checked: {}.\n", left_out);
  return text;
}

}  // namespace orrery::cli
