// Tables of training operations: the same rows out of CSV and Parquet, ranks and steps of them.
#include "formats/training_operations/reader.h"

#include <doctest/doctest.h>

#include "formats/training_operations/compact_thrift.h"
#include "formats/training_operations/diagnostics.h"
#include "formats/training_operations/parquet.h"
#include "match/operations/operation_columns.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::training_operations;

namespace {

constexpr std::string_view kHeader = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";

}  // namespace

TEST_CASE("steps of a table are laid end to end, each from its earliest start to its latest end") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace = read_table(dir.write("t.csv", std::string(kHeader) + "0,0,0,5,forward-compute,0.5,0.25,0,0,0,0\n"
                                                                          "0,1,4,5,forward-recv,0.25,0.5,0,,,\n"
                                                                          "0,0,0,9,forward-compute,2,1,0,0,0,0\n"),
                                diagnostics);
  REQUIRE(trace);
  CHECK(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.count(kMissingOperation) == 1);  // step 9 has no receive
  REQUIRE(trace->ranks.size() == 2);
  const trace::RankTrace &first = trace->ranks[0], &second = trace->ranks[1];
  CHECK(second.rank == 4);
  CHECK(second.source.properties == std::vector<std::pair<std::string, std::string>>{{"dp_rank", "0"}, {"stage", "1"}});
  REQUIRE(first.event_count() == 4);  // two steps, two computes
  CHECK(trace->name(first, 1) == "step 9");
  CHECK(first.start[0] == 0);
  CHECK(first.duration[0] == kPsPerSecond / 2);
  CHECK(first.start[2] == kPsPerSecond / 4);
  CHECK(first.start[3] == kPsPerSecond / 2);
  CHECK(first.field(trace::Field::sequence_number).find(3) == 0);
  REQUIRE(second.event_count() == 2);      // it has no row of step 9
  CHECK(second.lane[1] != first.lane[2]);  // messages have lanes of their own
}

TEST_CASE("a table tells what its operations need, when they could have run, and who exchanges what with whom") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  // The message is received as soon as it is there; the second stage then pauses, and is the last.
  const auto trace = read_table(dir.write("t.csv", std::string(kHeader) + "0,0,0,5,forward-compute,0,1,0,0,0,0\n"
                                                                          "0,0,0,5,forward-send,1,0.5,0,,,\n"
                                                                          "0,1,1,5,forward-recv,0.25,1.25,0,,,\n"
                                                                          "0,1,1,5,forward-compute,2,1,0,0,0,1\n"),
                                diagnostics);
  REQUIRE(trace);
  CHECK(diagnostics.empty());
  const trace::RankTrace &first = trace->ranks[0], &second = trace->ranks[1];
  const auto value = [](const trace::RankTrace& rank, std::string_view name, trace::EventIndex event) {
    const trace::SparseColumn* const column = match::find_named(rank, name);
    REQUIRE(column != nullptr);
    return column->find(event).value_or(-1);
  };
  const auto text = [&](std::int64_t id) { return trace->strings.text(static_cast<StringId>(id)); };
  CHECK(text(value(first, match::kNeedsColumn, 2)) == "[1]");
  CHECK(value(first, match::kNeedsColumn, 1) == -1);
  CHECK(text(value(second, match::kNeedsColumn, 2)) == "[1]");
  // A receive that nothing holds back is there from the begin of the step.
  CHECK(value(second, match::kExecutedStartColumn, 1) == 0);
  CHECK(value(second, match::kExecutedEndColumn, 1) == 3 * kPsPerSecond / 2);
  CHECK(value(second, match::kExecutedStartColumn, 2) == 2 * kPsPerSecond);
  CHECK(value(second, match::kExecutedEndColumn, 2) == 3 * kPsPerSecond);
  CHECK(text(first.field(trace::Field::collective_text).find(2).value_or(0)) == "send");
  CHECK(first.field(trace::Field::destination_rank).find(2) == 1);
  CHECK(second.field(trace::Field::source_rank).find(1) == 0);
  CHECK(first.field(trace::Field::collective_sequence).find(2) ==
        second.field(trace::Field::collective_sequence).find(1));
}

TEST_CASE("a table without some of its workers stands, but nothing in it depends on anything") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace =
      read_table(dir.write("t.csv", std::string(kHeader) + "0,0,0,1,optimizer,0,1,0,,,\n1,1,3,1,optimizer,0,1,0,,,\n"),
                 diagnostics);
  REQUIRE(trace);
  CHECK(diagnostics.count(kNoDependencies) == 1);
  CHECK(match::find_named(trace->ranks[0], match::kNeedsColumn) == nullptr);
}

TEST_CASE("rows that cannot be used are counted; a table without its columns is refused") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace = read_table(dir.write("t.csv", std::string(kHeader) + "0,0,0,5,forward-compute,0.5,0.25,0,0,0,0\n"
                                                                          "0,0,0,5,forward-compute,0.5,0.25,0,0,0,0\n"
                                                                          "0,0,0,5,forward-compute,nan,0.25,1,0,0,0\n"
                                                                          "0,0,0,5,forward-compute,0.5,-1,2,0,0,0\n"
                                                                          "0,0,0.5,5,forward-compute,0.5,1,3,0,0,0\n"
                                                                          "0,0,0,5,,0.5,1,3,0,0,0\n"),
                                diagnostics);
  REQUIRE(trace);
  CHECK(diagnostics.count(kBadRow) == 4);
  CHECK(diagnostics.count(kOperationTwice) == 1);
  CHECK_FALSE(read_table(dir.write("none.csv", kHeader), diagnostics));
  CHECK_FALSE(read_table(dir.write("other.csv", "a,b\n1,2\n"), diagnostics));
  CHECK(is_table(kHeader));
  CHECK_FALSE(is_table("a,b\n"));
}

TEST_CASE("damaged Parquet files are refused wherever they are cut") {
  CHECK_FALSE(read_parquet("PAR1", "x"));
  CHECK_FALSE(read_parquet("PAR1\xff\xff\xff\x7fPAR1", "x"));
  CHECK_FALSE(read_parquet(std::string("PAR1") + std::string(40, '\xff') + std::string("\x28\0\0\0PAR1", 8), "x"));
  CompactThrift endless(std::string_view("\x1c\x1c\x1c\x1c", 4));
  endless.read_struct([](std::int64_t, CompactThrift::Type) { return false; });
  CHECK_FALSE(endless.is_good());
  const std::string nested(100, '\x1c');
  CompactThrift deep(nested);
  deep.read_struct([](std::int64_t, CompactThrift::Type) { return false; });
  CHECK_FALSE(deep.is_good());
}
