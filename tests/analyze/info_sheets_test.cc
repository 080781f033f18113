#include "analyze/check/trace_info.h"

#include <doctest/doctest.h>

#include "analyze/check/trace_check.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "support/kineto_lines.h"

namespace orrery::analyze {
namespace {

constexpr const char* kLines = R"(
      1        1000  100  user_annotation      ProfilerStep#1
      1        1100  150  user_annotation      ProfilerStep#2
      1        1010  30   user_annotation      forward
      1        1010  20   cpu_op               aten::mm
      gpu0/20  1060  500  kernel               ncclDevKernel     correlation=2  "Collective name"=allreduce
)";

std::vector<report::Sheet> sheets_of(const orrery::testing::SmallTrace& small) {
  const DescribedRank described{&small.rank(), describe(small.trace(), small.rank())};
  return info_sheets(std::span(&described, 1));
}

}  // namespace

TEST_CASE("every row says its rank, so that ranks can stand below one another") {
  const orrery::testing::SmallTrace small(kLines);
  for (const report::Sheet& sheet : sheets_of(small)) {
    CAPTURE(sheet.name());
    CHECK(sheet.columns()[0].key() == "rank");
  }
  const DescribedRank described{&small.rank(), describe(small.trace(), small.rank())};
  const std::vector<DescribedRank> twice = {described, described};
  CHECK(info_sheets(twice)[kRanksOfInfo].rows() == 2);
}

TEST_CASE("steps and collectives in the units of every other answer") {
  const orrery::testing::SmallTrace small(kLines);
  const auto sheets = sheets_of(small);
  CHECK(report::to_csv(sheets[3]) ==
        "rank,name,start_us,duration_us\n0,ProfilerStep#1,0,100\n0,ProfilerStep#2,100,150\n");
  CHECK(report::to_csv(sheets[5]) == "rank,name,count,time_us\n0,allreduce,1,500\n");
}

TEST_CASE("people read lines: what there is none of is left out, steps excepted") {
  const orrery::testing::SmallTrace small("1 0 5 cpu_op a\n");
  const std::string lines = to_lines(sheets_of(small)[kRanksOfInfo], 0, 2);
  CHECK(lines.find("  steps          none recorded\n") != std::string::npos);
  CHECK(lines.find("devices") == std::string::npos);
  CHECK(lines.find("annotations") == std::string::npos);
}

TEST_CASE("long lists of names are cut, and the rest is counted") {
  std::string text;
  for (int i = 0; i < 11; ++i)
    text += "1 " + std::to_string(100 * i) + " 10 user_annotation note" + std::to_string(i) + "\n";
  const orrery::testing::SmallTrace small(text);
  CHECK(to_lines(sheets_of(small)[kRanksOfInfo], 0, 2).find("; and 3 more\n") != std::string::npos);
}

TEST_CASE("findings: problems stand out, notes do not, and hints are for programs too") {
  constexpr DiagnosticKind kWarning{"X901", Severity::warning, "something is odd", "look at it"};
  constexpr DiagnosticKind kNote{"X900", Severity::note, "something is so", ""};
  Diagnostics diagnostics;
  diagnostics.add_many(kWarning, 3, "here");
  diagnostics.add(kNote);
  const report::Sheet sheet = findings_sheet(diagnostics);
  CHECK(report::to_csv(sheet) ==
        "code,severity,count,what,first,hint\nX900,note,1,something is so,,\nX901,warning,3,something is odd,here,look "
        "at it\n");
  CHECK(sheet.tone(0) == report::Tone::plain);
  CHECK(sheet.tone(1) == report::Tone::warning);
}

}  // namespace orrery::analyze
