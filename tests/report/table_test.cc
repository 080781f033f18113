#include "report/sheet_text.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "report/text_width.h"

namespace orrery::report {
namespace {

Table sample() {
  Table table({{"on the path"}, {"time", Align::right}, {"", Align::left}});
  table.add_row({"ampere_sgemm_128x64_tn", "41.2 ms", "██"});
  table.add_row({"idle", "3.1 µs"});
  table.add_rule();
  table.add_row({"sum", "44.3 ms"}, Tone::strong);
  return table;
}

}  // namespace

TEST_CASE("columns line up under their headings") {
  CHECK(sample().render(80) ==
        "on the path                time\n"
        "----------------------  -------  --\n"
        "ampere_sgemm_128x64_tn  41.2 ms  ██\n"
        "idle                     3.1 µs\n"
        "----------------------  -------  --\n"
        "sum                     44.3 ms\n");
}

TEST_CASE("a narrow terminal cuts names in the middle, never numbers") {
  CHECK(sample().render(28) ==
        "on the path         time\n"
        "---------------  -------  --\n"
        "ampere_…8x64_tn  41.2 ms  ██\n"
        "idle              3.1 µs\n"
        "---------------  -------  --\n"
        "sum              44.3 ms\n");
}

TEST_CASE("an indented table keeps to the width") {
  CHECK(sample().render(28, {}, 4) ==
        "    on the path     time\n"
        "    -----------  -------  --\n"
        "    amper…64_tn  41.2 ms  ██\n"
        "    idle          3.1 µs\n"
        "    -----------  -------  --\n"
        "    sum          44.3 ms\n");
}

TEST_CASE("style dresses header and rows, and leaves the layout alone") {
  const std::string dressed = sample().render(80, Style(true));
  CHECK(dressed.find("\x1b[1msum                     44.3 ms\x1b[0m\n") != std::string::npos);
  CHECK(dressed.starts_with("\x1b[1mon the path"));
}

TEST_CASE("a table without rows is its header") { CHECK(Table({{"a"}, {"b"}}).render(10) == "a  b\n-  -\n"); }

TEST_CASE("whatever the cells hold: one line per row, within the width where names can be cut") {
  CHECK(rc::check([](const std::vector<std::string>& names) {
    Table table({{"name"}, {"n", Align::right}});
    for (const std::string& name : names) table.add_row({name, "7"});
    const std::string text = table.render(20);
    RC_ASSERT(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == names.size() + 2);
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      RC_ASSERT(display_width(std::string_view(text).substr(start, end - start)) <= 20u);
      start = end + 1;
    }
  }));
}

}  // namespace orrery::report
