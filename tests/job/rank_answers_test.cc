// Ranks that are asked one by one answer as the ranks of a job that was read as a whole.
#include "job/read/rank_answers.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "job/read/trace_input.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

/// A question that depends on events and texts.
constexpr RankQuestion kLongest{"longest", [](const trace::Trace& trace, const trace::RankTrace& rank) {
                                  trace::EventIndex longest = 0;
                                  for (trace::EventIndex e = 1; e < rank.event_count(); ++e)
                                    longest = rank.duration[e] > rank.duration[longest] ? e : longest;
                                  return std::to_string(rank.event_count()) + " " +
                                         std::string(trace.name(rank, longest));
                                }};

std::vector<std::string> remarks_of(const Diagnostics& diagnostics) {
  std::vector<std::string> remarks;
  for (const Diagnostic& remark : diagnostics.sorted())
    remarks.push_back(std::string(remark.kind->code) + " " + std::to_string(remark.count) + " " + remark.example);
  return remarks;
}

void check_alike(const std::vector<std::string>& named) {
  CAPTURE(named.front());
  Diagnostics finding, reading, asking;
  const auto source = find_source(named, {.may_miss_ranks = true}, finding);
  REQUIRE(source.ok());
  const auto whole = read_trace(*source, {}, {.diagnostics = reading});
  std::size_t told = 0;
  const auto asked = ask_ranks(
      *source, kLongest, {.diagnostics = asking, .on_input = [&](const std::string&) { return ++told, Status(); }});
  REQUIRE(whole.ok());
  REQUIRE(asked.ok());
  CHECK(told == source->files.size());
  CHECK(asked->answers == answers_of(kLongest, whole->trace));
  CHECK(remarks_of(asking) == remarks_of(reading));
  CHECK(asked->job->epoch_unix_ns == whole->trace.epoch_unix_ns);
  REQUIRE(asked->job->ranks.size() == whole->trace.ranks.size());
  for (std::size_t i = 0; i < whole->trace.ranks.size(); ++i) {
    CHECK(asked->job->ranks[i].rank == whole->trace.ranks[i].rank);
    CHECK(asked->job->ranks[i].source.path == whole->trace.ranks[i].source.path);
  }
}

}  // namespace

TEST_CASE("of every format, and in the order of the job") {
  const std::string data = ORRERY_SOURCE_DIR "/data/";
  check_alike({data + "gpt_small.kineto.json.gz"});
  check_alike(
      {data + "ddp4.rank3.kineto.json.gz", data + "ddp4.rank0.kineto.json.gz", data + "ddp4.rank2.kineto.json.gz"});
  check_alike({data + "jax_skewed4"});
  check_alike({data + "mpi/halo9"});  // its communicators are found by looking at all ranks: read as a whole
}

TEST_CASE("the first file that cannot be read is named, as if all had been read") {
  const testing::TempDir folder;
  std::filesystem::copy(ORRERY_SOURCE_DIR "/data/ddp4.rank0.kineto.json.gz", folder.path("rank0.json.gz"));
  folder.write("rank1.json", "{\"traceEvents\": [{\"ph\": \"X\",");
  folder.write("rank2.json", "{\"traceEvents\": [{\"ph\": ");
  Diagnostics diagnostics;
  const auto source = find_source({folder.path()}, {.may_miss_ranks = true}, diagnostics);
  REQUIRE(source.ok());
  const auto asked = ask_ranks(*source, kLongest, {.diagnostics = diagnostics});
  REQUIRE_FALSE(asked.ok());
  CHECK(asked.error().to_string().find(folder.path("rank1.json")) != std::string::npos);
}

}  // namespace orrery::job
