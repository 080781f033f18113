#include "formats/mpitrace/reader.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "formats/mpitrace/diagnostics.h"
#include "formats/mpitrace/file_builder.h"
#include "support/mpi_job_facts.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;
using namespace orrery::tracer;

namespace {

std::string shipped(int rank) {
  return std::string(ORRERY_SOURCE_DIR) + "/data/mpi/halo9/run." + std::to_string(rank) + ".mpitrace";
}

std::vector<std::string> all_shipped() {
  std::vector<std::string> paths;
  for (int rank = 0; rank < 9; ++rank) paths.push_back(shipped(rank));
  return paths;
}

struct Parsed {
  Interner strings;
  Diagnostics diagnostics;
  trace::RankTrace rank;
  [[nodiscard]] std::string name(EventIndex e) const { return std::string(strings.text(rank.name[e])); }
  [[nodiscard]] std::string text(Field field, EventIndex e) const {
    const auto id = rank.field(field).find(e);
    return id ? std::string(strings.text(static_cast<StringId>(*id))) : "";
  }
  [[nodiscard]] std::optional<std::int64_t> named(std::string_view name, EventIndex e) const {
    for (const trace::NamedArgument& argument : rank.arguments.named()) {
      if (argument.name == name) return argument.values.find(e);
    }
    return std::nullopt;
  }
};

Parsed parse(const std::string& bytes) {
  Parsed parsed;
  Result<trace::RankTrace> rank = mpitrace::parse_rank(bytes, "made", parsed.strings, parsed.diagnostics, {});
  INFO((rank ? std::string() : rank.error().to_string()));
  REQUIRE(rank.ok());
  parsed.rank = std::move(*rank);
  return parsed;
}

}  // namespace

TEST_CASE("the shipped recording has all its messages and collectives") {
  Diagnostics diagnostics;
  const Result<trace::Trace> job = mpitrace::read_job(all_shipped(), diagnostics, {});
  REQUIRE(job.ok());
  CHECK(diagnostics.empty());
  REQUIRE(job->ranks.size() == 9);
  const Channels channels = channels_of(*job);
  CHECK(channels.sent == channels.received);
  CHECK(channels.messages == 20u * 24);
  CHECK(check_collectives(*job) == 20u * 9 + 4);
  check_exchanges(*job);
  check_requests(*job);
  check_order(*job);
  const trace::SourceInfo& source = job->ranks[4].source;
  CHECK(source.rank == 4);
  CHECK(source.world_size == 9);
  CHECK(source.host == "node0#0");
  CHECK(source.backend == "Open MPI v4.1.4");
  REQUIRE(source.groups.size() == 4);
  CHECK(source.groups[2].name == "3-5");
  CHECK(source.groups[2].ranks == std::vector<std::int64_t>{3, 4, 5});
}

TEST_CASE("files may come in any order; missing ones are counted; strangers and doubles are refused") {
  Diagnostics diagnostics;
  const Result<trace::Trace> some = mpitrace::read_job({shipped(8), shipped(1), shipped(0)}, diagnostics, {});
  REQUIRE(some.ok());
  CHECK(some->ranks[0].rank == 0);
  CHECK(some->ranks[2].rank == 8);
  CHECK(diagnostics.count(mpitrace::kRanksMissing) == 6);
  const Result<trace::Trace> twice = mpitrace::read_job({shipped(1), shipped(1)}, diagnostics, {});
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.error().message.find("are both of rank 1") != std::string::npos);
  const TempDir folder;
  const std::string other = folder.write("other.0.mpitrace", FileBuilder(0, 4).file());
  const Result<trace::Trace> mixed = mpitrace::read_job({shipped(1), other}, diagnostics, {});
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().message.find("of a job of") != std::string::npos);
}

TEST_CASE("times are Unix times of the node's clock, in picoseconds") {
  FileBuilder file(0, 2);
  file.call("MPI_Barrier", 100, 40, kComm, [] {
    ByteBuffer rest;
    rest.number(1);
    return rest;
  }());
  file.call("MPI_Test", 1000, 7);
  const Parsed parsed = parse(file.file());
  CHECK(parsed.rank.epoch_unix_ns == 1'700'000'000'000'000'000);
  CHECK(parsed.rank.start[0] == 100'000);
  CHECK(parsed.rank.duration[0] == 40'000);
  CHECK(parsed.rank.start[1] == 1'100'000);
  CHECK(parsed.text(Field::group_name_text, 0) == "world");
  CHECK(parsed.text(Field::collective_text, 0) == "barrier");
  CHECK(parsed.rank.field(Field::collective_sequence).find(0) == 0);
}

TEST_CASE("a receive from anyone has the source, tag and size of what came when it completed") {
  FileBuilder file(0, 4);
  ByteBuffer asked;
  asked.number(1);  // communicator
  asked.signed_number(kAnyRank);
  asked.signed_number(kAnyTag);
  asked.number(4096);  // room
  asked.number(1);     // request
  file.call("MPI_Irecv", 10, 5, kComm | kSource | kReceiveTag | kReceiveBytes | kRequest, asked);
  ByteBuffer done;
  done.number(2);
  done.number(1);
  done.byte(kIsReceive);
  done.signed_number(3);
  done.signed_number(77);
  done.number(24);
  done.number(9);  // begun where nobody saw it
  done.byte(0);
  file.call("MPI_Waitall", 10, 5, kCompleted, done);
  const Parsed parsed = parse(file.file());
  CHECK(parsed.rank.field(Field::source_rank).find(0) == 3);
  CHECK(parsed.rank.field(Field::tag).find(0) == 77);
  CHECK(parsed.rank.field(Field::bytes).find(0) == 24);
  CHECK(parsed.rank.field(Field::request).find(0) == 1);
  CHECK(parsed.named("asked_source", 0) == -1);
  CHECK(parsed.named("asked_tag", 0) == -1);
  CHECK(parsed.text(Field::requests_text, 1) == "[1]");
  CHECK(parsed.diagnostics.count(mpitrace::kUnseenRequest) == 1);
}

TEST_CASE("each start of a persistent request is a message of its own") {
  FileBuilder file(1, 2);
  for (std::uint64_t request = 1; request <= 2; ++request) {
    ByteBuffer made;
    made.number(1);
    made.signed_number(0);
    made.signed_number(static_cast<std::int64_t>(request) * 10);
    made.number(64);
    made.number(request);
    file.call("MPI_Send_init", 10, 5, kComm | kDestination | kSendTag | kSendBytes | kRequest, made);
  }
  ByteBuffer started;
  started.number(2);
  started.number(1);
  started.number(2);
  file.call("MPI_Startall", 10, 5, kStarted, started);
  const Parsed parsed = parse(file.file());
  REQUIRE(parsed.rank.event_count() == 4);
  for (const EventIndex e : {2u, 3u}) {
    CHECK(parsed.name(e) == "MPI_Startall");
    CHECK(parsed.rank.field(Field::destination_rank).find(e) == 0);
    CHECK(parsed.rank.field(Field::tag).find(e) == (e - 1) * 10);
    CHECK(parsed.rank.field(Field::bytes).find(e) == 64);
    CHECK(parsed.rank.field(Field::request).find(e) == e - 1);
  }
  CHECK(parsed.rank.start[2] == 30'000);
  CHECK(parsed.rank.end(2) == parsed.rank.start[3]);
  CHECK(parsed.rank.end(3) == 35'000);
}

TEST_CASE("a start of no request is a call like any other") {
  FileBuilder file(0, 2);
  ByteBuffer none;
  none.number(0);
  file.call("MPI_Startall", 10, 5, kStarted, none);
  CHECK(parse(file.file()).rank.event_count() == 1);
}

TEST_CASE("calls that found nothing are one event with their number") {
  FileBuilder file(0, 2);
  ByteBuffer polls;
  polls.number(1000);
  polls.number(123'456);
  file.call("MPI_Testany", 10, 200'000, kPolls, polls, 3);
  const Parsed parsed = parse(file.file());
  CHECK(parsed.named("polls", 0) == 1000);
  CHECK(parsed.named("polls_inside_ns", 0) == 123'456);
  REQUIRE(parsed.rank.lanes.size() == 2);
  CHECK(parsed.strings.text(parsed.rank.lanes[parsed.rank.lane[0]].thread_name) == "thread 3");
}

TEST_CASE("counts per member are elements where all are multiples, else bytes") {
  for (const std::uint64_t odd : {0u, 1u}) {
    FileBuilder file(0, 4);
    ByteBuffer rest;
    rest.number(1);
    rest.number(96 + odd);
    rest.number(4);  // members: 8, 8, 8, 72
    rest.number(8);
    rest.number(3);
    rest.number(72 + odd);
    rest.number(1);
    rest.number(8);
    file.call("MPI_Alltoallv", 10, 5, kComm | kSendBytes | kSendCounts | kElementBytes, rest);
    const Parsed parsed = parse(file.file());
    CHECK(parsed.text(Field::send_counts_text, 0) == (odd == 0 ? "[1, 1, 1, 9]" : "[8, 8, 8, 73]"));
    CHECK(parsed.rank.field(Field::element_bytes).find(0) == (odd == 0 ? 8 : 1));
  }
}

TEST_CASE("what newer tracers may write, failed calls and impossible times are counted") {
  FileBuilder file(0, 2);
  file.record(static_cast<RecordKind>(200), {});
  ByteBuffer error;
  error.signed_number(14);
  file.call("MPI_Send", 10, 5, kError, error);
  file.call("MPI_Barrier", 3'000'000'000'000'000, 5);
  const Parsed parsed = parse(file.file(false));
  CHECK(parsed.rank.event_count() == 1);
  CHECK(parsed.named("error", 0) == 14);
  CHECK(parsed.diagnostics.count(mpitrace::kUnknownRecord) == 1);
  CHECK(parsed.diagnostics.count(mpitrace::kFailedCall) == 1);
  CHECK(parsed.diagnostics.count(mpitrace::kUnusableTime) == 1);
  CHECK(parsed.diagnostics.count(mpitrace::kNotFinished) == 1);
}
