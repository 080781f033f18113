#include "page/sections/kernels_section.h"

#include <fmt/format.h>

#include "page/sections/section.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using report::HtmlWriter;
using report::Sheet;

struct KernelColumn {
  const char* column;  ///< of the sheet
  const char* title;
  const char* explained;
};
constexpr KernelColumn kKernelColumns[] = {
    {"calls", "calls", "how often it ran"}, {"total", "total", "time of all calls"},
    {"mean", "mean", "of a call"},          {"least", "min", "the shortest call"},
    {"most", "max", "the longest call"},    {"on_path_share", "on path", "its part of the critical path"}};

void write_sort_heading(HtmlWriter& html, const char* title, const char* explained, bool is_number,
                        const char* sorted) {
  html.open("th", {{"scope", "col"}, {"class", is_number ? "number" : ""}, {"aria-sort", sorted}});
  html.element("button", {{"type", "button"}, {"title", explained}}, title).close("th");
}

void write_kernel_row(HtmlWriter& html, const Sheet& sheet, std::size_t row) {
  const std::size_t name_column = sheet.find("name");
  const std::string rest =
      sheet.is_null(name_column, row)
          ? format_count(static_cast<std::uint64_t>(sheet.integer(sheet.find("names"), row))) + " other names"
          : "";
  const std::string_view name = rest.empty() ? sheet.text(name_column, row) : std::string_view(rest);
  html.open("tr", {{"data-name", std::string(name)}})
      .open("th", {{"scope", "row"}, {"class", "name"}, {"title", std::string(name)}});
  write_swatch(html, sheet.text(sheet.find("kind"), row));
  html.element("code", {}, name).close("th");
  for (const KernelColumn& about : kKernelColumns) {
    const std::size_t column = sheet.find(about.column);
    const report::SheetColumn& shape = sheet.columns()[column];
    if (shape.type == report::Type::real) {
      const double share = sheet.number(column, row);
      write_number(html, share == 0 ? "" : percent_text(share), {{"data-sort", fmt::format("{:.6g}", share)}});
    } else {
      const std::int64_t value = sheet.integer(column, row);
      write_number(
          html, shape.type == report::Type::time ? time_text(value) : format_count(static_cast<std::uint64_t>(value)),
          {{"data-sort", std::to_string(value)}});
    }
  }
  html.close("tr");
}

}  // namespace

Section kernels_section(const Sheet& device_work) {
  if (device_work.rows() == 0) return {"kernels", "", {}, "the trace has no work of a device."};
  Section section{"kernels", "Kernels", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "kernels"}}).open("div", {{"class", "toolbar"}}).element("h2", {}, "Device work");
  html.raw(
      "<input type=\"search\" id=\"kernel-filter\" placeholder=\"filter\" aria-label=\"Filter device work by name\" "
      "spellcheck=\"false\" "
      "autocomplete=\"off\">");
  html.element("span", {{"id", "kernel-count"}}, format_count(device_work.rows()) + " names").close("div");
  html.open("table", {{"class", "sortable"}})
      .element("caption", {{"class", "unseen"}}, "Kernels, copies and fills of all devices, by name")
      .open("thead")
      .open("tr");
  write_sort_heading(html, "name", "by name", false, "none");
  for (const KernelColumn& about : kKernelColumns)
    write_sort_heading(html, about.title, about.explained, true,
                       std::string_view(about.column) == "total" ? "descending" : "none");
  html.close("tr").close("thead").open("tbody");
  for (std::size_t row = 0; row < device_work.rows(); ++row) write_kernel_row(html, device_work, row);
  html.close("tbody").close("table").close("section");
  return section;
}

}  // namespace orrery::page
