#include "formats/ampip/reader.h"

#include <doctest/doctest.h>

#include "formats/ampip/diagnostics.h"
#include "support/temp_dir.h"

namespace orrery::ampip {
namespace {

using trace::Field;

const std::string kData = std::string(ORRERY_SOURCE_DIR) + "/data/mpi/";

std::vector<std::string> files_of(const std::string& job, const std::string& ending = "") {
  std::vector<std::string> paths;
  for (const char* rank : {"3", "1", "0", "2"})
    paths.push_back(kData + job + "/trace_" + rank + ending);  // in any order
  return paths;
}

std::string_view text_of(const trace::Trace& job, const trace::RankTrace& rank, Field field, trace::EventIndex e) {
  const auto id = rank.field(field).find(e);
  return id ? job.strings.text(static_cast<StringId>(*id)) : std::string_view();
}

trace::EventIndex find_call(const trace::Trace& job, const trace::RankTrace& rank, std::string_view name,
                            std::size_t nth = 0) {
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (job.name(rank, e) == name && nth-- == 0) return e;
  }
  FAIL("no such call");
  return 0;
}

}  // namespace

TEST_CASE("a job of every kind of call, with its report") {
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job(files_of("colls4"), diagnostics);
  REQUIRE(job.ok());
  REQUIRE(job->ranks.size() == 4);
  CHECK(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.count(kEstimatedTimes) == 340);
  const trace::RankTrace& rank = job->ranks[1];
  CHECK(rank.rank == 1);
  CHECK(rank.source.world_size == 4);
  REQUIRE(rank.event_count() == 85);
  CHECK(rank.activity(0) == trace::Activity::mpi_call);
  // MPI's time is the report's, to its three digits; the rest of the deltas is computing.
  TimePs inside = 0;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    inside += rank.duration[e];
    if (e > 0) CHECK(rank.start[e] >= rank.end(e - 1));
    CHECK((rank.flags[e] & trace::kDurationEstimated) != 0);
  }
  CHECK(inside / kPsPerUs / 100 == 874);  // 0.0875 s there, rounded
  // A sub-communicator of the odd ranks, and one of all.
  const trace::EventIndex reduced = find_call(*job, rank, "MPI_Allreduce");
  CHECK(text_of(*job, rank, Field::group_name_text, reduced) == "1,3");
  CHECK(text_of(*job, rank, Field::group_ranks_text, reduced) == "[1, 3]");
  CHECK(text_of(*job, rank, Field::collective_text, reduced) == "all_reduce");
  CHECK(rank.field(Field::collective_sequence).find(find_call(*job, rank, "MPI_Bcast")) == 1);
  CHECK(text_of(*job, rank, Field::group_name_text, find_call(*job, rank, "MPI_Bcast")) == "world");
  const trace::EventIndex exchanged = find_call(*job, rank, "MPI_Alltoallv");
  CHECK(text_of(*job, rank, Field::send_counts_text, exchanged) == "[2, 3, 4, 5]");
  CHECK_FALSE(rank.field(Field::element_bytes).find(exchanged));
  CHECK(rank.field(Field::element_bytes).find(find_call(*job, rank, "MPI_Allgatherv")) == 8);
  CHECK(rank.field(Field::destination_rank).find(find_call(*job, rank, "MPI_Isend")) == 2);
  // The same place has the same text on ranks that number it differently: rank 0 sends where rank 1 receives.
  CHECK(text_of(*job, rank, Field::callsite_text, find_call(*job, rank, "MPI_Recv")) == "MPI_Recv colls.cc:11 main");
  CHECK(text_of(*job, rank, Field::callsite_text, find_call(*job, rank, "MPI_Comm_free", 1)) ==
        "MPI_Comm_free colls.cc:13 main #2");
  CHECK_FALSE(rank.field(Field::recorded_delta).find(0));
  CHECK(job->ranks[0].field(Field::recorded_delta).find(1) == 21'445'400'000);
}

TEST_CASE("compressed traces, and messages to neighbours") {
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job(files_of("halo4", ".gz"), diagnostics);
  REQUIRE(job.ok());
  const trace::RankTrace& rank = job->ranks[0];
  CHECK(rank.event_count() == 371);
  CHECK(rank.field(Field::destination_rank).value.size() == 120);
  // MPI_Cart_create made another communicator of all ranks, but nobody used the first one.
  REQUIRE(rank.source.groups.size() == 1);
  CHECK(rank.source.groups[0].name == "world");
}

TEST_CASE("the spelling of 2023 has no collectives, and says so") {
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job(files_of("colls4_2023"), diagnostics);
  REQUIRE(job.ok());
  CHECK(job->ranks[2].event_count() == 20);
  CHECK(diagnostics.count(kWithoutCollectives) == 4);
  CHECK(diagnostics.count(kFewerCalls) == 0);
}

TEST_CASE("without a report calls are moments at the end of their deltas") {
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job(files_of("colls4"), diagnostics, {.report = ""});
  REQUIRE(job.ok());
  CHECK(diagnostics.count(kNoReport) == 4);
  const trace::RankTrace& rank = job->ranks[0];
  CHECK(rank.duration[1] == 0);
  CHECK(rank.start[0] == 0);
  CHECK(rank.start[1] == 21'445'400'000);
  CHECK(rank.field(Field::callsite_text).event.empty());
}

TEST_CASE("communicators of one list are told apart by the handles of all members") {
  const testing::TempDir folder;
  // Rank 0 gets the same address for the second duplicate, rank 1 does not: another communicator all the same.
  const std::string a =
      folder.write("t_0",
                   "TRACE 0 -> 1 1.0 MPI_Barrier coll 0xa 0 to 0 1\nTRACE 1 -> 2 1.0 MPI_Barrier coll 0xb 0 to 0 1\n"
                   "TRACE 2 -> 3 1.0 MPI_Barrier coll 0xb 0 to 0 1\nTRACE 3 -> 1 1.0 MPI_Barrier coll 0xa 0 to 0 1\n");
  const std::string b =
      folder.write("t_1",
                   "TRACE 0 -> 1 1.0 MPI_Barrier coll 0x1 0 to 0 1\nTRACE 1 -> 2 1.0 MPI_Barrier coll 0x2 0 to 0 1\n"
                   "TRACE 2 -> 3 1.0 MPI_Barrier coll 0x3 0 to 0 1\nTRACE 3 -> 1 1.0 MPI_Barrier coll 0x1 0 to 0 1\n");
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job({a, b}, diagnostics);
  REQUIRE(job.ok());
  for (const trace::RankTrace& rank : job->ranks) {
    CHECK(text_of(*job, rank, Field::group_name_text, 0) == "world");
    CHECK(text_of(*job, rank, Field::group_name_text, 1) == "world#2");
    CHECK(text_of(*job, rank, Field::group_name_text, 2) == "world#3");
    CHECK(text_of(*job, rank, Field::group_name_text, 3) == "world");
    CHECK(rank.field(Field::collective_sequence).find(3) == 1);
  }
}

TEST_CASE("bad input is told with its place, or counted") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  const auto message = [&](const std::string& text) {
    const Result<trace::Trace> job = read_job({folder.write("t_0", text)}, diagnostics);
    return job ? std::string() : job.error().message;
  };
  CHECK(message("TRACE 0 -> 1 1.0 MPI_Send p2p 8 to 1:1\nTRACE 1 -> 2 1.0 MPI_Al") == "the trace ends inside a record");
  CHECK(message("TRACE 0 -> 1 1.0 MPI_Send p2p 8 to 1:1\nTRACE one two\n") == "this is no record of an A-mpiP trace");
  CHECK(message("TRACE 0 -> 1 1.0 MPI_Wait\nTRACE 1 -> 2 9999999999999999.0 MPI_Wait\n") ==
        "this record is more than 26 days after the one before");
  CHECK(message("callsite,op,dur_us,bytes\n") == "these are not the columns of an A-mpiP trace");
  CHECK(diagnostics.count(kUnknownFunction) == 0);
  CHECK(message("hello from rank 0\nTRACE 0 -> 1 1.0 MPI_Teleport\nTRACE 5 -> 2 -1.0 MPI_Wait\n") == "");
  CHECK(diagnostics.count(kForeignLine) == 1);
  CHECK(diagnostics.count(kUnknownFunction) == 1);
  CHECK(diagnostics.count(kBrokenChain) == 1);
  CHECK(diagnostics.count(kNegativeDelta) == 1);
  // The file of rank 0 says that there are three ranks.
  CHECK(message("TRACE 0 -> 1 1.0 MPI_Barrier coll 0x1 0 to 0 1 2\n") == "");
  CHECK(diagnostics.count(kRanksMissing) == 2);
  CHECK(message("TRACE 0 -> 1 1.0 MPI_Barrier coll 0x1 0 to 1 2\n") == "");
  CHECK(diagnostics.count(kNotAMember) == 1);
}

TEST_CASE("a damaged trace can be read up to the damage") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  const std::string path = folder.write("t_0", "TRACE 0 -> 1 1.0 MPI_Wait\nTRACE 1 -> 2 1.0 MPI_Al");
  const Result<trace::Trace> job = read_job({path}, diagnostics, {.salvage = true});
  REQUIRE(job.ok());
  CHECK(job->ranks[0].event_count() == 1);
  CHECK(diagnostics.count(kSalvaged) == 1);
}

TEST_CASE("two files of one rank, and a file without a number among others") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  const std::string record = "TRACE 0 -> 1 1.0 MPI_Wait\n";
  const std::string a = folder.write("t_0", record), b = folder.write("u_0", record), c = folder.write("trace", record);
  CHECK_FALSE(read_job({a, b}, diagnostics).ok());
  CHECK_FALSE(read_job({a, c}, diagnostics).ok());
  CHECK(rank_in_name("trace_12.gz") == 12);
  CHECK(rank_in_name("run.2_7") == 7);
  CHECK(rank_in_name("trace_3.txt") == 3);
  CHECK_FALSE(rank_in_name("trace"));
}

}  // namespace orrery::ampip
