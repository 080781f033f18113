// A run ends with everything done or with a deadlock that is told, and with a deadlock exactly when there is no way
// out.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>

#include "random_job.h"
#include "simulate/engine/engine.h"

namespace orrery::simulate::testing {
namespace {

/// Messages and collectives that match, but at random places of their ranks and with random dependencies: many lock up.
std::vector<std::vector<Node>> careless_ranks() {
  const auto rank_count = static_cast<std::size_t>(draw(2, 5));
  std::vector<std::vector<Node>> ranks(rank_count);
  const auto any_rank = [&] { return static_cast<std::size_t>(draw(0, static_cast<TimePs>(rank_count))); };
  for (TimePs n = draw(4, 20); n > 0; --n) {
    const TimePs kind = draw(0, 3);
    if (kind == 0) ranks[any_rank()].push_back(compute(draw(0, 5)));
    if (kind == 1) {
      const std::size_t from = any_rank(), to = (from + 1 + any_rank()) % rank_count;
      if (from == to) continue;
      ranks[from].push_back(send(static_cast<std::int32_t>(to), 8, {}, n));
      ranks[to].push_back(recv(static_cast<std::int32_t>(from), 8, {}, n));
    }
    if (kind == 2) {
      const std::string group = draw(0, 2) == 0 ? "" : "g";
      for (std::vector<Node>& nodes : ranks) nodes.push_back(all_reduce(8, {}, group));
    }
  }
  for (std::vector<Node>& nodes : ranks) {
    for (std::size_t i = nodes.size(); i > 1; --i)
      std::swap(nodes[i - 1], nodes[static_cast<std::size_t>(draw(0, static_cast<TimePs>(i)))]);
    for (std::uint32_t i = 1; i < nodes.size(); ++i) {
      if (draw(0, 5) != 0) nodes[i].after.push_back(static_cast<std::uint32_t>(draw(0, i)));
    }
  }
  return ranks;
}

/// Which activities can ever end, by repeating the rules until nothing changes. Time plays no part: slots are always
/// given back.
class Feasibility {
 public:
  explicit Feasibility(const std::vector<std::vector<Node>>& ranks) : ranks_(ranks) {
    for (const std::vector<Node>& nodes : ranks) done_.emplace_back(nodes.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
          if (done_[rank][i] || !can_end(rank, i)) continue;
          done_[rank][i] = changed = true;
        }
      }
    }
  }

  [[nodiscard]] std::size_t done_count() const {
    std::size_t count = 0;
    for (const std::vector<bool>& done : done_)
      count += static_cast<std::size_t>(std::count(done.begin(), done.end(), true));
    return count;
  }

 private:
  [[nodiscard]] bool is_ready(std::size_t rank, std::size_t i) const {
    const Node& node = ranks_[rank][i];
    if (node.kind == ActivityKind::collective) {
      for (std::size_t j = 0; j < i; ++j) {
        const Node& earlier = ranks_[rank][j];
        if (earlier.kind == ActivityKind::collective && earlier.group == node.group && !done_[rank][j]) return false;
      }
    }
    return std::all_of(node.after.begin(), node.after.end(), [&](std::uint32_t before) { return done_[rank][before]; });
  }

  [[nodiscard]] bool can_end(std::size_t rank, std::size_t i) const {
    const Node& node = ranks_[rank][i];
    if (!is_ready(rank, i)) return false;
    if (node.kind == ActivityKind::send || node.kind == ActivityKind::recv) {
      const auto other = static_cast<std::size_t>(node.peer);
      for (std::size_t j = 0; j < ranks_[other].size(); ++j) {
        const Node& mate = ranks_[other][j];
        const bool is_mate =
            mate.tag == node.tag && (mate.kind == ActivityKind::send || mate.kind == ActivityKind::recv);
        if (is_mate) return done_[other][j] || is_ready(other, j);
      }
      return false;
    }
    if (node.kind != ActivityKind::collective) return true;
    const std::size_t place = place_of(rank, i);
    for (std::size_t other = 0; other < ranks_.size(); ++other) {
      for (std::size_t j = 0; j < ranks_[other].size(); ++j) {
        const Node& mate = ranks_[other][j];
        const bool is_mate =
            mate.kind == ActivityKind::collective && mate.group == node.group && place_of(other, j) == place;
        if (is_mate && !done_[other][j] && !is_ready(other, j)) return false;
      }
    }
    return true;
  }

  // Of a collective: how many of its group come before it on its rank. Dependencies never run against the ids here.
  [[nodiscard]] std::size_t place_of(std::size_t rank, std::size_t i) const {
    std::size_t place = 0;
    for (std::size_t j = 0; j < i; ++j)
      place +=
          ranks_[rank][j].kind == ActivityKind::collective && ranks_[rank][j].group == ranks_[rank][i].group ? 1 : 0;
    return place;
  }

  const std::vector<std::vector<Node>>& ranks_;
  std::vector<std::vector<bool>> done_;
};

}  // namespace

TEST_CASE("a deadlock is found exactly when there is one, and as far as possible everything was done before") {
  int deadlocks = 0, successes = 0;
  CHECK(rc::check([&] {
    const auto ranks = careless_ranks();
    std::vector<std::uint32_t> everybody;
    std::size_t total = 0;
    for (const std::vector<Node>& nodes : ranks) {
      everybody.push_back(static_cast<std::uint32_t>(everybody.size()));
      total += nodes.size();
    }
    const workload::Workload job = make_job(ranks, {{"g", everybody}});
    EngineOptions rendezvous;
    rendezvous.eager_limit_bytes = -1;
    FixedNetwork network(10, 1);
    const Result<Schedule> schedule = execute(job, network, rendezvous);
    const std::size_t feasible = Feasibility(ranks).done_count();
    RC_ASSERT(schedule.ok() == (feasible == total));
    schedule.ok() ? ++successes : ++deadlocks;
    if (schedule.ok()) return;
    const std::string& message = schedule.error().message;
    RC_ASSERT(message.find(fmt::format(" with {} of {} activities done: rank ", feasible, total)) != std::string::npos);
    RC_ASSERT(message.starts_with("deadlock after "));
    RC_ASSERT(message.ends_with(": a cycle"));
  }));
  CHECK(deadlocks > 0);
  CHECK(successes > 0);
}

}  // namespace orrery::simulate::testing
