#include "report/sheet.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::report {
namespace {

Sheet ranks() {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "why", .title = "why"})
      .add({.name = "finish", .type = Type::time, .unit = Unit::us, .title = "finish"})
      .add({.name = "compute", .type = Type::time, .unit = Unit::ns})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true})
      .add({.name = "late", .type = Type::flag, .title = "late"})
      .add({.name = "remark", .title = "remark", .people_only = true});
  sheet.add_row({0, "a, \"b\"", 1'500'000, 2'000, 2'000'000, 50.0, true, "first"});
  sheet.add_row({1, nullptr, 2'500'000'000, 2'500, 10, 0.01, false, "same"});
  sheet.add_row({2, nullptr, 2'500'000'000, 2'500, 10, 0.01, false, "same"});
  return sheet;
}

std::string json_of(const Sheet& sheet) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_sheet(json, sheet);
  json.end_object();
  return text;
}

}  // namespace

TEST_CASE("a key is the name with its unit, said once") {
  CHECK(SheetColumn{.name = "finish", .unit = Unit::us}.key() == "finish_us");
  CHECK(SheetColumn{.name = "bytes", .unit = Unit::bytes}.key() == "bytes");
  CHECK(SheetColumn{.name = "sent_bytes", .unit = Unit::bytes}.key() == "sent_bytes");
  CHECK(SheetColumn{.name = "nbytes", .unit = Unit::bytes}.key() == "nbytes_bytes");  // another word that ends alike
  CHECK(SheetColumn{.name = "rank"}.key() == "rank");
}

TEST_CASE("programs see every column but those in words, exact numbers, and null for what is not known") {
  CHECK(
      json_of(ranks()) ==
      R"({"ranks":[{"rank":0,"why":"a, \"b\"","finish_us":1.5,"compute_ns":2,"bytes":2000000,"share_pct":50,"late":true},)"
      R"({"rank":1,"why":null,"finish_us":2500,"compute_ns":2.5,"bytes":10,"share_pct":0.01,"late":false},)"
      R"({"rank":2,"why":null,"finish_us":2500,"compute_ns":2.5,"bytes":10,"share_pct":0.01,"late":false}]})");
  CHECK(to_csv(ranks()) ==
        "rank,why,finish_us,compute_ns,bytes,share_pct,late\n"
        "0,\"a, \"\"b\"\"\",1.5,2,2000000,50,true\n"
        "1,,2500,2.5,10,0.01,false\n"
        "2,,2500,2.5,10,0.01,false\n");
}

TEST_CASE("people see the columns with titles, in the units of a reader") {
  CHECK(to_text(ranks(), {.width = 100}) ==
        "rank  why      finish     size   share              late  remark\n"
        "----  ------  -------  -------  ------  ----------  ----  ------\n"
        "0     a, \"b\"  1.50 µs  2.00 MB  50.0 %  ██████████   yes  first\n"
        "1     -       2.50 ms     10 B  <0.1 %  ▏             no  same\n"
        "2     -       2.50 ms     10 B  <0.1 %  ▏             no  same\n");
}

TEST_CASE("rows that say the same can be one, and those not shown are counted") {
  const std::string merged = to_text(ranks(), {.width = 100, .merge_alike = true});
  CHECK(merged.find("\n1 to 2  ") != std::string::npos);
  CHECK(merged.find("\n2 ") == std::string::npos);
  const std::string cut = to_text(ranks(), {.width = 100, .rows = 1, .rest = "ranks"});
  CHECK(cut.ends_with("and 2 more ranks\n"));
  const std::string cut_merged = to_text(ranks(), {.width = 100, .rows = 1, .rest = "ranks", .merge_alike = true});
  CHECK(cut_merged.ends_with("and 2 more ranks\n"));  // what the row stands for, not the row
}

TEST_CASE("numbers with others between them are not from one to another, and names are no numbers") {
  Sheet numbers("ranks");
  numbers.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "x", .type = Type::integer, .title = "x"});
  for (const int rank : {0, 4, 8, 12}) numbers.add_row({rank, 7});
  numbers.add_row({13, 9});
  CHECK(to_text(numbers, {.merge_alike = true}) ==
        "rank              x\n----------------  -\n4 alike, 0 to 12  7\n13                9\n");
  Sheet links("links");
  links.add({.name = "link", .title = "link"}).add({.name = "x", .type = Type::integer, .title = "x"});
  for (const char* name : {"a -> b", "b -> c", "c -> d"}) links.add_row({name, 7});
  CHECK(to_text(links, {.merge_alike = true}).find("a -> b, and 2 more like it  7\n") != std::string::npos);
}

TEST_CASE("the largest rows come first, equal ones in their order, and what is not known last") {
  Sheet sheet("links");
  sheet.add({.name = "link", .title = "link"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "busy"});
  sheet.add_row({"a", 1});
  sheet.add_row({"b", 3});
  sheet.add_row({"c", nullptr});
  sheet.add_row({"d", 3});
  const std::string text = to_text(sheet, {.largest = "busy"});
  CHECK(text.find("\nb") < text.find("\nd"));
  CHECK(text.find("\nd") < text.find("\na"));
  CHECK(text.find("\na") < text.find("\nc"));
}

TEST_CASE("changes have a sign, and decimals are as many as asked for") {
  Sheet sheet("changes");
  sheet.add({.name = "id", .type = Type::integer, .title = "id", .decimals = kExact})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true})
      .add({.name = "residual",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "residual",
            .is_change = true,
            .decimals = 2})
      .add({.name = "offset", .type = Type::time, .unit = Unit::us, .title = "offset us", .decimals = 3})
      .add({.name = "factor", .type = Type::real, .title = "factor", .decimals = kExact});
  sheet.add_row({12345, 2'000'000, 0.0, 1'500, 0.25});
  sheet.add_row({6, -2'000'000, -1.005, -1'234'567'890'123, 2.0});
  sheet.add_row({7, 0, 12.0, 0, 1.0});
  CHECK(to_text(sheet, {}) ==
        "id       change  residual     offset us  factor\n"
        "-----  --------  --------  ------------  ------\n"
        "12345  +2.00 µs   +0.00 %         0.002    0.25\n"
        "6      -2.00 µs   -1.00 %  -1234567.890       2\n"
        "7             0  +12.00 %         0.000       1\n");
}

TEST_CASE("bytes can become fewer") {
  Sheet sheet("changes");
  sheet.add({.name = "change", .type = Type::integer, .unit = Unit::bytes, .title = "change", .is_change = true});
  sheet.add_row({-1'500'000});
  sheet.add_row({1'500'000});
  CHECK(value_text(sheet, 0, 0) == "-1.50 MB");
  CHECK(value_text(sheet, 0, 1) == "+1.50 MB");
}

TEST_CASE("a total has the sums of numbers, and is no row for programs") {
  Sheet sheet("kinds");
  sheet.add({.name = "kind", .title = "kind"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .decimals = 1})
      .add({.name = "why", .title = "why"});
  sheet.add_row({"a", 1'000'000, 25.0, "x"});
  sheet.add_row({"b", 3'000'000, 75.0, "y"});
  const std::string text = to_text(sheet, {.total = "step"});
  CHECK(text.ends_with("step  4.00 µs  100.0 %\n"));
  CHECK(to_csv(sheet).find("step") == std::string::npos);
}

TEST_CASE("lists of numbers are lists for JSON, and text for everybody else") {
  Sheet sheet("groups");
  sheet.add({.name = "ranks", .type = Type::integers, .title = "ranks"});
  sheet.add_row({"0, 2, 4"});
  sheet.add_row({nullptr});
  CHECK(json_of(sheet) == R"({"groups":[{"ranks":[0,2,4]},{"ranks":null}]})");
  CHECK(to_csv(sheet) == "ranks\n\"0, 2, 4\"\n\n");
  CHECK(to_text(sheet, {}).find("\n0, 2, 4\n-\n") != std::string::npos);
}

TEST_CASE("a row as lines: what is not known, empty or for programs is left out, and nothing can drive the terminal") {
  Sheet sheet("facts");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "format", .title = "format"})
      .add({.name = "backend", .title = "backend"})
      .add({.name = "span", .type = Type::time, .unit = Unit::us, .title = "span"})
      .add({.name = "gone", .title = "gone"});
  sheet.add_row({0, "kineto\x1b[31m", "", 5'000'000, nullptr});
  CHECK(to_lines(sheet, 0, 2) == "  format   kineto [31m\n  span     5.00 µs\n");
}

TEST_CASE("zero is not unknown, whatever its sign, and what is no number is") {
  Sheet sheet("numbers");
  sheet.add({.name = "x", .type = Type::real, .title = "x"});
  sheet.add_row({0});
  sheet.add_row({-0.0});
  sheet.add_row({nullptr});
  sheet.add_row({0.0 / 0.0});
  CHECK(json_of(sheet) == R"({"numbers":[{"x":0},{"x":0},{"x":null},{"x":null}]})");
}

TEST_CASE("an empty sheet has no table, but keys") {
  Sheet sheet("none");
  sheet.add({.name = "x", .title = "x"});
  CHECK(to_text(sheet, {}).empty());
  CHECK(to_csv(sheet) == "x\n");
  CHECK(json_of(sheet) == R"({"none":[]})");
}

TEST_CASE("several sheets in one text are told apart") {
  std::vector<Sheet> both;
  both.emplace_back("a").add({.name = "x"});
  both.emplace_back("b").add({.name = "y"}).add_row({"1"});
  CHECK(to_csv(both) == "# a\nx\n\n# b\ny\n1\n");
}

}  // namespace orrery::report
