#include "page/sections/provenance_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "page/sections/interactive_sections.h"
#include "page/sections/section.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using report::HtmlWriter;

void write_inputs(HtmlWriter& html, const std::vector<PageInput>& inputs) {
  html.open("table").element("caption", {}, "Inputs").open("thead").open("tr");
  write_heading(html, "file", false);
  write_heading(html, "size", true);
  write_heading(html, "XXH3", false);
  html.close("tr").close("thead").open("tbody");
  for (const PageInput& input : inputs) {
    html.open("tr").open("th", {{"scope", "row"}, {"class", "name"}}).element("code", {}, input.path).close("th");
    write_number(html, format_bytes(input.bytes));
    html.open("td").element("code", {}, fmt::format("{:016x}", input.xxh3)).close("td").close("tr");
  }
  html.close("tbody").close("table");
}

void write_remarks(HtmlWriter& html, const Diagnostics& diagnostics) {
  const std::vector<Diagnostic> remarks = diagnostics.sorted();
  if (remarks.empty()) return;
  html.open("table").element("caption", {}, "Remarks").open("thead").open("tr");
  for (const char* title : {"code", "what", "count", "hint"})
    write_heading(html, title, std::string_view(title) == "count");
  html.close("tr").close("thead").open("tbody");
  for (const Diagnostic& remark : remarks) {
    html.open("tr", {{"class", to_string(remark.kind->severity)}}).element("th", {{"scope", "row"}}, remark.kind->code);
    html.element("td", {},
                 fmt::format("{}: {}{}{}", to_string(remark.kind->severity), remark.kind->summary,
                             remark.example.empty() ? "" : ": ", remark.example));
    write_number(html, format_count(remark.count));
    html.element("td", {}, remark.kind->hint).close("tr");
  }
  html.close("tbody").close("table");
}

void write_absent(HtmlWriter& html, const std::vector<Section>& others) {
  const auto is_absent = [](const Section& section) { return section.html.empty(); };
  if (std::none_of(others.begin(), others.end(), is_absent)) return;
  html.element("h3", {}, "Not on this page").open("dl", {{"class", "absent"}});
  for (const Section& section : others) {
    if (is_absent(section)) html.element("dt", {}, section.id).element("dd", {}, section.why);
  }
  html.close("dl");
}

}  // namespace

Section provenance_section(const PageSource& source, const Diagnostics& diagnostics,
                           const std::vector<Section>& others) {
  Section section{"provenance", "About", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "provenance"}}).element("h2", {}, "About");
  html.open("p").text("Made by Orrery " + source.version + " with ").element("code", {}, source.command).text(". ");
  html.text(source.seed ? fmt::format("Seed {}.", *source.seed) : "No random numbers were used.").close("p");
  write_inputs(html, source.inputs);
  write_remarks(html, diagnostics);
  write_absent(html, others);
  html.open("details").element("summary", {}, "Keys");
  write_keys_table(html);
  html.close("details").open("details").element("summary", {}, "Licences");
  html.element("p", {},
               "Orrery, its script and its style are under the Apache License 2.0. The page holds no code of others "
               "and no fonts.");
  html.close("details").close("section");
  return section;
}

}  // namespace orrery::page
