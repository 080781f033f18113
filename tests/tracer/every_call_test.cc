// A program that makes every call, recorded: all of them are there, with all that belongs to them.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "support/mpi_job_facts.h"
#include "tracer/functions.h"
#include "tracer/recording.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

void check_counts_agree(const trace::Trace& job) {
  std::map<std::int64_t, std::vector<std::int64_t>> sent, received;
  for (const trace::RankTrace& rank : job.ranks) {
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (job.name(rank, e) != "MPI_Alltoallv") continue;
      CHECK(rank.field(Field::element_bytes).find(e) == 4);
      sent[rank.rank] = match::parse_list(text_of(job, rank, Field::send_counts_text, e));
      received[rank.rank] = match::parse_list(text_of(job, rank, Field::receive_counts_text, e));
    }
  }
  REQUIRE(sent.size() == job.ranks.size());
  for (const auto& [from, counts] : sent) {
    REQUIRE(counts.size() == job.ranks.size());
    for (const auto& [to, got] : received) {
      CHECK(counts[static_cast<std::size_t>(to)] == from + to + 1);
      CHECK(got[static_cast<std::size_t>(from)] == counts[static_cast<std::size_t>(to)]);
    }
  }
}

void check_every_function_is_there(const trace::Trace& job) {
  std::set<std::string> seen;
  for (const trace::RankTrace& rank : job.ranks) {
    for (EventIndex e = 0; e < rank.event_count(); ++e) seen.insert(std::string(job.name(rank, e)));
  }
  for (const char* name : tracer::kFunctionNames) {
    const std::string function = name;
    CAPTURE(function);
    CHECK(match::find_mpi_function(function) != nullptr);
    // The one is called where the other is not, the other would end the program.
    const bool is_expected = function != "MPI_Init_thread" && function != "MPI_Abort";
    CHECK(seen.contains(function) == is_expected);
  }
}

void check_job(const trace::Trace& job) {
  check_every_function_is_there(job);
  const Channels channels = channels_of(job);
  CHECK(channels.sent == channels.received);
  // Per rank: 7 blocking, 4 after probing, 7 x 4 completed in different ways, 3 x 4 persistent; and 2 between the
  // halves.
  CHECK(channels.messages == job.ranks.size() * (7 + 4 + 28 + 12) + 2);
  CHECK(check_collectives(job) > 60);
  check_exchanges(job);
  check_requests(job);
  check_order(job);
  check_counts_agree(job);
}

}  // namespace

TEST_CASE("every call of a program is recorded, and messages and collectives are complete") {
  for (const int ranks : {4, 9}) {
    CAPTURE(ranks);
    const Recording recording(ranks, "every_call");
    INFO(recording.log());
    REQUIRE(recording.succeeded());
    CHECK(recording.log().empty());
    Diagnostics diagnostics;
    const trace::Trace job = recording.read(diagnostics);
    REQUIRE(job.ranks.size() == static_cast<std::size_t>(ranks));
    // Nothing was cut, unknown, or without a beginning.
    for (const Diagnostic& remark : diagnostics.sorted()) FAIL_CHECK(remark.kind->code << ": " << remark.example);
    check_job(job);
    CHECK(job.ranks[0].source.world_size == ranks);
    CHECK(job.ranks[0].source.host == job.ranks[1].source.host);
    CHECK_FALSE(std::filesystem::exists(recording.probes()));  // one node has one clock
  }
}

TEST_CASE("a callsite is the same text on all ranks, whatever their addresses are") {
  const Recording recording(4, "every_call", "ORRERY_MPI_DEPTH=2");
  Diagnostics diagnostics;
  const trace::Trace job = recording.read(diagnostics);
  std::vector<std::vector<std::string>> sites;
  for (const trace::RankTrace& rank : job.ranks) {
    auto& own = sites.emplace_back();
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      // Who polls how often is left to chance; who is in a part of a communicator is not the same for all.
      const std::string group = text_of(job, rank, Field::group_name_text, e);
      if (group == "world" && rank.field(Field::collective_sequence).find(e))
        own.push_back(text_of(job, rank, Field::callsite_text, e));
    }
  }
  CHECK(sites[0].size() > 40);
  for (const auto& other : sites) CHECK(other == sites[0]);
  CHECK(sites[0].front().find("every_call+0x") != std::string::npos);
  CHECK(std::set<std::string>(sites[0].begin(), sites[0].end()).size() > 30);
}

TEST_CASE("receives from anyone know who sent, and MPI_Pcontrol turns the recording off and on") {
  const Recording recording(4, "every_call");
  Diagnostics diagnostics;
  const trace::Trace job = recording.read(diagnostics);
  for (const trace::RankTrace& rank : job.ranks) {
    std::size_t any = 0;
    for (const trace::NamedArgument& argument : rank.arguments.named()) {
      if (argument.name != "asked_source") continue;
      any = argument.values.event.size();
      for (const EventIndex e : argument.values.event)
        CHECK(rank.field(Field::source_rank).find(e) == (rank.rank + 3) % 4);
    }
    CHECK(any >= 4);
    // Between the two calls of MPI_Pcontrol there is a broadcast, which is not recorded.
    for (EventIndex e = 0; e + 1 < rank.event_count(); ++e) {
      if (job.name(rank, e) == "MPI_Pcontrol") CHECK(job.name(rank, e + 1) != "MPI_Bcast");
    }
    CHECK(count_calls(job, rank, "MPI_Pcontrol") == 2);
    CHECK(job.name(rank, 0) == "MPI_Init");
    CHECK(job.name(rank, static_cast<EventIndex>(rank.event_count() - 1)) == "MPI_Finalize");
  }
}
