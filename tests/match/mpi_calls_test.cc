// Collectives, requests and messages of MPI jobs, on a recorded job and on small texts.
#include <doctest/doctest.h>

#include "formats/ampip/reader.h"
#include "match/exchange_finder.h"
#include "match/mpi/mpi_communicators.h"
#include "match/mpi/mpi_sources.h"
#include "support/temp_dir.h"

namespace orrery::match {
namespace {

const std::string kMpiData = std::string(ORRERY_SOURCE_DIR) + "/data/mpi/";

trace::Trace read_recorded(const std::string& job, const std::string& ending) {
  std::vector<std::string> paths;
  for (const char* rank : {"0", "1", "2", "3"}) paths.push_back(kMpiData + job + "/trace_" + rank + ending);
  Diagnostics diagnostics;
  Result<trace::Trace> trace = ampip::read_job(paths, diagnostics);
  REQUIRE(trace.ok());
  return std::move(*trace);
}

}  // namespace

TEST_CASE("functions of MPI are known by what they do") {
  CHECK(find_mpi_function("MPI_Irecv")->role == MpiRole::receive);
  CHECK_FALSE(find_mpi_function("MPI_Irecv")->is_blocking);
  CHECK(find_mpi_function("MPI_Ireduce_scatter_block")->collective == workload::Collective::reduce_scatter);
  CHECK_FALSE(find_mpi_function("MPI_Scan")->collective);
  CHECK(find_mpi_function("MPI_Waitall")->role == MpiRole::wait_all);
  CHECK(find_mpi_function("MPI_Comm_split")->role == MpiRole::agreement);
  for (const char* name : {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"})
    CHECK(find_mpi_function(name)->role == MpiRole::local);
  CHECK(find_mpi_function("MPI_Type_commit")->role == MpiRole::local);
  CHECK(find_mpi_function("MPI_Sendd") == nullptr);
}

TEST_CASE("communicators are called by their members") {
  CHECK(name_of_members({0, 1, 2, 3}, 4) == "world");
  CHECK(name_of_members({1, 0, 2, 3}, 4) == "1,0,2,3");
  CHECK(name_of_members({0, 1, 2}, 4) == "0-2");
  CHECK(name_of_members({1, 4, 7}, 9) == "1-7:3");
  CHECK(name_of_members({1, 4}, 9) == "1,4");
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 100; ++i) many.push_back(i * i);
  CHECK(name_of_members(many, 10000).starts_with("0,1,... (100 ranks, "));
  CHECK(parse_list(list_text({3, -1, 7})) == std::vector<std::int64_t>{3, -1, 7});
  CHECK(parse_list("[]").empty());
  CHECK(parse_list("3, 4").empty());
}

TEST_CASE("exchanges of a recorded job: every collective has all its members, every message its two sides") {
  const trace::Trace trace = read_recorded("colls4", "");
  const Exchanges exchanges = find_exchanges(trace);
  std::size_t messages = 0, of_two = 0, of_all = 0;
  for (const Exchange& exchange : exchanges.all) {
    if (exchange.ordering == Ordering::message) ++messages;
    else if (exchange.count == 2) ++of_two;
    else if (exchange.count == 4) ++of_all;
  }
  // Per iteration: eleven collectives of all (one of them not blocking) and one of each of two pairs; and one barrier
  // of each pair.
  CHECK(of_two == 10);
  CHECK(of_all == 4 * 11);
  CHECK(messages == 4 * (4 + 2 + 4));
  CHECK(exchanges.unmatched == 0);
  CHECK(exchanges.messages_unmatched == 0);
  CHECK(exchanges.peers_unknown == 0);
  for (const Participation& part : exchanges.parts) CHECK(part.end_ps > part.start_ps);
}

TEST_CASE("halo exchanges: the receives that one wait completes come from the neighbours of that round") {
  const trace::Trace trace = read_recorded("halo4", ".gz");
  const std::vector<MpiCalls> calls = find_mpi_calls(trace);
  CHECK(calls[0].receives == 120);
  CHECK(calls[0].receives_inferred == 120);
  CHECK(calls[0].receives_open == 0);
  std::map<std::int64_t, std::size_t> sources;
  for (trace::EventIndex e = 0; e < calls[3].functions.size(); ++e) {
    if (calls[3].functions[e]->role == MpiRole::receive) ++sources[calls[3].sources[e]];
  }
  CHECK(sources == std::map<std::int64_t, std::size_t>{{1, 60}, {2, 60}});
}

TEST_CASE("a call that took no time has its place among the messages of its channel") {
  const testing::TempDir folder;
  // A-mpiP says the time between calls; of these three the calls themselves have none.
  const std::string send = "TRACE 0 -> 1 1.0 MPI_Send p2p 8 to 1:1\n", receive = "TRACE 0 -> 1 1.0 MPI_Recv\n";
  Diagnostics diagnostics;
  const Result<trace::Trace> trace = ampip::read_job(
      {folder.write("t_0", send + send + send), folder.write("t_1", receive + receive + receive)}, diagnostics);
  REQUIRE(trace.ok());
  const Exchanges exchanges = find_exchanges(*trace);
  CHECK(exchanges.without_extent == 0);
  CHECK(exchanges.messages_unmatched == 0);
  REQUIRE(exchanges.all.size() == 3);
  for (const Exchange& exchange : exchanges.all) {
    // The first send belongs to the first receive, and so on: each rank has three calls, in order.
    CHECK(exchanges.parts[exchange.first].event == exchanges.parts[exchange.first + 1].event);
  }
}

TEST_CASE("a rank whose messages cannot all be told apart takes all of them as they come") {
  const testing::TempDir folder;
  const std::string to2 = " MPI_Send p2p 8 to 2:2\n";
  Diagnostics diagnostics;
  const Result<trace::Trace> trace =
      ampip::read_job({folder.write("t_0", "TRACE 0 -> 1 1.0" + to2), folder.write("t_1", "TRACE 0 -> 1 1.0" + to2),
                       folder.write("t_2", "TRACE 0 -> 1 1.0 MPI_Recv\nTRACE 1 -> 1 1.0 MPI_Recv\n")},
                      diagnostics);
  REQUIRE(trace.ok());
  const std::vector<MpiCalls> calls = find_mpi_calls(*trace);
  CHECK(calls[2].receives_open == 2);
  CHECK(calls[2].sends_to_it == 2);
  CHECK(calls[2].sources == std::vector<std::int64_t>{workload::kAnyPeer, workload::kAnyPeer});
}

}  // namespace orrery::match
