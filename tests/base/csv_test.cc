#include "base/io/csv.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "support/temp_dir.h"

using namespace orrery;

namespace {

std::string error_of(std::string_view text) {
  const auto table = parse_csv(text, "t.csv");
  return table ? "" : table.error().to_string();
}

}  // namespace

TEST_CASE("cells are split at commas, quotes hold commas, quotes and line ends") {
  const auto table = parse_csv("a,b,c\n1,\"x, \"\"y\"\"\nz\",3\n\n4,,\n", "t.csv");
  REQUIRE(table);
  CHECK(table->columns == std::vector<std::string>{"a", "b", "c"});
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[0] == std::vector<std::string>{"1", "x, \"y\"\nz", "3"});
  CHECK(table->rows[1] == std::vector<std::string>{"4", "", ""});
  CHECK(table->lines == std::vector<std::size_t>{2, 5});
  CHECK(*table->find("c") == 2);
  CHECK_FALSE(table->find("d"));
}

TEST_CASE("a byte-order mark, CRLF and a missing last line end change nothing") {
  const auto table = parse_csv(
      "\xef\xbb\xbf"
      "a,b\r\n1,\"2\"\r\n3,",
      "t.csv");
  REQUIRE(table);
  CHECK(table->columns == std::vector<std::string>{"a", "b"});
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[0] == std::vector<std::string>{"1", "2"});
  CHECK(table->rows[1] == std::vector<std::string>{"3", ""});
}

TEST_CASE("what is no table is refused with its line") {
  CHECK(error_of("") == "t.csv: the table is empty (the first line names the columns)");
  CHECK(error_of("a,b\n1,2\n1,2,3\n") ==
        "t.csv: line 3: 3 cells, where the header has 2 (cells that hold a comma are put in double quotes)");
  CHECK(error_of("a,b\n\n1\n") ==
        "t.csv: line 3: 1 cell, where the header has 2 (cells that hold a comma are put in double quotes)");
  CHECK(error_of("a,a\n") == "t.csv: line 1: the column 'a' is there twice");
  CHECK(error_of("a\n\"x\ny\n") == "t.csv: line 2: a quote is opened and not closed");
  CHECK(error_of("a\n\"x\"y\n") ==
        "t.csv: line 2: text behind a closing quote (a quote inside a cell is written twice)");
}

TEST_CASE("an error about a cell names line and column") {
  const auto table = parse_csv("size\n\"1\n2\"\nx\n", "t.csv");
  REQUIRE(table);
  CHECK(table->error_at(1, "size", "'x' is no size").to_string() == "t.csv: line 4, column 'size': 'x' is no size");
}

TEST_CASE("any table that is written by the rules is read back, and noise never harms") {
  rc::check("round trip", [] {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
    const auto rows =
        *rc::gen::container<std::vector<std::vector<std::string>>>(rc::gen::container<std::vector<std::string>>(
            columns, rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' '))));
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) text += (i > 0 ? ",c" : "c") + std::to_string(i);
    text += '\n';
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < columns; ++i) {
        text += i > 0 ? ",\"" : "\"";
        for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += '"';
      }
      text += '\n';
    }
    const auto table = parse_csv(text, "t.csv");
    RC_ASSERT(table.ok());
    RC_ASSERT(table->rows == rows);
  });
  rc::check("noise", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r'));
    const auto table = parse_csv(text, "t.csv");
    if (!table) {
      RC_ASSERT(table.error().file == "t.csv");
      return;
    }
    for (const auto& row : table->rows) RC_ASSERT(row.size() == table->columns.size());
    RC_ASSERT(table->lines.size() == table->rows.size());
  });
}

TEST_CASE("a file is read as its text is") {
  const orrery::testing::TempDir dir;
  const auto table = read_csv(dir.write("t.csv", "a\n1\n"));
  REQUIRE(table);
  CHECK(table->rows.size() == 1);
  CHECK_FALSE(read_csv(dir.path("none.csv")));
}
