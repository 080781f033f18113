// What scrubbing says it did.
#include "scrub/outcome_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "scrub/small_scrub.h"
#include "support/temp_dir.h"

namespace orrery::scrub {
namespace {

constexpr const char* kTrace = R"({"schemaVersion": 1, "traceName": "/home/me/secret.json", "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "my_secret_op", "pid": 4711, "tid": 12, "ts": 10.5, "dur": 5, "args": {"My secret": "x", "External id": 3}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4711, "tid": 12, "ts": 20.5, "dur": 5, "args": {"External id": 4}}
]})";

struct Scrubbed {
  orrery::testing::TempDir dir;
  Outcome outcome;

  Scrubbed() {
    Request request;
    request.inputs = {testing::input(dir.write("trace.json", kTrace))};
    Diagnostics diagnostics;
    auto done = scrub_job(request, diagnostics);  // dry: there is no folder to write to
    REQUIRE(done.ok());
    outcome = std::move(*done);
  }
};

bool has(const report::Sheet& sheet, std::string_view member) {
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    if (sheet.text(0, row) == member) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("members either go or stay, and those nobody knows go") {
  const Scrubbed scrubbed;
  const report::Sheet going = members_that(true, scrubbed.outcome), staying = members_that(false, scrubbed.outcome);
  CHECK(has(going, "event.args.My secret"));
  CHECK(has(going, "traceName"));
  CHECK(has(staying, "event.args.External id"));
  for (std::size_t row = 0; row < going.rows(); ++row) CHECK_FALSE(has(staying, going.text(0, row)));
  const report::Sheet all = members_sheet(scrubbed.outcome);
  for (std::size_t row = 0; row < going.rows(); ++row) CHECK(has(all, going.text(0, row)));
}

TEST_CASE("names are counted for everybody, and shown to people alone: the answer for programs is passed on") {
  const Scrubbed scrubbed;
  const report::Sheet names = names_sheet(scrubbed.outcome);
  CHECK(to_text(names, {.width = 200}).find("my_secret_op") != std::string::npos);
  CHECK(report::to_csv(names).find("my_secret_op") == std::string::npos);
  CHECK(report::to_csv(names).starts_with("of,renamed,kept\n"));
  CHECK(totals_of(scrubbed.outcome).names >= 1);
}

TEST_CASE("files say what they would become, and a rank that nobody names is not known") {
  const Scrubbed scrubbed;
  const report::Sheet files = files_sheet(scrubbed.outcome, true);
  REQUIRE(files.rows() == 1);
  CHECK(files.is_null(files.find("rank"), 0));
  CHECK(to_text(files, {.width = 300}).find("would be") != std::string::npos);
  CHECK(to_text(files_sheet(scrubbed.outcome, false), {.width = 300}).find("written") != std::string::npos);
  CHECK(files.integer(files.find("records"), 0) == 2);
}

TEST_CASE("what was left out is counted once each") {
  const Scrubbed scrubbed;
  std::uint64_t dropped = 0;
  for (const auto& [member, count] : scrubbed.outcome.tally.unknown()) dropped += count;
  CHECK(dropped >= 1);                                        // "My secret"
  CHECK(totals_of(scrubbed.outcome).members >= dropped + 1);  // and the name of the file
}

}  // namespace orrery::scrub
