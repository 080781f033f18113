// Small pieces of HTML that several sections share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "report/html_writer.h"

namespace orrery::page {

/// The square in the colour of a kind.
void write_swatch(report::HtmlWriter& html, std::string_view kind);
/// <td>: a number for people, right-aligned; `attributes` carry it for programs.
void write_number(report::HtmlWriter& html, std::string_view text, std::vector<report::HtmlAttribute> attributes = {});
/// The same of a time, as data-ps.
void write_time(report::HtmlWriter& html, TimePs ps);
/// "12.3 µs"; "0".
std::string time_text(TimePs ps);
/// Three digits and %: "80.5 %".
std::string percent_text(double percent);
/// A heading of a column, for numbers or for text.
void write_heading(report::HtmlWriter& html, std::string_view title, bool is_number, std::string_view explained = {});

}  // namespace orrery::page
