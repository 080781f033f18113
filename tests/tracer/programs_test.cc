// Programs as people write them, recorded: a halo exchange, a master with workers and threads, and programs that die.
#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "align/alignment.h"
#include "causal/program/mpi_program.h"
#include "formats/clock_sources/reader.h"
#include "formats/mpitrace/diagnostics.h"
#include "support/mpi_job_facts.h"
#include "tracer/recording.h"

using namespace orrery;
using namespace orrery::testing;

TEST_CASE("a halo exchange has its messages, and rows and columns are communicators of their own") {
  struct Case {
    int ranks, side;
    std::set<std::string> groups;
  };
  for (const Case& c : {Case{4, 2, {"world", "world#2", "0,1", "2,3", "0,2", "1,3"}},
                        Case{9, 3, {"world", "world#2", "0-2", "3-5", "6-8", "0-6:3", "1-7:3", "2-8:3"}}}) {
    CAPTURE(c.ranks);
    const Recording recording(c.ranks, "halo 10 64");
    INFO(recording.log());
    REQUIRE(recording.succeeded());
    Diagnostics diagnostics;
    const trace::Trace job = recording.read(diagnostics);
    CHECK(diagnostics.empty());
    const Channels channels = channels_of(job);
    CHECK(channels.sent == channels.received);
    // Ten steps, both ways over every edge of the grid; the edges of the domain have no neighbours.
    CHECK(channels.messages == 10u * 2 * 2 * static_cast<std::size_t>(c.side * (c.side - 1)));
    for (const auto& [channel, sizes] : channels.sent) {
      for (const std::int64_t bytes : sizes) CHECK(bytes == 64 * 8);
    }
    std::set<std::string> groups;
    for (const trace::RankTrace& rank : job.ranks) {
      for (const trace::ProcessGroup& group : rank.source.groups) groups.insert(group.name);
    }
    CHECK(groups == c.groups);
    // Ten of each row, twenty of each column, two of all.
    CHECK(check_collectives(job) == static_cast<std::size_t>(c.side) * 30 + 2);
    check_exchanges(job);
    check_requests(job);
    check_order(job);
  }
}

TEST_CASE("a master takes messages from anyone, and threads are lanes of their own") {
  for (const int ranks : {4, 9}) {
    CAPTURE(ranks);
    const Recording recording(ranks, "any_source 20");
    INFO(recording.log());
    REQUIRE(recording.succeeded());
    Diagnostics diagnostics;
    const trace::Trace job = recording.read(diagnostics);
    CHECK(diagnostics.empty());
    const Channels channels = channels_of(job);
    CHECK(channels.sent == channels.received);
    const auto workers = static_cast<std::size_t>(ranks - 1);
    const bool has_threads = job.ranks[0].lanes.size() > 1;  // an MPI without MPI_THREAD_MULTIPLE has none
    CHECK(channels.messages == workers * (20 + 20 + 1) + (has_threads ? 20u * static_cast<std::size_t>(ranks) : 0u));
    check_exchanges(job);
    check_requests(job);
    check_order(job);
  }
}

TEST_CASE("messages of two communicators do not meet, though ranks and tags are the same") {
  const Recording recording(2, "two_communicators");
  INFO(recording.log());
  REQUIRE(recording.succeeded());
  Diagnostics diagnostics;
  const trace::Trace job = recording.read(diagnostics);
  const std::vector<match::MpiCalls> calls = match::find_mpi_calls(job);
  const causal::MpiJobFacts facts(job, calls);
  std::vector<std::vector<std::int64_t>> tags(2);
  for (std::size_t r = 0; r < 2; ++r) {
    Interner strings;
    const auto rank = causal::link_mpi_rank(job, job.ranks[r], calls[r], facts, strings, {}, diagnostics);
    REQUIRE(rank.ok());
    const workload::Program& program = rank->program;
    for (std::size_t i = 0; i < program.size(); ++i)
      if (program.has(i, workload::activity::kHasTag)) tags[r].push_back(program.tags[i]);
  }
  REQUIRE(tags[0].size() == 2);
  CHECK(tags[0][0] == 5);
  CHECK(tags[0][1] != 5);
  CHECK(tags[1] == std::vector<std::int64_t>{tags[0][1], 5});
}

TEST_CASE("a program in Fortran is recorded like one in C") {
#ifndef ORRERY_HAS_FORTRAN
  MESSAGE("there is no Fortran compiler for MPI (gfortran): nothing is recorded");
#else
  const Recording recording(4, "fortran_ring");
  INFO(recording.log());
  REQUIRE(recording.succeeded());
  REQUIRE(recording.files().size() == 4);
  Diagnostics diagnostics;
  const trace::Trace job = recording.read(diagnostics);
  CHECK(diagnostics.empty());
  const Channels channels = channels_of(job);
  CHECK(channels.sent == channels.received);
  CHECK(channels.messages == 4u * 3);
  check_exchanges(job);
  check_requests(job);
  check_order(job);
  CHECK(check_collectives(job) >= 3);  // of the rows, and the barrier
  const trace::RankTrace& rank = job.ranks[0];
  std::vector<std::string> names;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    names.emplace_back(job.name(rank, e));
    if (names.back() != "MPI_Send") continue;
    CHECK(rank.field(trace::Field::bytes).find(e) == 64);
    // The place is the program's, not that of the function between it and MPI.
    const auto site = rank.field(trace::Field::callsite_text).find(e);
    REQUIRE(site.has_value());
    CHECK(job.strings.text(static_cast<StringId>(*site)).find("MPI_Send fortran_ring+") == 0);
  }
  CHECK(names == std::vector<std::string>{"MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Irecv", "MPI_Send",
                                          "MPI_Waitany", "MPI_Comm_split", "MPI_Allreduce", "MPI_Sendrecv",
                                          "MPI_Comm_free", "MPI_Barrier", "MPI_Finalize"});
#endif
}

TEST_CASE("what a program recorded before it died is there") {
  // Its call of MPI_Init and 3000 barriers, of the last of which the other rank may not have come back: the buffer
  // holds ten times as much.
  for (const char* way : {"exit", "abort", "kill", "terminate", "crash", "deadlock"}) {
    CAPTURE(way);
    const Recording recording(2, std::string("dies ") + way);
    CHECK_FALSE(recording.succeeded());
    REQUIRE(recording.files().size() == 2);
    Diagnostics diagnostics;
    const trace::Trace job = recording.read(diagnostics);
    CHECK(diagnostics.count(mpitrace::kNotFinished) == 2);
    for (const trace::RankTrace& rank : job.ranks) CHECK(rank.event_count() >= 3000);
    check_order(job);
  }
}

TEST_CASE("a recording replaces links, and leaves alone what they point to") {
  const TempDir folder;
  const std::string kept = folder.write("kept", "precious");
  const Recording recording(1, "halo 2 64", {},
                            [&](const std::string& file) { std::filesystem::create_symlink(kept, file); });
  REQUIRE(recording.succeeded());
  CHECK(read_file(kept) == "precious");
  CHECK_FALSE(std::filesystem::is_symlink(recording.file(0)));
  Diagnostics diagnostics;
  CHECK(recording.read(diagnostics).ranks.front().event_count() > 2);
  CHECK(diagnostics.empty());
}

TEST_CASE("clocks that each rank counts as its own are measured, and align takes the measurements") {
  const Recording recording(4, "halo 10 64", "ORRERY_MPI_NODES=rank ORRERY_MPI_PROBE_ROUNDS=20");
  REQUIRE(recording.succeeded());
  Diagnostics diagnostics;
  const trace::Trace job = recording.read(diagnostics);
  std::set<std::string> hosts;
  for (const trace::RankTrace& rank : job.ranks) hosts.insert(rank.source.host);
  CHECK(hosts.size() == 4);
  trace::ClockSources sources;
  REQUIRE(clock_sources::read(recording.probes(), clock_sources::Kind::probes, sources, diagnostics).ok());
  CHECK(sources.probes.size() == 2 * 20 * 3);
  // It is one clock in truth: what went and came back passed its four moments in order, and no estimate is further off
  // than the slowest took.
  std::int64_t slowest_ns = 0;
  for (const trace::RawProbe& probe : sources.probes) {
    CHECK(probe.from == 0);
    CHECK(probe.t1_ns <= probe.t2_ns);
    CHECK(probe.t2_ns <= probe.t3_ns);
    CHECK(probe.t3_ns <= probe.t4_ns);
    slowest_ns = std::max(slowest_ns, probe.t4_ns - probe.t1_ns);
  }
  const Result<align::Alignment> alignment = align::align(job, sources, {}, diagnostics);
  REQUIRE(alignment.ok());
  CHECK(alignment->calibrated);
  for (const align::NodeAlignment& node : alignment->nodes) {
    CAPTURE(node.rank);
    for (const TimePs moment : {node.first_observed_ps, node.last_observed_ps})
      CHECK(std::abs(node.host.map(moment) - moment) <= slowest_ns * kPsPerNs);
  }
}
