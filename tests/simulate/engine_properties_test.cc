// What holds for every workload, whatever it looks like.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "random_job.h"
#include "simulate/engine/engine.h"

namespace orrery::simulate::testing {
namespace {

struct Outcome {
  workload::Workload job;
  Schedule schedule;
  std::vector<std::uint64_t> first;
  [[nodiscard]] TimePs start(std::size_t rank, std::size_t i) const { return schedule.start_ps[first[rank] + i]; }
  [[nodiscard]] TimePs end(std::size_t rank, std::size_t i) const { return schedule.end_ps[first[rank] + i]; }
};

constexpr TimePs kLatency = 70;

Outcome run(const std::vector<std::vector<Node>>& ranks, const EngineOptions& options = {},
            bool edges_backwards = false) {
  Outcome outcome{make_job(ranks, {}, edges_backwards), {}, {}};
  FixedNetwork network(kLatency, 1);
  Result<Schedule> schedule = execute(outcome.job, network, options);
  if (!schedule) RC_FAIL(schedule.error().message);
  outcome.schedule = std::move(*schedule);
  outcome.first = outcome.job.first_activities();
  return outcome;
}

bool uses(const Node& node, ActivityKind kind, bool host) {
  return node.kind == kind && ((node.flags & workload::activity::kOnHost) != 0) == host;
}

/// Most of `chosen` activities of a rank that run at the same moment.
template <typename Chosen>
std::size_t most_at_once(const Outcome& outcome, const std::vector<Node>& nodes, std::size_t rank,
                         const Chosen& chosen) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!chosen(nodes[i]) || outcome.start(rank, i) == outcome.end(rank, i)) continue;
    std::size_t at_once = 0;
    for (std::size_t j = 0; j < nodes.size(); ++j)
      at_once += chosen(nodes[j]) && outcome.start(rank, j) <= outcome.start(rank, i) &&
                 outcome.start(rank, i) < outcome.end(rank, j);
    most = std::max(most, at_once);
  }
  return most;
}

}  // namespace

TEST_CASE("nothing starts before what it depends on has ended, and no slot is used twice") {
  CHECK(rc::check([] {
    const auto ranks = random_ranks();
    EngineOptions options;
    options.compute_slots = static_cast<std::uint32_t>(draw(1, 4));
    options.host_slots = static_cast<std::uint32_t>(draw(1, 3));
    const Outcome outcome = run(ranks, options);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const std::vector<Node>& nodes = ranks[rank];
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::uint32_t before : nodes[i].after)
          RC_ASSERT(outcome.start(rank, i) >= outcome.end(rank, before));
        const bool timed = nodes[i].kind == ActivityKind::compute || nodes[i].kind == ActivityKind::memory_store;
        if (timed) RC_ASSERT(outcome.end(rank, i) - outcome.start(rank, i) == nodes[i].duration);
        if (nodes[i].kind == ActivityKind::none) RC_ASSERT(outcome.end(rank, i) == outcome.start(rank, i));
      }
      RC_ASSERT(most_at_once(outcome, nodes, rank, [](const Node& n) {
                  return uses(n, ActivityKind::compute, false);
                }) <= options.compute_slots);
      RC_ASSERT(most_at_once(outcome, nodes, rank,
                             [](const Node& n) { return uses(n, ActivityKind::compute, true); }) <= options.host_slots);
      RC_ASSERT(
          most_at_once(outcome, nodes, rank, [](const Node& n) { return n.kind == ActivityKind::memory_store; }) <= 1u);
      RC_ASSERT(most_at_once(outcome, nodes, rank, [](const Node& n) { return n.kind == ActivityKind::collective; }) <=
                1u);
    }
  }));
}

TEST_CASE("no slot stays free while something could use it") {
  CHECK(rc::check([] {
    const auto ranks = random_ranks();
    const Outcome outcome = run(ranks);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const std::vector<Node>& nodes = ranks[rank];
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!uses(nodes[i], ActivityKind::compute, false) || outcome.start(rank, i) == 0) continue;
        // Either a dependency ended at that very moment, or another compute did.
        const TimePs start = outcome.start(rank, i);
        bool explained = std::any_of(nodes[i].after.begin(), nodes[i].after.end(),
                                     [&](std::uint32_t before) { return outcome.end(rank, before) == start; });
        for (std::size_t j = 0; j < nodes.size() && !explained; ++j)
          explained = j != i && uses(nodes[j], ActivityKind::compute, false) && outcome.end(rank, j) == start;
        RC_ASSERT(explained);
      }
    }
  }));
}

TEST_CASE("the outcome does not depend on the order in which dependencies were added, nor on sharing of programs") {
  CHECK(rc::check([] {
    const auto ranks = random_ranks();
    RC_ASSERT(run(ranks).schedule == run(ranks, {}, true).schedule);
  }));
}

TEST_CASE("one chain over all activities takes their sum, whatever the ids are") {
  CHECK(rc::check([] {
    const auto count = static_cast<std::uint32_t>(draw(1, 50));
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[static_cast<std::size_t>(draw(0, i))]);
    std::vector<Node> nodes(count);
    TimePs sum = 0;
    for (std::uint32_t place = 0; place < count; ++place) {
      Node& node = nodes[order[place]];
      node = compute(draw(0, 1000));
      if (place > 0) node.after = {order[place - 1]};
      sum += node.duration;
    }
    RC_ASSERT(run({nodes}).schedule.makespan_ps() == sum);
  }));
}

TEST_CASE("the makespan is at least the critical path, and exactly that with enough slots") {
  CHECK(rc::check([] {
    std::vector<Node> nodes;
    std::vector<TimePs> earliest;
    for (TimePs n = draw(1, 40); n > 0; --n) {
      Node node = compute(draw(0, 1000));
      TimePs ready = 0;
      for (std::uint32_t before = 0; before < nodes.size(); ++before) {
        if (draw(0, 6) != 0) continue;
        node.after.push_back(before);
        ready = std::max(ready, earliest[before]);
      }
      earliest.push_back(ready + node.duration);
      nodes.push_back(std::move(node));
    }
    const TimePs critical = *std::max_element(earliest.begin(), earliest.end());
    EngineOptions enough;
    enough.compute_slots = 64;
    RC_ASSERT(run({nodes}).schedule.makespan_ps() >= critical);
    RC_ASSERT(run({nodes}, enough).schedule.makespan_ps() == critical);
  }));
}

TEST_CASE("what is exposed is what communication does alone") {
  CHECK(rc::check([] {
    const auto ranks = random_ranks();
    const Outcome outcome = run(ranks);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      TimePs communication = 0, exposed = 0, compute_time = 0, finish = 0;
      const auto runs_at = [&](TimePs time, bool wants_compute) {
        for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
          const ActivityKind kind = ranks[rank][i].kind;
          const bool communicates =
              kind == ActivityKind::collective || kind == ActivityKind::send || kind == ActivityKind::recv;
          const bool chosen = wants_compute ? uses(ranks[rank][i], ActivityKind::compute, false) : communicates;
          if (chosen && outcome.start(rank, i) <= time && time < outcome.end(rank, i)) return true;
        }
        return false;
      };
      std::vector<TimePs> moments;
      for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
        moments.insert(moments.end(), {outcome.start(rank, i), outcome.end(rank, i)});
        finish = std::max(finish, outcome.end(rank, i));
      }
      std::sort(moments.begin(), moments.end());
      for (std::size_t m = 1; m < moments.size(); ++m) {
        const TimePs length = moments[m] - moments[m - 1];
        const bool computes = runs_at(moments[m - 1], true), communicates = runs_at(moments[m - 1], false);
        compute_time += computes ? length : 0;
        communication += communicates ? length : 0;
        exposed += communicates && !computes ? length : 0;
      }
      RC_ASSERT(outcome.schedule.ranks[rank] == (RankUse{finish, compute_time, communication, exposed}));
    }
  }));
}

}  // namespace orrery::simulate::testing
