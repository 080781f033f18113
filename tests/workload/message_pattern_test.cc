#include "workload/message_pattern.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

using namespace orrery::workload;

namespace {

using Append = std::function<void(MessagePattern&, std::uint32_t rank, std::uint32_t ranks)>;

std::vector<MessagePattern> all_ranks(const Append& append, std::uint32_t ranks) {
  std::vector<MessagePattern> patterns(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) append(patterns[rank], rank, ranks);
  return patterns;
}

/// Every message sent is received, in the same order between each two ranks.
void check_matched(const std::vector<MessagePattern>& patterns) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> sent, received;
  for (std::uint32_t rank = 0; rank < patterns.size(); ++rank) {
    for (const MessagePattern::Step& step : patterns[rank].steps()) {
      RC_ASSERT(step.peer < patterns.size());
      RC_ASSERT(step.peer != rank);
      (step.is_send ? sent[{rank, step.peer}] : received[{step.peer, rank}]).push_back(step.bytes);
    }
  }
  RC_ASSERT(sent == received);
}

/// Which ranks' values each rank holds at the end, if a message carries what its sender holds: rounds until nothing
/// changes.
std::vector<std::set<std::uint32_t>> spread(const std::vector<MessagePattern>& patterns) {
  std::vector<std::set<std::uint32_t>> holds(patterns.size());
  std::vector<std::size_t> done(patterns.size(), 0);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::set<std::uint32_t>>> flying;
  for (std::uint32_t rank = 0; rank < patterns.size(); ++rank) holds[rank] = {rank};
  // Each rank goes through its steps in order, as a blocking program would, sends never blocking.
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t rank = 0; rank < patterns.size(); ++rank) {
      while (done[rank] < patterns[rank].steps().size()) {
        const MessagePattern::Step& step = patterns[rank].steps()[done[rank]];
        auto& queue = step.is_send ? flying[{rank, step.peer}] : flying[{step.peer, rank}];
        if (step.is_send) {
          queue.push_back(holds[rank]);
        } else {
          if (queue.empty()) break;
          holds[rank].insert(queue.front().begin(), queue.front().end());
          queue.erase(queue.begin());
        }
        ++done[rank];
        moved = true;
      }
    }
  }
  return holds;
}

}  // namespace

TEST_CASE("every pattern receives what it sends") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 34);
    const auto root = *rc::gen::inRange<std::uint32_t>(0, ranks);
    const std::vector<Append> patterns = {
        [=](auto& p, auto rank, auto n) { append_binomial_broadcast(p, rank, n, root, 8); },
        [=](auto& p, auto rank, auto n) { append_binomial_reduce(p, rank, n, root, 8); },
        [=](auto& p, auto rank, auto n) { append_binary_broadcast(p, rank, n, 8); },
        [=](auto& p, auto rank, auto n) { append_dissemination(p, rank, n, 8); },
        [=](auto& p, auto rank, auto n) { append_ring(p, rank, n, n - 1, 8); },
        [=](auto& p, auto rank, auto n) { append_linear_all_to_all(p, rank, n, 8); },
        [=](auto& p, auto rank, auto n) { append_linear_gather(p, rank, n, root, 8); },
        [=](auto& p, auto rank, auto n) { append_linear_scatter(p, rank, n, root, 8); },
        [=](auto& p, auto rank, auto n) { append_pipelined_chain(p, rank, n, 100, 30); },
        [=](auto& p, auto rank, auto n) { append_double_ring(p, rank, n, 8); },
    };
    for (const Append& append : patterns) check_matched(all_ranks(append, ranks));
    const std::uint32_t power = 1u << *rc::gen::inRange(1, 6);
    check_matched(all_ranks([](auto& p, auto rank, auto n) { append_recursive_doubling(p, rank, n, 64); }, power));
    check_matched(all_ranks([](auto& p, auto rank, auto n) { append_recursive_halving(p, rank, n, 64); }, power));
  }));
}

TEST_CASE("data gets where the collective brings it") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 34);
    const auto root = *rc::gen::inRange<std::uint32_t>(0, ranks);
    const auto broadcast =
        spread(all_ranks([=](auto& p, auto rank, auto n) { append_binomial_broadcast(p, rank, n, root, 8); }, ranks));
    for (const auto& held : broadcast) RC_ASSERT(held.count(root) == 1u);
    const auto reduced =
        spread(all_ranks([=](auto& p, auto rank, auto n) { append_binomial_reduce(p, rank, n, root, 8); }, ranks));
    RC_ASSERT(reduced[root].size() == ranks);
    for (const auto& held :
         spread(all_ranks([](auto&p, auto rank, auto n) { append_dissemination(p, rank, n, 1); }, ranks)))
      RC_ASSERT(held.size() == ranks);
    for (const auto& held :
         spread(all_ranks([](auto&p, auto rank, auto n) { append_ring(p, rank, n, n - 1, 1); }, ranks)))
      RC_ASSERT(held.size() == ranks);
    const std::uint32_t power = 1u << *rc::gen::inRange(1, 6);
    for (const auto& held :
         spread(all_ranks([](auto&p, auto rank, auto n) { append_recursive_doubling(p, rank, n, 1); }, power)))
      RC_ASSERT(held.size() == power);
    for (const auto& held :
         spread(all_ranks([](auto&p, auto rank, auto n) { append_recursive_halving(p, rank, n, 1); }, power)))
      RC_ASSERT(held.size() == power);
  }));
}

TEST_CASE("steps wait for steps before them; a sequence waits for all of what came before it") {
  MessagePattern pattern;
  const auto first = pattern.recv(1, 8);
  pattern.recv(2, 8);
  const auto second = pattern.send(1, 8, {first, MessagePattern::kNothing});
  CHECK(std::vector(pattern.after(pattern.steps()[second]).begin(), pattern.after(pattern.steps()[second]).end()) ==
        std::vector<MessagePattern::StepId>{first});
  pattern.send(3, 8);
  pattern.recv(3, 8);
  pattern.sequence(3);
  CHECK(pattern.after(pattern.steps()[3]).size() == 3);
  CHECK(pattern.after(pattern.steps()[4]).empty());
  pattern.clear();
  CHECK(pattern.steps().empty());
}

TEST_CASE("halves get smaller, then larger again") {
  MessagePattern pattern;
  append_recursive_halving(pattern, 5, 8, 1000);
  std::vector<std::pair<std::uint32_t, std::int64_t>> sends;
  for (const MessagePattern::Step& step : pattern.steps()) {
    if (step.is_send) sends.emplace_back(step.peer, step.bytes);
  }
  CHECK(sends == std::vector<std::pair<std::uint32_t, std::int64_t>>{
                     {4, 500}, {7, 250}, {1, 125}, {1, 125}, {7, 250}, {4, 500}});
}
