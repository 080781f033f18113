#include "report/answer.h"

#include <doctest/doctest.h>

#include <string>

namespace orrery::report {
namespace {

Sheet ranks_sheet() {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "finish", .type = Type::time, .unit = Unit::us, .title = "finish"});
  sheet.add_row({0, 2 * kPsPerUs});
  sheet.add_row({1, 3 * kPsPerUs});
  return sheet;
}

/// Told alike to whoever reads it.
Answer told_to(Reader reader) {
  Answer answer(reader);
  answer.headline("Rank 1 is late.").gap();
  answer.facts().field("late", 1);
  // Texts of the view that are gone when it is rendered.
  answer.table(ranks_sheet(), {.view = {.rows = 1,
                                        .rest = std::string("ranks that were earlier, all of them"),
                                        .largest = std::string("finish")}});
  answer.table([] { return ranks_sheet(); }, {.readers = Readers::programs, .form = Form::row, .key = "first"});
  return answer;
}

}  // namespace

TEST_CASE("an answer is told once, and each reader gets it in their form") {
  CHECK(told_to(Reader::people).to_text(80, Style()) ==
        "Rank 1 is late.\n\nrank   finish\n----  -------\n1     3.00 µs\nand 1 more ranks that were earlier, all of "
        "them\n");
  CHECK(told_to(Reader::tables).to_csv() == "rank,finish_us\n0,2\n1,3\n");
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  told_to(Reader::programs).write_json(json);
  json.end_object();
  CHECK(text ==
        R"({"late":1,"ranks":[{"rank":0,"finish_us":2},{"rank":1,"finish_us":3}],"first":{"rank":0,"finish_us":2}})");
}

TEST_CASE("what nobody reads is not made") {
  bool is_made = false;
  const auto make = [&] {
    is_made = true;
    return ranks_sheet();
  };
  Answer answer(Reader::people);
  answer.table(make, {.readers = Readers::programs_and_tables});
  CHECK_FALSE(is_made);
  answer.table(make);
  CHECK(is_made);
}

}  // namespace orrery::report
