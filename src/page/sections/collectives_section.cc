#include "page/sections/collectives_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "page/sections/sheet_table.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using report::HtmlAttribute;
using report::Sheet;

/// Beyond, a table says no more.
constexpr std::size_t kCollectivesShown = 40;

/// Recorded and simulated communication call it differently, for programs that ask for each.
std::size_t kind_column(const Sheet& sheet) { return std::min(sheet.find("what"), sheet.find("kind")); }

}  // namespace

Section collectives_section(const Sheet& collectives, std::string_view about) {
  if (collectives.rows() == 0) return {"collectives", "", {}, "no collective or message was found."};
  Section section{"collectives", "Communication", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "collectives"}})
      .element("h2", {}, "Communication")
      .element("p", {{"class", "about"}}, about);
  SheetTable table{.caption = "Communication by kind, group and size",
                   .rows = kCollectivesShown,
                   .rest = "kinds, groups and sizes",
                   .left_out = {}};
  table.of_row = [&](std::size_t row) {
    return std::vector<HtmlAttribute>{
        {"data-collective", std::string(collectives.text(kind_column(collectives), row))},
        {"data-calls", std::to_string(collectives.integer(collectives.find("calls"), row))}};
  };
  table.of_cell = [&](std::size_t row, std::size_t column) {
    std::vector<HtmlAttribute> attributes;
    const report::SheetColumn& shape = collectives.columns()[column];
    if (collectives.is_null(column, row)) return attributes;
    if (shape.unit == report::Unit::gb_per_s)
      attributes.push_back({"data-bus-gbps", fmt::format("{:.6g}", collectives.number(column, row))});
    if (shape.type == report::Type::time)
      attributes.push_back({"data-ps", std::to_string(collectives.integer(column, row))});
    return attributes;
  };
  write_sheet_table(html, collectives, table);
  html.close("section");
  return section;
}

}  // namespace orrery::page
