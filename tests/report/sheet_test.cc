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
  CHECK(json_of(ranks()) ==
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
        "rank  why       finish     size   share              late  remark\n"
        "----  -------  -------  -------  ------  ----------  ----  ------\n"
        "0     a, \"b\"   1.50 us  2.00 MB  50.0 %  ██████████   yes  first\n"
        "1     unknown  2.50 ms     10 B  <0.1 %  ▏             no  same\n"
        "2     unknown  2.50 ms     10 B  <0.1 %  ▏             no  same\n");
}

TEST_CASE("rows that say the same can be one, and those not shown are counted") {
  const std::string merged = to_text(ranks(), {.width = 100, .merge_alike = true});
  CHECK(merged.find("1 and 1 more alike") != std::string::npos);
  CHECK(merged.find("\n2 ") == std::string::npos);
  const std::string cut = to_text(ranks(), {.width = 100, .rows = 1, .rest = "ranks"});
  CHECK(cut.ends_with("and 2 more ranks\n"));
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
