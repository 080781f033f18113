#include "llm/steps/pipeline_order.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace orrery;
using namespace orrery::llm;

namespace {

using Orders = std::vector<std::vector<PassItem>>;

/// Runs all stages, each in its order, as far as what they wait for is there; whether all of it was done.
bool completes(const Orders& orders, std::uint32_t stages, std::uint32_t chunks) {
  std::set<std::tuple<Pass, std::uint32_t, std::uint32_t>> done;  // pass, part, micro-batch
  std::vector<std::size_t> at(stages, 0);
  const std::uint32_t parts = stages * chunks;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      while (at[stage] < orders[stage].size()) {
        const std::vector<PassItem>& order = orders[stage];
        // Pairs begin together.
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(at[stage]);
        const std::vector<PassItem> items(first, first + (first->is_paired ? 2 : 1));
        const bool ready = std::all_of(items.begin(), items.end(), [&](const PassItem& item) {
          const std::uint32_t part = item.chunk * stages + stage, i = item.micro_batch;
          if (item.pass == Pass::forward) return part == 0 || done.count({Pass::forward, part - 1, i}) > 0;
          if (item.pass == Pass::weight_gradient) return done.count({Pass::backward, part, i}) > 0;
          return done.count({Pass::forward, part, i}) > 0 &&
                 (part + 1 == parts || done.count({Pass::backward, part + 1, i}) > 0);
        });
        if (!ready) break;
        for (const PassItem& item : items) done.insert({item.pass, item.chunk * stages + stage, item.micro_batch});
        at[stage] += items.size();
        moved = true;
      }
    }
  }
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    if (at[stage] != orders[stage].size()) return false;
  }
  return true;
}

/// The most micro-batches that a stage has begun and not ended.
std::uint32_t most_in_flight(const std::vector<PassItem>& order, Pass frees) {
  std::uint32_t now = 0, most = 0;
  for (const PassItem& item : order) {
    if (item.pass == Pass::forward) most = std::max(most, ++now);
    if (item.pass == frees) --now;
  }
  return most;
}

}  // namespace

TEST_CASE("1F1B is the order of the paper") {
  const Orders orders = pipeline_orders(PipelineOrder::one_f_one_b, 3, 1, 4, {});
  const auto text = [](const std::vector<PassItem>& order) {
    std::string all;
    for (const PassItem& item : order)
      all += fmt::format("{}{} ", item.pass == Pass::forward ? 'F' : 'B', item.micro_batch);
    return all;
  };
  CHECK(text(orders[0]) == "F0 F1 F2 B0 F3 B1 B2 B3 ");
  CHECK(text(orders[1]) == "F0 F1 B0 F2 B1 F3 B2 B3 ");
  CHECK(text(orders[2]) == "F0 B0 F1 B1 F2 B2 F3 B3 ");
}

TEST_CASE("passes that run as pairs are of different micro-batches, and wait for no later pair") {
  const Orders orders = pipeline_orders(PipelineOrder::one_f_one_b, 3, 1, 8, {}, true);
  const auto forward_first = [](const std::vector<PassItem>& order) {
    return std::find_if(order.begin(), order.end(), [](const PassItem& item) { return item.pass == Pass::backward; }) -
           order.begin();
  };
  // Two per later stage and one, and the first of a pair.
  CHECK(forward_first(orders[0]) == 6);
  CHECK(forward_first(orders[1]) == 4);
  CHECK(forward_first(orders[2]) == 2);
  for (const auto& order : orders) {
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (!order[i - 1].is_paired) continue;
      CHECK(order[i].pass == Pass::backward);
      CHECK(order[i - 1].micro_batch != order[i].micro_batch);
    }
  }
}

TEST_CASE("interleaved chunks take micro-batches in groups of as many as there are stages") {
  const Orders orders = pipeline_orders(PipelineOrder::one_f_one_b, 2, 2, 4, {});
  // Stage 0 warms up with 2 (2 - 0 - 1) + (2 - 1) 2 = 4 forward passes: two micro-batches through both of its chunks.
  const std::vector<PassItem> begin(orders[0].begin(), orders[0].begin() + 4);
  CHECK(begin == std::vector<PassItem>{
                     {Pass::forward, 0, 0}, {Pass::forward, 0, 1}, {Pass::forward, 1, 0}, {Pass::forward, 1, 1}});
  CHECK(orders[0][5] == PassItem{Pass::backward, 1, 0});
}

TEST_CASE("every order runs every pass once, and none waits for ever") {
  CHECK(rc::check([] {
    const auto stages = *rc::gen::inRange<std::uint32_t>(1, 7);
    const auto order = *rc::gen::element(PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::zero_bubble);
    const auto chunks = order == PipelineOrder::one_f_one_b ? *rc::gen::inRange<std::uint32_t>(1, 4) : 1;
    const std::uint32_t micro_batches =
        chunks > 1 ? stages * *rc::gen::inRange<std::uint32_t>(1, 4) : *rc::gen::inRange<std::uint32_t>(1, 12);
    std::vector<PassDurations> durations(stages);
    for (PassDurations& one : durations) {
      one = {*rc::gen::inRange<TimePs>(0, 9), *rc::gen::inRange<TimePs>(0, 9), *rc::gen::inRange<TimePs>(0, 9),
             *rc::gen::inRange<TimePs>(0, 3)};
    }
    const bool pairs = order == PipelineOrder::one_f_one_b && *rc::gen::arbitrary<bool>();
    const Orders orders = pipeline_orders(order, stages, chunks, micro_batches, durations, pairs);
    RC_ASSERT(orders.size() == stages);
    const std::size_t passes = order == PipelineOrder::zero_bubble ? 3 : 2;
    for (const auto& one : orders) {
      std::map<std::tuple<Pass, std::uint32_t, std::uint32_t>, int> count;
      for (const PassItem& item : one) ++count[{item.pass, item.chunk, item.micro_batch}];
      RC_ASSERT(count.size() == passes * chunks * micro_batches);
      RC_ASSERT(one.size() == count.size());
      // A backward pass needs what its own forward pass kept.
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i].is_paired)
          RC_ASSERT(one[i].chunk != one[i + 1].chunk || one[i].micro_batch != one[i + 1].micro_batch);
      }
    }
    RC_ASSERT(completes(orders, stages, chunks));
  }));
}

TEST_CASE("memory in flight is that of the schedule") {
  constexpr std::uint32_t kStages = 4, kMicroBatches = 16;
  const std::vector<PassDurations> durations(kStages, {10, 10, 10, 1});
  const Orders plain = pipeline_orders(PipelineOrder::one_f_one_b, kStages, 1, kMicroBatches, {});
  const Orders zero = pipeline_orders(PipelineOrder::zero_bubble, kStages, 1, kMicroBatches, durations);
  const Orders all = pipeline_orders(PipelineOrder::gpipe, kStages, 1, kMicroBatches, {});
  for (std::uint32_t stage = 0; stage < kStages; ++stage) {
    CHECK(most_in_flight(plain[stage], Pass::backward) == kStages - stage);
    CHECK(most_in_flight(zero[stage], Pass::weight_gradient) <= kStages);
    CHECK(most_in_flight(all[stage], Pass::backward) == kMicroBatches);
  }
}
