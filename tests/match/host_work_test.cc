// What hosts communicate themselves: calls, groups and order, none of which is written beside the work.
#include "match/host_work_finder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include "match/host_job.h"

using namespace orrery;
using namespace orrery::match;
using namespace orrery::match::test;

namespace {

HostWorks works_of(const trace::Trace& job) { return find_host_works(job, ProcessGroups(job)); }

/// The group and the number of each collective of a rank in order of issue: "1/0 5/0".
std::string numbered(const trace::Trace& job, const HostWorks& works, std::size_t rank) {
  std::vector<std::pair<TimePs, std::string>> parts;
  for (const HostWork& work : works.ranks[rank]) {
    const auto& groups = job.ranks[rank].source.groups;
    const std::string group = work.group == kNoGroup ? "?" : groups[work.group].name;
    const std::string number = work.sequence == kNoNumber ? "-" : std::to_string(work.sequence);
    parts.emplace_back(job.ranks[rank].start[work.call == kNoCall ? work.event : work.call], group + "/" + number);
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : " ") + part.second;
  return text;
}

HostCall send(std::int64_t asked, std::string_view inputs) {
  return {.call = "c10d::send",
          .work = "gloo:send",
          .thread = 1,
          .asked = asked,
          .start = asked + 1,
          .end = asked + 5,
          .inputs = inputs};
}

}  // namespace

TEST_CASE("work gets peer, tag and root from the call that asked for it") {
  const trace::Trace job = host_job({{{send(0, R"("", "", "2", "7")"),
                                       {.call = "c10d::broadcast_",
                                        .work = "gloo:broadcast",
                                        .asked = 10,
                                        .start = 12,
                                        .end = 20,
                                        .inputs = R"("", "", "3", "0")"},
                                       {.call = "c10d::reduce_",
                                        .work = "gloo:reduce",
                                        .asked = 30,
                                        .start = 32,
                                        .end = 40,
                                        .inputs = R"("", "", "", "1", "0")"}}}});
  const HostWorks works = works_of(job);
  REQUIRE(works.ranks[0].size() == 3);
  CHECK(works.ranks[0][0].peer == 2);
  CHECK(works.ranks[0][0].tag == 7);
  CHECK(works.ranks[0][0].elements == 4);
  CHECK(works.ranks[0][1].peer == 3);
  CHECK(works.ranks[0][1].tag == kNoNumber);
  CHECK(works.ranks[0][2].peer == 1);
}

TEST_CASE("a receive from any source has no peer that alignment could use, and says so") {
  const trace::Trace job = host_job({{{{.call = "c10d::recv_any_source_",
                                        .work = "gloo:recvAnySource",
                                        .thread = 1,
                                        .asked = 0,
                                        .start = 1,
                                        .end = 9,
                                        .inputs = R"("", "", "7")"}}},
                                     {{send(0, R"("", "", "0", "7")")}}});
  const HostWorks works = works_of(job);
  REQUIRE(works.ranks[0].size() == 1);
  CHECK(works.ranks[0][0].kind.kind == workload::ActivityKind::recv);
  CHECK(works.ranks[0][0].peer == workload::kAnyPeer);
  CHECK(works.ranks[0][0].tag == 7);
}

TEST_CASE("what a scatter hands out is recorded by its root alone, and known to all members") {
  const auto scatter = [](std::int64_t elements) {
    return HostCall{.call = "c10d::scatter_",
                    .work = "gloo:scatter",
                    .asked = 0,
                    .start = 5,
                    .end = 9,
                    .elements = elements,
                    .inputs = R"("", "[]", "", "1")"};
  };
  const HostWorks works = works_of(host_job({{{scatter(-1)}}, {{scatter(12)}}, {{scatter(-1)}}}));
  for (const std::vector<HostWork>& rank : works.ranks) {
    REQUIRE(rank.size() == 1);
    CHECK(rank[0].root_bytes == 48);
  }
}

TEST_CASE("calls and works of one size are paired in order; work that was asked for before the recording has no call") {
  const trace::Trace job = host_job({{{{.call = "", .start = 5, .end = 9},
                                       {.asked = 10, .start = 30, .end = 40, .elements = 8},
                                       {.thread = 11, .asked = 12, .start = 20, .end = 35},
                                       {.work = "", .asked = 50}}}});
  const HostWorks works = works_of(job);
  const trace::RankTrace& rank = job.ranks[0];
  REQUIRE(works.ranks[0].size() == 3);
  CHECK(works.ranks[0][0].call == kNoCall);
  CHECK(rank.start[works.ranks[0][1].call] % 1'000'000'000 == 10 * kPsPerUs);
  CHECK(rank.start[works.ranks[0][2].call] % 1'000'000'000 == 12 * kPsPerUs);
}

TEST_CASE("every group has worker threads of its own, in the order in which groups were made") {
  // Two pairs and two columns; the world is there and not used. All ranks do the same: only the threads tell the groups
  // apart.
  std::vector<HostRank> ranks(4);
  for (std::int64_t r = 0; r < 4; ++r) {
    const std::int64_t pair = r / 2, column = r % 2;
    ranks[static_cast<std::size_t>(r)].groups = group_json("0", {0, 1, 2, 3}) + "," +
                                                group_json(std::to_string(1 + pair), {2 * pair, 2 * pair + 1}) + "," +
                                                group_json(std::to_string(3 + column), {column, column + 2});
    for (std::int64_t i = 0; i < 6; ++i) {
      const bool is_pair = i % 3 != 2;
      const std::int64_t turn = is_pair ? (i / 3 * 2 + i % 3) % 2 : i / 3 % 2;
      ranks[static_cast<std::size_t>(r)].calls.push_back(
          {.thread = (is_pair ? 20 : 30) + turn, .asked = i * 100, .start = i * 100 + 10, .end = i * 100 + 50});
    }
  }
  const trace::Trace job = host_job(ranks);
  const HostWorks works = works_of(job);
  CHECK(numbered(job, works, 0) == "1/0 1/1 3/0 1/2 1/3 3/1");
  CHECK(numbered(job, works, 3) == "2/0 2/1 4/0 2/2 2/3 4/1");
  CHECK(works.inferred == 24);
  CHECK(works.group_unclear == 0);
}

TEST_CASE("what other members did settles what threads leave open") {
  // Ranks 0 and 1 are in a pair too. Each thread did one thing; rank 2, which has no choice, did the broadcast with
  // all.
  const std::string world = group_json("0", {0, 1, 2}), pair = group_json("1", {0, 1});
  const auto member = [&](bool in_pair) {
    HostRank rank{.groups = in_pair ? world + "," + pair : world};
    rank.calls.push_back({.call = "c10d::broadcast_",
                          .work = "gloo:broadcast",
                          .thread = 10,
                          .asked = 0,
                          .start = 2,
                          .end = 9,
                          .inputs = R"("", "", "0", "0")"});
    if (in_pair) rank.calls.push_back({.thread = 12, .asked = 20, .start = 22, .end = 29});
    return rank;
  };
  const trace::Trace job = host_job({member(true), member(true), member(false)});
  const HostWorks works = works_of(job);
  CHECK(numbered(job, works, 0) == "0/0 1/0");
  CHECK(numbered(job, works, 2) == "0/0");
}

TEST_CASE("a root that is no member rules a group out") {
  const std::string world = group_json("0", {0, 1, 2, 3});
  std::vector<HostRank> ranks;
  for (std::int64_t r = 0; r < 4; ++r) {
    HostRank rank{.groups = world + "," + group_json(std::to_string(1 + r / 2), {r / 2 * 2, r / 2 * 2 + 1})};
    for (std::int64_t i = 0; i < 4; ++i)
      rank.calls.push_back({.call = "c10d::broadcast_",
                            .work = "gloo:broadcast",
                            .thread = 10 + i % 2,
                            .asked = i * 100,
                            .start = i * 100 + 5,
                            .end = i * 100 + 50,
                            .inputs = R"("", "", "3", "0")"});
    ranks.push_back(rank);
  }
  const trace::Trace job = host_job(ranks);
  CHECK(numbered(job, works_of(job), 1) == "0/0 0/1 0/2 0/3");
}

TEST_CASE("a recording that was cut at one end still belongs to the others at the other end") {
  const auto rank_of = [](std::vector<std::int64_t> sizes, std::int64_t first) {
    HostRank rank;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t at = (first + static_cast<std::int64_t>(i)) * 100;
      rank.calls.push_back({.thread = 10 + static_cast<std::int64_t>(i) % 2,
                            .asked = at,
                            .start = at + 5,
                            .end = at + 50,
                            .elements = sizes[i]});
    }
    return rank;
  };
  SUBCASE("at its end") {
    const trace::Trace job = host_job({rank_of({1, 2, 3}, 0), rank_of({1, 2}, 0)});
    CHECK(numbered(job, works_of(job), 0) == "?/0 ?/1 ?/2");
    CHECK(numbered(job, works_of(job), 1) == "?/0 ?/1");
  }
  SUBCASE("at its beginning") {
    const trace::Trace job = host_job({rank_of({1, 2, 3}, 0), rank_of({2, 3}, 1)});
    CHECK(numbered(job, works_of(job), 1) == "?/1 ?/2");
  }
  SUBCASE("nobody knows where, since all are alike") {
    const trace::Trace job = host_job({rank_of({1, 1, 1}, 0), rank_of({1, 1}, 0)});
    CHECK(numbered(job, works_of(job), 1) == "?/- ?/-");
    CHECK(works_of(job).disagreeing == 5);
  }
  SUBCASE("another size is another collective") {
    const trace::Trace job = host_job({rank_of({1, 2, 3}, 0), rank_of({1, 5, 3}, 0)});
    CHECK(works_of(job).disagreeing == 6);
  }
}

TEST_CASE("collectives that the asking thread did itself could be of any of several groups") {
  const std::string groups = group_json("0", {0, 1}) + "," + group_json("1", {0, 1});
  const HostRank rank{.calls = {{.thread = 1, .asked = 0, .start = 0, .end = 9}}, .groups = groups};
  const HostWorks works = works_of(host_job({rank, rank}));
  CHECK(works.group_unclear == 2);
}

TEST_CASE("groups of any grid, used in any order, are found") {
  CHECK(rc::check([] {
    const auto draw = [](std::int64_t from, std::int64_t to) { return *rc::gen::inRange<std::int64_t>(from, to); };
    const std::int64_t columns = draw(2, 4), rows = draw(2, 4), steps = draw(4, 12);
    std::vector<bool> of_row;
    for (std::int64_t i = 0; i < steps; ++i) of_row.push_back(draw(0, 2) == 0);
    // Both kinds of groups do at least two, so that their threads can be seen to take turns.
    for (const bool kind : {true, false, true, false}) of_row.push_back(kind);
    std::vector<HostRank> ranks;
    std::vector<std::int64_t> everybody;
    for (std::int64_t r = 0; r < rows * columns; ++r) everybody.push_back(r);
    for (std::int64_t r = 0; r < rows * columns; ++r) {
      std::vector<std::int64_t> row, column;
      for (std::int64_t c = 0; c < columns; ++c) row.push_back(r / columns * columns + c);
      for (std::int64_t k = 0; k < rows; ++k) column.push_back(r % columns + k * columns);
      HostRank rank{.groups = group_json("world", everybody) + "," +
                              group_json(fmt::format("row{}", r / columns), row) + "," +
                              group_json(fmt::format("column{}", r % columns), column)};
      std::int64_t turns[2] = {0, 0};
      for (std::size_t i = 0; i < of_row.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) * 100;
        const std::int64_t thread = (of_row[i] ? 40 : 60) + turns[of_row[i] ? 0 : 1]++ % 2;
        rank.calls.push_back({.thread = thread, .asked = at, .start = at + 5, .end = at + 50 + r});
      }
      ranks.push_back(rank);
    }
    const trace::Trace job = host_job(ranks);
    const HostWorks works = works_of(job);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (std::size_t i = 0; i < of_row.size(); ++i) {
        RC_ASSERT(works.ranks[r][i].group == (of_row[i] ? 1u : 2u));
        RC_ASSERT(works.ranks[r][i].sequence ==
                  std::count(of_row.begin(), of_row.begin() + static_cast<std::ptrdiff_t>(i), of_row[i]));
      }
    }
  }));
}
