// Tables of training operations: the same rows out of CSV and Parquet, ranks and steps of them.
#include "formats/training_operations/reader.h"

#include <doctest/doctest.h>

#include "formats/training_operations/compact_thrift.h"
#include "formats/training_operations/diagnostics.h"
#include "formats/training_operations/parquet.h"
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
  CHECK(diagnostics.empty());
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
  CHECK(second.lane[2] != first.lane[2]);  // messages have lanes of their own
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
  CompactThrift deep(std::string(100, '\x1c'));
  deep.read_struct([](std::int64_t, CompactThrift::Type) { return false; });
  CHECK_FALSE(deep.is_good());
}
