#include "causal/join/join_ranks.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "graph/edits.h"
#include "graph/longest_path.h"
#include "match/exchange_finder.h"
#include "support/kineto_lines.h"

namespace orrery::causal {
namespace {

/// The files of all ranks, lines as in kineto_lines.h; each rank's window is its whole trace.
struct Joined {
  Joined(const std::vector<std::string>& ranks, std::size_t world) {
    const orrery::testing::TempDir dir;
    std::vector<std::string> files;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      files.push_back(orrery::testing::kineto_json(
          ranks[r], fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": {}}})", r, world)));
    }
    trace = orrery::testing::read_ranks(dir, files, diagnostics);
    std::vector<RankGraph> to_join;
    for (const trace::RankTrace& rank : trace.ranks) {
      Result<RankGraph> step = make_rank_graph(trace, rank, {"", {}, {}}, diagnostics);
      REQUIRE(step);
      to_join.push_back(std::move(*step));
    }
    exchanges = match::find_exchanges(trace);
    Result<CausalGraph> joined = join_ranks(trace, exchanges, std::move(to_join), {}, diagnostics);
    REQUIRE(joined);
    job = std::move(*joined);
  }

  [[nodiscard]] std::uint64_t remarks(std::string_view code) const {
    return orrery::testing::count_of(diagnostics, code);
  }

  trace::Trace trace;
  match::Exchanges exchanges;
  Diagnostics diagnostics;
  CausalGraph job;
};

std::string all_reduce(std::int64_t launched, std::int64_t start, std::int64_t length, std::int64_t sequence,
                       std::string_view ranks = "[0, 1]") {
  return fmt::format(
      "1 {0} 1 cuda_runtime cudaLaunchKernel correlation={3}\n"
      "gpu0/20 {1} {2} kernel ncclDevKernel_AllReduce correlation={3} \"Collective name\"=allreduce Seq={3} \"Process "
      "Group Name\"=dp "
      "\"Process Group Ranks\"=\"{4}\"\n",
      launched, start, length, sequence, ranks);
}

TEST_CASE("a communication is an arrival, a ready moment and a transfer") {
  const Joined joined(
      {"1 0 10 cpu_op work\n" + all_reduce(10, 12, 8, 1), "1 0 14 cpu_op work\n" + all_reduce(14, 16, 5, 1)}, 2);
  const CausalGraph& job = joined.job;
  REQUIRE(job.operations.size() == 1);
  CHECK(job.strings.text(job.operations[0].what) == "all_reduce");
  CHECK(job.strings.text(job.operations[0].group) == "dp");
  CHECK(job.incomplete == 0);
  CHECK(job.unmatched == 0);
  CHECK(job.cut == 0);
  REQUIRE(job.parts.size() == 2);
  for (std::uint32_t p = 0; p < 2; ++p) {
    CHECK(job.time[job.ready(p)] == 16 * kPsPerUs);
    CHECK(job.graph.weight(job.parts[p].transfer) == (p == 0 ? 4 : 5) * kPsPerUs);
    CHECK(job.is_transfer(job.parts[p].transfer));
  }
  const graph::Solution solution = graph::solve(job.graph, job.end);
  CHECK(solution.length() == job.span);
  CHECK(job.residual_percent(solution.length()) == 0);
  graph::Edits alone(job.graph);
  for (const graph::Slot slot : arrivals_of_others(job)) alone.set_weight(slot, -graph::kMaxWeightPs);
  const graph::Solution own = graph::solve(alone, job.end);
  CHECK(solution.finish(job.ranks[0].end) - own.finish(job.ranks[0].end) == 4 * kPsPerUs);
  CHECK(solution.finish(job.ranks[1].end) == own.finish(job.ranks[1].end));
}

TEST_CASE("an all-to-all waits for those that send it something, if all recorded how much they get") {
  const auto exchange = [](std::int64_t start, std::int64_t length, std::string_view gets) {
    return fmt::format(
        "1 {0} 1 cuda_runtime cudaLaunchKernel correlation=1\n"
        "gpu0/20 {0} {1} kernel ncclDevKernel_SendRecv correlation=1 \"Collective name\"=all_to_allv Seq=1 \"Process "
        "Group Name\"=ep "
        "\"Process Group Ranks\"=\"[2, 0, 1]\" {2}\n",
        start, length, gets.empty() ? std::string() : fmt::format("\"Out split size\"=\"{}\"", gets));
  };
  // Sizes are in the order of the group: of ranks 2, 0 and 1. Rank 0 gets nothing from rank 2, which comes last.
  SUBCASE("recorded on all") {
    const Joined joined({exchange(0, 12, "[0, 8, 8]"), exchange(10, 42, "[8, 8, 0]"), exchange(50, 2, "[8, 8, 8]")}, 3);
    REQUIRE(joined.job.parts.size() == 3);
    CHECK(joined.job.operations[0].has_splits);
    CHECK(joined.job.time[joined.job.ready(0)] == 10 * kPsPerUs);
    CHECK(joined.job.time[joined.job.ready(1)] == 50 * kPsPerUs);
    CHECK(joined.job.cut == 0);
    CHECK(graph::solve(joined.job.graph, joined.job.end).length() == joined.job.span);
  }
  SUBCASE("not on one") {
    const Joined joined({exchange(0, 12, "[0, 8, 8]"), exchange(10, 42, "[8, 8, 0]"), exchange(50, 2, "")}, 3);
    REQUIRE(joined.job.parts.size() == 3);
    CHECK_FALSE(joined.job.operations[0].has_splits);
    CHECK(joined.job.cut == 1);  // everybody would have to wait for the last
  }
}

TEST_CASE("an arrival after the end of what would need it is cut and counted") {
  const Joined joined({all_reduce(0, 2, 8, 1), all_reduce(20, 22, 8, 1)}, 2);
  CHECK(joined.job.cut == 1);
  CHECK(joined.remarks("J803") == 1);
  CHECK(graph::solve(joined.job.graph, joined.job.end).length() == joined.job.span);
}

// As many ranks as give hubs to those who came first: each comes 1 us after the one before it, and only the next eight
// find it there.
TEST_CASE(
    "what contradicts among many ranks takes edges linear in the ranks, and each waits for those that came before its "
    "end") {
  constexpr std::int64_t kRanks = 48, kTogether = 8;
  std::vector<std::string> lines;
  for (std::int64_t r = 0; r < kRanks; ++r)
    lines.push_back(all_reduce(r, r + 2, kTogether, 1, "world") + all_reduce(r + 100, r + 102, 100, 2, "world"));
  const Joined joined(lines, kRanks);
  const CausalGraph& job = joined.job;
  REQUIRE(job.operations.size() == 2);
  CHECK(job.cut == (kRanks - kTogether) * (kRanks - kTogether - 1) / 2);
  std::size_t arrivals = 0;
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot)
    arrivals += job.kind(slot) == EdgeKind::arrival ? 1 : 0;
  CHECK(arrivals <= 8 * kRanks);
  const graph::Solution solution = graph::solve(job.graph, job.end);
  CHECK(solution.length() == job.span);
  for (std::uint32_t p = 0; p < kRanks; ++p)
    CHECK(job.time[job.ready(p)] == std::min<TimePs>(p + 2 + kTogether, kRanks + 1) * kPsPerUs);
  for (graph::NodeId node = 0; node < job.graph.node_count(); ++node) CHECK(solution.finish(node) == job.time[node]);
  // A rank that comes later holds up all who waited for it, and nobody else.
  graph::Edits later(job.graph);
  constexpr std::uint32_t kLate = 20;
  for (const graph::Slot slot : job.graph.incoming(job.parts[kLate].arrival))
    later.set_weight(slot, job.graph.weight(slot) + 5 * kPsPerUs);
  const graph::Solution held = graph::solve(later, job.end);
  for (std::uint32_t p = 0; p < kRanks; ++p) {
    const TimePs came = (kLate + 2 + 5) * kPsPerUs, measured = job.time[job.ready(p)];
    CHECK(held.finish(job.ready(p)) == (p + kTogether >= kLate ? std::max(came, measured) : measured));
  }
}

TEST_CASE("ranks without a file are named, and what they took part in is incomplete") {
  const Joined joined({all_reduce(0, 2, 8, 1, "[0, 1, 2]"), all_reduce(0, 4, 6, 1, "[0, 1, 2]")}, 3);
  CHECK(joined.job.missing == std::vector<std::int64_t>{2});
  CHECK(joined.job.incomplete == 1);
  CHECK(joined.remarks("J801") == 1);
  CHECK(joined.remarks("J802") == 1);
  CHECK(joined.job.operations[0].members == 3);
}

TEST_CASE("what has no partner is a piece of its rank") {
  const Joined joined({all_reduce(0, 2, 8, 1) + all_reduce(20, 22, 8, 2), all_reduce(0, 2, 8, 1)}, 2);
  CHECK(joined.job.unmatched == 1);
  CHECK(joined.remarks("J806") == 1);
  CHECK(graph::solve(joined.job.graph, joined.job.end).length() == joined.job.span);
}

TEST_CASE("a communicator of one rank has no partners to miss") {
  const std::string both = all_reduce(0, 2, 8, 1);
  const std::string alone = both + all_reduce(20, 22, 8, 2, "[0]"), other = both + all_reduce(20, 22, 8, 2, "[1]");
  const Joined joined({alone, other}, 2);
  CHECK(joined.job.unmatched == 0);
  CHECK(joined.remarks("J806") == 0);
  CHECK(graph::solve(joined.job.graph, joined.job.end).length() == joined.job.span);
}

TEST_CASE("arrivals at the very end of one another close no circle") {
  // Rank 0 ends the second all-reduce when rank 1 comes to it, and the other way round for the first: all at one
  // moment, and nothing takes time.
  const Joined joined(
      {all_reduce(0, 2, 8, 1) + all_reduce(0, 10, 5, 2), all_reduce(0, 10, 5, 1) + all_reduce(0, 15, 5, 2)}, 2);
  CHECK(graph::solve(joined.job.graph, joined.job.end).length() == joined.job.span);
}

// Whatever the times: everything is explained, nothing is lost, and no rank is faster with the others than alone.
TEST_CASE("random jobs keep the promises of the graph") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::size_t>(2, 5);
    const auto operations = *rc::gen::inRange<std::int64_t>(1, 6);
    std::vector<std::string> lines(ranks);
    for (std::string& text : lines) {
      std::int64_t at = *rc::gen::inRange(0, 50);
      for (std::int64_t o = 1; o <= operations; ++o) {
        if (*rc::gen::inRange(0, 8) == 0) continue;  // a member that skips one
        const auto work = *rc::gen::inRange<std::int64_t>(1, 40);
        text += fmt::format("1 {} {} cpu_op work\n", at, work);
        at += work;
        const auto delay = *rc::gen::inRange<std::int64_t>(1, 5), length = *rc::gen::inRange<std::int64_t>(1, 60);
        text += all_reduce(at, at + delay, length, o, "[0, 1, 2, 3]");
        at += *rc::gen::inRange(0, 2) == 0 ? 1 : delay + length + 1;
      }
      if (text.empty()) text = "1 0 10 cpu_op work\n";
    }
    const Joined joined(lines, ranks);
    const CausalGraph& job = joined.job;
    const graph::Solution solution = graph::solve(job.graph, job.end);
    RC_ASSERT(solution.length() == job.span);
    graph::Edits alone(job.graph);
    for (const graph::Slot slot : arrivals_of_others(job)) alone.set_weight(slot, -graph::kMaxWeightPs);
    const graph::Solution own = graph::solve(alone, job.end);
    for (graph::NodeId node = 0; node < job.graph.node_count(); ++node) {
      RC_ASSERT(solution.finish(node) == job.time[node]);
      RC_ASSERT(own.finish(node) <= solution.finish(node));
    }
    for (std::uint32_t p = 0; p < job.parts.size(); ++p) {
      RC_ASSERT(job.graph.weight(job.parts[p].transfer) >= 0);
      RC_ASSERT(job.graph.source(job.parts[p].transfer) == job.ready(p));
    }
  }));
}

}  // namespace
}  // namespace orrery::causal
