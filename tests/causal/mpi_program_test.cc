#include "causal/program/mpi_program.h"

#include <doctest/doctest.h>

#include "causal/diagnostics.h"
#include "formats/ampip/reader.h"
#include "support/temp_dir.h"

namespace orrery::causal {
namespace {

using workload::ActivityKind;
using workload::Collective;

struct LinkedMpiJob {
  trace::Trace trace;
  std::vector<LinkedRank> ranks;
  std::vector<Interner> strings;
  Diagnostics diagnostics;
};

LinkedMpiJob link_mpi_job(const std::vector<std::string>& paths, const LinkOptions& options = {}) {
  LinkedMpiJob job;
  Result<trace::Trace> trace = ampip::read_job(paths, job.diagnostics);
  REQUIRE(trace.ok());
  job.trace = std::move(*trace);
  const std::vector<match::MpiCalls> calls = match::find_mpi_calls(job.trace);
  const MpiJobFacts facts(job.trace, calls);
  job.strings.resize(job.trace.ranks.size());
  for (std::size_t r = 0; r < job.trace.ranks.size(); ++r) {
    Result<LinkedRank> rank =
        link_mpi_rank(job.trace, job.trace.ranks[r], calls[r], facts, job.strings[r], options, job.diagnostics);
    REQUIRE(rank.ok());
    job.ranks.push_back(std::move(*rank));
  }
  return job;
}

std::vector<std::string> recorded_mpi_job(const std::string& job, const std::string& ending = "") {
  std::vector<std::string> paths;
  for (const char* rank : {"0", "1", "2", "3"})
    paths.push_back(std::string(ORRERY_SOURCE_DIR) + "/data/mpi/" + job + "/trace_" + rank + ending);
  return paths;
}

}  // namespace

TEST_CASE("a program of an MPI rank replays to the recorded time") {
  for (const auto& [job, ending] : {std::pair("colls4", ""), std::pair("halo4", ".gz"), std::pair("colls4_2023", "")}) {
    const LinkedMpiJob linked = link_mpi_job(recorded_mpi_job(job, ending));
    for (const LinkedRank& rank : linked.ranks) CHECK(rank.replayed_ps == rank.measured_ps);
  }
}

TEST_CASE("and in whole microseconds too") {
  LinkOptions options;
  options.whole_microseconds = true;
  const LinkedMpiJob linked = link_mpi_job(recorded_mpi_job("colls4"), options);
  for (const LinkedRank& rank : linked.ranks) {
    CHECK(rank.replayed_ps == rank.measured_ps);
    for (std::size_t i = 0; i < rank.program.size(); ++i) CHECK(rank.program.duration_ps(i) % kPsPerUs == 0);
  }
}

TEST_CASE("sizes of collectives are those of workloads") {
  const LinkedMpiJob linked = link_mpi_job(recorded_mpi_job("colls4"));
  const workload::Program& program = linked.ranks[1].program;
  const auto find = [&](std::string_view name) {
    std::size_t i = 0;
    while (linked.strings[1].text(program.names[i]) != name) ++i;
    return i;
  };
  CHECK(program.bytes[find("MPI_Alltoall")] == 4 * 64);  // 64 for each of four
  const std::size_t exchange = find("MPI_Alltoallv");
  CHECK(program.bytes[exchange] == 8 * (2 + 3 + 4 + 5));  // elements of unknown size: eight bytes
  CHECK(program.parts_of(exchange)[3] == 40);
  CHECK(linked.diagnostics.count(kMpiElementAssumed) == 32);
  CHECK(program.bytes[find("MPI_Scatter")] == 4 * 64);
  CHECK(program.bytes[find("MPI_Allgatherv")] == 16);
  const std::size_t reduced = find("MPI_Allreduce");
  CHECK(program.collectives[reduced] == Collective::all_reduce);
  CHECK(linked.strings[1].text(program.group_names[reduced]) == "1,3");
  CHECK(program.group_names[find("MPI_Bcast")] == 0);  // the world
  CHECK(program.peers[find("MPI_Isend")] == 2);
}

TEST_CASE("a program goes on beside a message until it waits for it") {
  const orrery::testing::TempDir folder;
  const LinkedMpiJob linked = link_mpi_job(
      {folder.write(
           "t_0",
           "TRACE 0 -> 1 1.0 MPI_Isend p2p 8 to 1:1\nTRACE 1 -> 2 5.0 MPI_Comm_rank\nTRACE 2 -> 3 7.0 MPI_Wait\n"),
       folder.write("t_1", "TRACE 0 -> 1 1.0 MPI_Recv\nTRACE 1 -> 2 2.0 MPI_Comm_rank\n")});
  const workload::Program& program = linked.ranks[0].program;
  REQUIRE(program.size() == 3);  // the send, and computing before each of the other calls
  CHECK(program.kinds[0] == ActivityKind::send);
  CHECK(program.duration_ps(0) == 12 * kPsPerUs);  // until the wait
  CHECK(program.dependencies.incoming(1).empty());
  CHECK(program.kinds[1] == ActivityKind::compute);
  CHECK(program.duration_ps(1) == 5 * kPsPerUs);
  const workload::Program& other = linked.ranks[1].program;
  CHECK(other.kinds[0] == ActivityKind::recv);
  CHECK(other.peers[0] == 0);
  CHECK(linked.diagnostics.count(kMpiSourceInferred) == 1);
  CHECK(linked.diagnostics.count(kMpiCompletionAssumed) == 1);
}

TEST_CASE("a request that nobody completes, and a root that was not recorded, are counted") {
  const orrery::testing::TempDir folder;
  const LinkedMpiJob linked =
      link_mpi_job({folder.write("t_0",
                                 "TRACE 0 -> 1 1.0 MPI_Isend p2p 8 to 0:0\nTRACE 1 -> 2 5.0 MPI_Bcast coll 0x1 8 to "
                                 "0\nTRACE 2 -> 3 1.0 MPI_Comm_dup\n")});
  CHECK(linked.diagnostics.count(kMpiNeverCompleted) == 1);
  CHECK(linked.diagnostics.count(kMpiRootUnknown) == 1);
  CHECK(linked.diagnostics.count(kMpiUnknownPartners) == 1);
}

}  // namespace orrery::causal
