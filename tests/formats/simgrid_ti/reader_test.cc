#include "formats/simgrid_ti/reader.h"

#include <doctest/doctest.h>

#include "formats/simgrid_ti/actions.h"
#include "workload/matching.h"

namespace orrery::simgrid_ti {
namespace {

using workload::ActivityKind;
using workload::Collective;

std::string message(std::string_view text) {
  const Result<workload::Workload> job = parse_actions(text, "x", nullptr);
  return job ? std::string() : job.error().message;
}

}  // namespace

TEST_CASE("a trace that smpirun -trace-ti wrote: every action, and sides that fit") {
  Diagnostics diagnostics;
  const Result<workload::Workload> job =
      read_workload(std::string(ORRERY_SOURCE_DIR) + "/data/mpi/calls4_ti/job.txt", &diagnostics);
  REQUIRE(job.ok());
  CHECK(job->rank_count() == 4);
  CHECK(diagnostics.count(kScan) == 8);
  CHECK(diagnostics.sorted().size() == 1);
  const Result<workload::Matching> matching = workload::Matching::of(*job);
  CHECK(matching.ok());
  const workload::Program& program = job->program(1);
  CHECK(program.kinds[0] == ActivityKind::recv);
  CHECK(program.bytes[1] == 128);
  // alltoallv of 1, 2, 3, 4 integers.
  std::size_t exchange = 0;
  while (program.parts_of(exchange).empty()) ++exchange;
  CHECK(program.collectives[exchange] == Collective::all_to_all);
  CHECK(program.parts_of(exchange)[3] == 16);
  CHECK(program.bytes[exchange] == 40);
  // Of scatterv rank 1 has no counts of its own: those of the root.
  std::size_t scattered = 0;
  while (job->strings.text(program.names[scattered]) != "scatterv") ++scattered;
  CHECK(program.bytes[scattered] == 40);
  CHECK(program.parts_of(scattered)[0] == 4);
}

TEST_CASE("what a file is is told by its lines, not by its name") {
  CHECK(content_of("smpi.txt_files/0_rank-0.txt\nsmpi.txt_files/0_rank-1.txt\n", true) == Content::list);
  CHECK(content_of("# of two\nactions0.ti\nactions1.ti", true) == Content::list);
  CHECK(content_of("p/0\np/1\np/", false) == Content::list);  // cut in its third name
  CHECK(content_of("0 init\n0 send 1 0 8\n1 init\n1 recv 0 0 8\n", true) == Content::job);
  CHECK(content_of("0 compute 1e9\n1 compute 1e9\n", true) == Content::job);  // without init, as older versions write
  CHECK(content_of("0 compute 1e9\n0 sleep 1\n", true) == Content::job);
  CHECK(content_of("0 init\n0 send 1 0 8\n", true) == Content::one_rank);
  CHECK(content_of("3 compute 1\n3 barr", false) == Content::one_rank);
  for (const char* other : {"", "v1.2.3\n", "1.5\n2.5\n", "numpy==1.2\ntorch==2.1\n", "a1.txt\nb2.txt\n", "two words\n",
                            "0 apples\n1 pear\n"})
    CHECK(content_of(other, true) == Content::other);
}

TEST_CASE("what waits for what") {
  const Result<workload::Workload> job = parse_actions(
      "0 init\n0 isend 1 5 100\n0 compute 1e6\n0 wait 0 1 5\n0 allreduce 4 100 0\n0 sleep 0.5\n"
      "1 init\n1 irecv -333 -444 100\n1 compute 2e6\n1 waitall 1\n1 allreduce 4 100 0\n1 finalize\n",
      "x", nullptr);
  REQUIRE(job.ok());
  const workload::Program& program = job->program(0);
  REQUIRE(program.size() == 5);
  CHECK(program.dependencies.incoming(1).empty());  // the computing goes on beside the message
  CHECK(program.operations[1] == 1'000'000);
  CHECK(program.dependencies.incoming(2).size() == 2);  // the all-reduce waits for both
  CHECK(program.bytes[2] == 32);
  CHECK(program.operations[3] == 100);
  CHECK(program.duration_ps(4) == 500'000'000'000);
  CHECK(job->program(1).peers[0] == workload::kAnyPeer);
  CHECK(job->program(1).tags[0] == workload::kAnyTag);
}

TEST_CASE("bad actions are errors with their place, or counted") {
  CHECK(message("0 init\n0 send 1 5\n") == "rank 0, send: it needs a peer, a tag, a count and perhaps a datatype");
  CHECK(message("0 init\n0 send 7 5 1\n") == "rank 0, send: there is no rank 7");
  CHECK(message("0 init\n0 bcast 8 3\n") == "rank 0, bcast: its root is no rank");
  CHECK(message("0 init\n0 allreduce 8 0 99\n") == "rank 0, allreduce: its datatype is not known");
  CHECK(message("0 init\n0 alltoallv 8 1\n1 init\n") == "rank 0, alltoallv: it needs a count for each rank");
  CHECK(message("0 init\n2 init\n2 barrier\n") == "there are no actions of rank 1, but of rank 2");
  CHECK(message("0 init\n900000 init\n") == "it names rank 900000, but has 2 actions: ranks are missing");
  CHECK(message("zero init\n") == "this is no action of a TI trace");
  CHECK(message("") == "there is no action in this trace");
  Diagnostics diagnostics;
  REQUIRE(parse_actions("0 init\n0 levitate\n0 wait 0 0 1\n0 comm_dup\n", "x", &diagnostics).ok());
  CHECK(diagnostics.count(kUnknownAction) == 1);
  CHECK(diagnostics.count(kNothingToWaitFor) == 1);
  CHECK(diagnostics.count(kWithoutEffect) == 1);
}

}  // namespace orrery::simgrid_ti
