// What a page is made of, before it is written: sections of HTML in their order, and columns for its script.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orrery::page {

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
