// What a page is made of, before it is written: sections of HTML in their order, and columns for its script.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "report/html_writer.h"

namespace orrery::page {

// Small pieces of HTML that several sections share.

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

/// One section. Its HTML is readable without script, and whole: <section id=...>...</section>, made with
/// report/html_writer.h.
struct Section {
  std::string id;     ///< "verdict", "trust", ...: see docs/REPORT.md
  std::string title;  ///< as the menu of the page calls it; empty: not in the menu
  std::string html;   ///< empty: absent
  std::string why;    ///< of an absent one: the sentence that About prints
};

/// A column on its way into the page, encoded already (docs/REPORT.md, codecs).
struct EncodedColumn {
  std::string name;   ///< "ev.start"
  std::string codec;  ///< planes, delta, u8, json
  std::size_t count = 0;
  std::string bytes;
};

/// Columns that are compressed together and decoded together: the graph's, or one rank's.
struct Blob {
  std::string columns;  ///< "graph", "rank" or "arguments"
  long long rank = -1;  ///< -1: of none
  std::vector<EncodedColumn> table;
};

}  // namespace orrery::page
