#include "page/sections/roofline_section.h"

#include <string>
#include <vector>

#include "page/sections/sheet_table.h"
#include "report/html_writer.h"

namespace orrery::page {

Section roofline_section(const report::Sheet& operators, std::string_view about) {
  if (operators.rows() == 0) return {"roofline", "", {}, "no operator is known of any work of the devices."};
  Section section{"roofline", "Roofline", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "roofline"}})
      .element("h2", {}, "Operators against the roof")
      .element("p", {{"class", "about"}}, about);
  SheetTable table{.caption = "Operators by the time they lose beyond the roof of the device", .left_out = {}};
  table.of_row = [&](std::size_t row) {
    return std::vector<report::HtmlAttribute>{
        {"data-operator", std::string(operators.text(operators.find("operator"), row))}};
  };
  table.of_cell = [&](std::size_t row, std::size_t column) {
    std::vector<report::HtmlAttribute> attributes;
    if (operators.columns()[column].type == report::Type::time && !operators.is_null(column, row))
      attributes.push_back({"data-ps", std::to_string(operators.integer(column, row))});
    return attributes;
  };
  write_sheet_table(html, operators, table);
  html.close("section");
  return section;
}

}  // namespace orrery::page
