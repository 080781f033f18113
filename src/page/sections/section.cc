#include "page/sections/section.h"

#include <fmt/format.h>

#include "report/bar.h"

namespace orrery::page {

void write_swatch(report::HtmlWriter& html, std::string_view kind) {
  html.open("span", {{"class", "swatch"}, {"style", fmt::format("background:var(--k-{})", kind)}}).close("span");
}

void write_number(report::HtmlWriter& html, std::string_view text, std::vector<report::HtmlAttribute> attributes) {
  attributes.insert(attributes.begin(), {"class", "number"});
  html.open("td", attributes).text(text).close("td");
}

void write_time(report::HtmlWriter& html, TimePs ps) {
  write_number(html, time_text(ps), {{"data-ps", std::to_string(ps)}});
}

std::string time_text(TimePs ps) { return format_duration(ps); }

std::string percent_text(double percent) { return report::percent(percent, 100); }

void write_heading(report::HtmlWriter& html, std::string_view title, bool is_number, std::string_view explained) {
  std::vector<report::HtmlAttribute> attributes = {{"scope", "col"}};
  if (is_number) attributes.push_back({"class", "number"});
  if (!explained.empty()) attributes.push_back({"title", std::string(explained)});
  html.open("th", attributes).text(title).close("th");
}

}  // namespace orrery::page
