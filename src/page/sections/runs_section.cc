#include "page/sections/runs_section.h"

#include <fmt/format.h>

#include "page/sections/sheet_table.h"
#include "report/counted.h"
#include "report/html_writer.h"

namespace orrery::page {

Section runs_section(const report::Sheet& runs) {
  Section section{"ranks", "Runs", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "ranks"}}).element("h2", {}, "Runs");
  html.element("p", {{"class", "about"}},
               fmt::format("{} that share nothing, each by itself; the page is about the first of them.",
                           report::counted(runs.rows(), "run")));
  write_sheet_table(html, runs, {.caption = "Runs side by side", .left_out = {}});
  html.close("section");
  return section;
}

}  // namespace orrery::page
