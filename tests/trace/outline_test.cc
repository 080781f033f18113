// Outlines take the place of ranks when a job is joined.
#include "trace/outline.h"

#include <doctest/doctest.h>

#include <utility>

#include "trace/read_rank.h"

using namespace orrery;

namespace {

trace::RankTrace rank_with(std::vector<std::pair<TimePs, TimePs>> extents) {
  trace::RankTrace rank;
  rank.epoch_unix_ns = 5'000;
  rank.source.path = "rank0.json";
  rank.lanes.emplace_back();
  rank.categories.emplace_back();
  for (const auto& [start, end] : extents) rank.append_event({.start = start, .duration = end - start}, {});
  return rank;
}

}  // namespace

TEST_CASE("an outline has the rank's extent, and none of its events") {
  const trace::RankTrace rank = rank_with({{10, 15}, {3, 103}, {50, 52}});
  const trace::RankTrace outline = trace::outline_of(rank);
  REQUIRE(outline.event_count() == 1);
  CHECK(outline.start[0] == 3);
  CHECK(outline.end(0) == 103);
  CHECK(outline.source.path == "rank0.json");
  CHECK(outline.epoch_unix_ns == 5'000);
}

TEST_CASE("flows have times too") {
  trace::RankTrace rank = rank_with({{10, 15}});
  rank.flows.time.push_back(-7);
  CHECK(trace::outline_of(rank).start[0] == -7);
  CHECK(trace::outline_of(rank).end(0) == 15);
}

TEST_CASE("ranks and their outlines are put on one clock alike, and travel alike") {
  for (const bool first_is_empty : {false, true}) {
    trace::Trace whole, outlined;
    for (const bool is_first : {true, false}) {
      trace::RankTrace rank =
          rank_with(is_first && first_is_empty ? std::vector<std::pair<TimePs, TimePs>>{}
                                               : std::vector<std::pair<TimePs, TimePs>>{{10, 15}, {3, 103}});
      rank.epoch_unix_ns += is_first ? 1'000 : 0;
      trace::ReadRank read;
      read.rank = trace::outline_of(rank);
      auto arrived = trace::read_rank_from_bytes(trace::to_bytes(read), "outline");
      REQUIRE(arrived.ok());
      REQUIRE(trace::add_rank(outlined, std::move(arrived->rank), arrived->strings));
      REQUIRE(trace::add_rank(whole, std::move(rank), Interner()));
    }
    CHECK(outlined.epoch_unix_ns == whole.epoch_unix_ns);
    for (std::size_t i = 0; i < 2; ++i) CHECK(outlined.ranks[i].epoch_unix_ns == whole.ranks[i].epoch_unix_ns);
  }
}

TEST_CASE("what lies too far from the others is refused as an outline too") {
  trace::Trace job;
  trace::RankTrace near = rank_with({{10, 15}}), far = rank_with({{0, 5}});
  far.epoch_unix_ns += std::int64_t{40} * 24 * 3'600 * 1'000'000'000;
  REQUIRE(trace::add_rank(job, trace::outline_of(near), Interner()));
  CHECK_FALSE(trace::add_rank(job, trace::outline_of(far), Interner()));
}
