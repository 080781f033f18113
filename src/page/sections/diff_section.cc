#include "page/sections/diff_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analyze/diff/diff_sheets.h"
#include "analyze/whatif/whatif.h"
#include "base/percent.h"
#include "page/sections/section.h"
#include "page/sections/sheet_table.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using analyze::ChangeCause;
using analyze::ChangeStatus;
using analyze::RunDiff;
using report::HtmlAttribute;
using report::HtmlWriter;

constexpr std::size_t kCausesOfPage = 20, kNamesListed = 12;

std::string signed_time(TimePs time) { return (time > 0 ? "+" : "") + time_text(time); }

std::string change_sentence(const RunDiff& diff) {
  // Without a test that says so, a change is told but not called one.
  const analyze::Comparison& spans = diff.spans;
  const bool is_sure = spans.significant.value_or(false);
  std::string text = fmt::format("A median step takes {} now and took {} before: {}", time_text(spans.b),
                                 time_text(spans.a), diff.verdict());
  if (is_sure) text += fmt::format(" by {:.1f} %", std::abs(change_percent(spans.a, spans.b)));
  text += fmt::format(" ({}", signed_time(spans.b - spans.a));
  if (spans.change)
    text += fmt::format("; 95 % interval {} to {}", signed_time(spans.change->low), signed_time(spans.change->high));
  return text + ").";
}

/// Names that only one of the runs has, those with most time first.
void write_only_in_one(HtmlWriter& html, const RunDiff& diff, ChangeStatus status, const char* title) {
  std::vector<const ChangeCause*> found;
  for (const ChangeCause& cause : diff.causes) {
    if (cause.status == status) found.push_back(&cause);
  }
  html.open("div", {{"data-only", to_string(status)}}).element("h3", {}, title);
  if (found.empty()) {
    html.element("p", {{"class", "about"}}, "nothing").close("div");
    return;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const ChangeCause* a, const ChangeCause* b) { return a->a + a->b > b->a + b->b; });
  html.open("ul", {{"class", "names"}});
  for (std::size_t i = 0; i < std::min(found.size(), kNamesListed); ++i) {
    html.open("li");
    write_swatch(html, identifier(found[i]->kind));
    html.element("code", {{"title", label_of(*found[i])}}, label_of(*found[i]))
        .element("span", {{"class", "number"}}, time_text(found[i]->a + found[i]->b))
        .close("li");
  }
  html.close("ul");
  if (found.size() > kNamesListed)
    html.element("p", {{"class", "about"}},
                 fmt::format("and {} more names.", format_count(found.size() - kNamesListed)));
  html.close("div");
}

/// Device work of the median steps by operator, the modules of a model together.
void write_operators(HtmlWriter& html, const analyze::ComparedRun& before, const analyze::ComparedRun& after) {
  const analyze::OperatorChanges changes = analyze::compare_operators(before.device_work, after.device_work, false);
  if (changes.rows.empty()) return;
  html.element("h3", {}, "By operator");
  write_sheet_table(html, analyze::operator_changes_sheet(changes),
                    {.caption = "Device time of the median steps by operator",
                     .rows = kCausesOfPage,
                     .rest = "rows",
                     .left_out = {}});
}

}  // namespace

Section diff_section(const DiffAnswer& answer) {
  Section section{"diff", "Changes", {}, {}};
  HtmlWriter html(section.html);
  const RunDiff& diff = answer.diff;
  html.open("section", {{"id", "diff"},
                        {"data-before-ps", std::to_string(answer.before_step)},
                        {"data-after-ps", std::to_string(answer.after_step)}});
  html.element("h2", {}, "What changed").element("p", {{"class", "about"}}, change_sentence(diff));
  html.element("p", {{"class", "about"}},
               fmt::format("The analysed steps: {} of the earlier run took {}, {} of this one {}. In the tables A is "
                           "the earlier run, B this one.",
                           answer.before_label, time_text(answer.before_step), answer.after_label,
                           time_text(answer.after_step)));
  write_sheet_table(html, analyze::runs_sheet(answer.before, answer.after),
                    {.caption = "The two runs: A is the earlier one, B is this one", .left_out = {}});
  const auto times = [](const report::Sheet& sheet) {
    return [&sheet](std::size_t row, std::size_t column) {
      std::vector<HtmlAttribute> attributes;
      if (sheet.columns()[column].type == report::Type::time && !sheet.is_null(column, row))
        attributes.push_back({"data-ps", std::to_string(sheet.integer(column, row))});
      return attributes;
    };
  };
  const report::Sheet kinds = analyze::kind_changes_sheet(diff);
  html.element("h3", {}, "By kind");
  write_sheet_table(
      html, kinds,
      {.caption = "Change by kind of time",
       .left_out = {},
       .of_row =
           [&](std::size_t row) {
             return std::vector<HtmlAttribute>{{"data-kind", std::string(kinds.text(kinds.find("kind"), row))}};
           },
       .of_cell = times(kinds)});
  const report::Sheet causes = analyze::causes_sheet(diff);
  html.element("h3", {}, "By name");
  write_sheet_table(html, causes,
                    {.caption = "Change by name",
                     .rows = kCausesOfPage,
                     .rest = "names",
                     .left_out = {"a_count", "b_count"},
                     .added = {{"change_low", "per step, from"}, {"change_high", "to"}},
                     .of_row =
                         [&](std::size_t row) {
                           return std::vector<HtmlAttribute>{
                               {"data-kind", std::string(causes.text(causes.find("kind"), row))},
                               {"data-status", to_string(diff.causes[row].status)}};
                         },
                     .of_cell = times(causes)});
  html.element("p", {{"class", "about"}},
               fmt::format("adds: how much longer it makes the median step, while it is on the path from one run to "
                           "the other. Other dependencies or "
                           "another order: {}. All together are {}. per step: the 95 % interval of the change of its "
                           "time, over all steps and ranks; empty "
                           "where "
                           "there are too few of them.",
                           signed_time(diff.structure), signed_time(diff.change)));
  write_operators(html, answer.before, answer.after);
  html.open("div", {{"class", "columns"}});
  write_only_in_one(html, diff, ChangeStatus::is_new, "New");
  write_only_in_one(html, diff, ChangeStatus::removed, "Gone");
  html.close("div").close("section");
  return section;
}

}  // namespace orrery::page
