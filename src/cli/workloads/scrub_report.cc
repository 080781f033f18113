#include "cli/workloads/scrub_report.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/units.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"
#include "scrub/outcome_sheets.h"

namespace orrery::cli {
namespace {

std::string summary_line(const scrub::Request& request, const scrub::Outcome& outcome) {
  const scrub::ScrubTotals totals = scrub::totals_of(outcome);
  const bool is_dry = request.output_folder.empty();
  return fmt::format("{} file{}: {} {}, {} members {}.\n\n", outcome.files.size(), outcome.files.size() == 1 ? "" : "s",
                     report::counted(totals.names, "name"), is_dry ? "would be replaced" : "replaced",
                     format_count(totals.members), is_dry ? "would be left out" : "left out");
}

std::string kept_promise(const Invocation& invocation, const scrub::Request& request) {
  const auto& settings = request.settings;
  std::string text = settings.jitter_ps != 0
                         ? fmt::format("Every moment moved by up to {}; their order is the same.\n",
                                       format_duration(settings.jitter_ps))
                         : "Times are the same but for a constant: path, replay and simulate give what they gave.\n";
  if (settings.size_bits != 0)
    text +=
        fmt::format("Sizes are rounded to {} bits: simulated communication takes other times.\n", settings.size_bits);
  if (settings.keep_operators)
    text +=
        "PyTorch's operators are as they were, with their shapes: replay --emit runs them again, and the architecture "
        "can be read off "
        "them.\n";
  text += invocation.has("key-file")
              ? fmt::format("The key is in {}: whoever has it can test which names these were.\n",
                            invocation.text("key-file"))
              : "The key is gone: nobody can tell the names again, nor rename another file alike.\n";
  return text;
}

std::vector<report::Sheet> scrub_sheets(const scrub::Outcome& outcome, bool is_dry) {
  std::vector<report::Sheet> sheets;
  sheets.push_back(scrub::files_sheet(outcome, is_dry));
  sheets.push_back(scrub::members_sheet(outcome));
  sheets.push_back(scrub::names_sheet(outcome));
  return sheets;
}

}  // namespace

void report_scrub(Invocation& invocation, const scrub::Request& request, const scrub::Outcome& outcome) {
  const bool is_dry = request.output_folder.empty();
  if (invocation.json()) {
    invocation.data().field("dry_run", is_dry);
    for (const report::Sheet& sheet : scrub_sheets(outcome, is_dry)) write_sheet(invocation.data(), sheet);
    return;
  }
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(scrub_sheets(outcome, is_dry));
    return;
  }
  text = summary_line(request, outcome);
  const auto add = [&](const report::Sheet& sheet) {
    if (sheet.rows() > 0) text += to_text(sheet, invocation.view()) + "\n";
  };
  if (is_dry) {
    add(scrub::names_sheet(outcome));
    add(scrub::members_that(true, outcome));
    add(scrub::members_that(false, outcome));
  }
  add(scrub::files_sheet(outcome, is_dry));
  // What is promised of files that are not there yet would be read as a promise of those that are.
  if (!is_dry) text += kept_promise(invocation, request);
}

}  // namespace orrery::cli
