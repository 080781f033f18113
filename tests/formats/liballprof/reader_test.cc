#include "formats/liballprof/reader.h"

#include <doctest/doctest.h>

#include "formats/liballprof/call_line.h"
#include "formats/liballprof/diagnostics.h"
#include "match/mpi/mpi_sources.h"
#include "support/temp_dir.h"

namespace orrery::liballprof {
namespace {

using trace::Field;

// As liballprof writes: a rank sends to the other beside the receive from it, waits for both in one array of requests,
// and reduces.
std::string rank_text(int rank) {
  const std::string me = std::to_string(rank), other = std::to_string(1 - rank);
  return "# htor's pmpitracer\n# Init clockdiff: "
         "1.500000\nMPI_Init:-:140737488340112:140737488340104:1237666053000000.000000\n"
         "MPI_Irecv:1237666053000100.000000:14744192:100:13,8,8:" +
         other + ":76:0," + me +
         ",2:7104000:1237666053000105.000000\n"
         "MPI_Isend:1237666053000110.000000:14781072:100:13,8,8:" +
         other + ":76:0," + me +
         ",2:7104008:1237666053000112.000000\n"
         "MPI_Waitall:1237666053000120.000000:2:7104000:5839040:1237666053000200.000000\n"
         "MPI_Allreduce:1237666053000300.000000:1:2:4:11,8,8:0:0," +
         me +
         ",2:1237666053000350.000000\n"
         "MPI_Alltoallv:1237666053000400:1:2:3,5:4:0,3:11,4,4:5:6:7,8:9:0,7:11,4,4:0," +
         me + ",2:1237666053000450\nMPI_Finalize:1237666053000500:1237666053000510\n";
}

}  // namespace

TEST_CASE("arguments follow the prototype") {
  CallLine call;
  REQUIRE(
      parse_call_line(
          "MPI_Recv:1237666053021692.000000:11287888:4500:11,8,8:2:24000:0,0,4:140737488340112:1237666053022005.000000",
          call) == nullptr);
  CHECK(call.arguments_fit);
  CHECK(call.count == 4500);
  CHECK(call.type_bytes == 8);
  CHECK(call.source == 2);
  CHECK(call.tag == 24000);
  CHECK(call.communicator->size == 4);
  CHECK(*call.end_us - *call.start_us == 313);
  REQUIRE(parse_call_line(
              "MPI_Sendrecv:1237844041868441:140735182514476:1:1,4,4:2:0:140735182514472:1:1,4,4:3:5:7152208,0,4:"
              "140735182514432:1237844041868457",
              call) == nullptr);
  CHECK(call.destination == 2);
  CHECK(call.source == 3);
  CHECK(call.receive_tag == 5);
  // Other arguments than the function has: only the times are certain.
  REQUIRE(parse_call_line("MPI_Send:1:2:3:4", call) == nullptr);
  CHECK_FALSE(call.arguments_fit);
  CHECK(parse_call_line("MPI_Send:soon:4", call) != nullptr);
  CHECK(parse_call_line("MPI_Send:3", call) != nullptr);
}

TEST_CASE("a complete trace has no clock at its begin and its end") {
  const testing::TempDir folder;
  const std::string barrier = "MPI_Barrier:100:0,0,1:130\n";
  Diagnostics diagnostics;
  for (const std::string& text :
       {"MPI_Init:-:1:2:90\n" + barrier + "MPI_Finalize:150:-\n",
        // liballprof2, of which the first calls have no clock at all
        "MPI_Initialized:0.00:0:0.00\nMPI_Init:0.00:1:0x2:0.00  # backtrace [0x1: (main+0x2)]\n" + barrier +
            "MPI_Finalize:150.25:150.50  # backtrace [0x1: (main+0x8)]\nMPI_Finalized:0.00:1:0.00",
        "MPI_Init:-:1:2:90\n" + barrier + "MPI_Finalize:150:-"}) {
    CAPTURE(text);
    const auto job =
        read_job({folder.write("pmpi-trace-rank-0.txt", text)}, diagnostics, {.salvage = text.ends_with("0.00")});
    REQUIRE(job.ok());
    const trace::RankTrace& rank = job->ranks.front();
    const std::size_t barrier_at = rank.event_count() == 3 ? 1 : 2;
    REQUIRE(rank.event_count() == barrier_at + 2);
    CHECK(rank.start[barrier_at] - rank.start[0] == (barrier_at == 1 ? 10 : 0) * kPsPerUs);
    CHECK(rank.duration[barrier_at] == 30 * kPsPerUs);
    CHECK(rank.start[barrier_at + 1] == rank.start[barrier_at] + 50 * kPsPerUs);
    CHECK(rank.duration[barrier_at + 1] == 0);
  }
  // A call that ends nowhere in the middle of a file is damage.
  CHECK_FALSE(
      read_job({folder.write("pmpi-trace-rank-0.txt", "MPI_Init:-:1:2:90\nMPI_Barrier:100:0,0,1:13")}, diagnostics)
          .ok());
}

TEST_CASE("two ranks with messages, requests and collectives") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job(
      {folder.write("pmpi-trace-rank-1.txt", rank_text(1)), folder.write("pmpi-trace-rank-0.txt", rank_text(0))},
      diagnostics);
  REQUIRE(job.ok());
  CHECK(diagnostics.empty());
  REQUIRE(job->ranks.size() == 2);
  const trace::RankTrace& rank = job->ranks[1];
  CHECK(rank.rank == 1);
  REQUIRE(rank.event_count() == 7);
  CHECK(rank.start[1] == 100 * kPsPerUs);
  CHECK(rank.duration[3] == 80 * kPsPerUs);
  CHECK(job->epoch_unix_ns == 1237666053000000000);
  CHECK(rank.field(Field::source_rank).find(1) == 0);
  CHECK(rank.field(Field::destination_rank).find(2) == 0);
  CHECK(rank.field(Field::bytes).find(2) == 800);
  CHECK(rank.field(Field::bytes).find(5) == 32);
  CHECK(rank.field(Field::element_bytes).find(5) == 4);
  const std::vector<match::MpiCalls> calls = match::find_mpi_calls(*job);
  CHECK(calls[1].requests.completed_by[1] == 3);
  CHECK(calls[1].requests.completed_by[2] == 3);
  CHECK(calls[1].requests.assumed == 0);
  CHECK(rank.source.groups.size() == 1);
}

TEST_CASE("members of a sub-communicator that ranks know by different handles are not guessed") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string place = std::to_string(rank / 2);
    paths.push_back(folder.write("t-" + std::to_string(rank) + ".txt",
                                 "MPI_Barrier:1:9," + std::to_string(rank) +
                                     ",4:2\nMPI_Barrier:3:" + std::to_string(rank) + "," + place + ",2:4\n"));
  }
  const Result<trace::Trace> job = read_job(paths, diagnostics);
  REQUIRE(job.ok());
  CHECK(diagnostics.count(kUnknownMembers) == 4);
  CHECK(job->ranks[0].field(Field::group_name_text).event.size() == 1);
}

TEST_CASE("bad input of liballprof") {
  const testing::TempDir folder;
  Diagnostics diagnostics;
  const auto message = [&](const std::string& text) {
    const Result<trace::Trace> job = read_job({folder.write("t-0.txt", text)}, diagnostics);
    return job ? std::string() : job.error().message;
  };
  CHECK(message("MPI_Barrier:1:0,0,1:2\nMPI_Bar") == "the trace ends inside a call");
  CHECK(message("MPI_Barrier:1:0,0,1:2\nwhat\n") == "this is no line of a liballprof trace");
  CHECK(message("# nothing\n") == "there is no call in this trace");
  CHECK(message("MPI_Barrier:1:0,0,1:2\nMPI_Barrier:99999999999999999:0,0,1:99999999999999999\n") ==
        "this call is more than 26 days after the first");
  CHECK(message("MPI_Barrier:5:0,0,1:2\nMPI_Beam:3:4\nMPI_Send:1:2:3\n") == "");
  CHECK(diagnostics.count(kEndsBeforeStart) == 1);
  CHECK(diagnostics.count(kUnknownFunction) == 1);
  CHECK(diagnostics.count(kOddArguments) == 1);
}

}  // namespace orrery::liballprof
