// Programs that come in windows: the same schedule as from the whole program, bit for bit, in the memory of a few
// windows.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

#include "comm_cases.h"
#include "generate/pipeline_step.h"
#include "random_job.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/run_state.h"
#include "simulate/summed_schedule.h"
#include "windowed_source.h"

namespace orrery::simulate::testing {
namespace {

using Cuts = std::vector<std::vector<std::uint32_t>>;

// Where windows end: random, also windows of one activity and of none.
Cuts random_cuts(const std::vector<std::vector<Node>>& ranks) {
  Cuts cuts;
  for (const std::vector<Node>& nodes : ranks) {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      for (TimePs n = draw(0, 8); n > 5; --n) ends.push_back(i);
    }
    ends.push_back(static_cast<std::uint32_t>(nodes.size()));
    cuts.push_back(std::move(ends));
  }
  return cuts;
}

// Cuts without the windows that have nothing in them.
std::vector<std::uint32_t> filled(const std::vector<std::uint32_t>& cuts) {
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t end : cuts) {
    if (end > 0 && (ends.empty() || ends.back() != end)) ends.push_back(end);
  }
  return ends;
}

EngineOptions random_options() {
  EngineOptions options;
  options.compute_slots = static_cast<std::uint32_t>(draw(1, 3));
  options.eager_limit_bytes = draw(-1, 500);
  options.eager_overhead_ps = draw(0, 50);
  return options;
}

/// All that it is told, in order.
struct Listing : ScheduleSink {
  Status begin(const RunLayout&) override {
    activities.clear();
    return {};
  }
  void started(const ExecutedActivity& activity, TimePs now) override {
    activities[{activity.rank_class, activity.number}].first = now;
  }
  void ended(const ExecutedActivity& activity, TimePs now) override {
    activities[{activity.rank_class, activity.number}].second = now;
  }
  void collective_ended(std::uint32_t, std::uint64_t, const CollectiveUse&) override { ++collectives; }
  [[nodiscard]] bool wants_causes() const override { return true; }
  void start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs) override {
    causes[{activity.rank_class, activity.number}] = {cause.kind, cause.activity};
  }
  void last_arrival_known(const ExecutedActivity& activity, const LastArrival& last) override {
    last_places[{activity.rank_class, activity.number}] = last.place;
  }

  using Key = std::pair<std::uint32_t, std::uint64_t>;
  std::map<Key, std::pair<TimePs, TimePs>> activities;
  std::map<Key, std::pair<CauseKind, std::uint64_t>> causes;
  std::map<Key, std::uint32_t> last_places;
  std::uint64_t collectives = 0;
};

std::string complaint(workload::WorkloadSource& source) {
  FixedNetwork network(10, 1);
  Listing listing;
  const auto run = execute(source, network, {}, listing);
  return run ? "" : run.error().message;
}

}  // namespace

TEST_CASE("what comes of a program does not depend on where it is cut into windows") {
  CHECK(rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    const Cuts cuts = random_cuts(ranks);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (Node& node : ranks[r]) {  // some dependencies are on the start only
        for (std::size_t i = 0; i < node.after.size();) {
          if (draw(0, 5) != 0) ++i;
          else
            node.with.push_back(node.after[i]), node.after.erase(node.after.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      ranks[r] = anchored(ranks[r], filled(cuts[r]));
    }
    EngineOptions options = random_options();
    options.keep_causes = *rc::gen::arbitrary<bool>();
    FixedNetwork network(100, 2), again(100, 2), unknown(100, 2);
    const auto whole = execute(make_job(ranks), network, options);
    WindowedSource source(make_job(ranks), ranks, cuts, true);
    const auto windows = execute(source, again, options);
    RC_ASSERT(whole.ok());
    RC_ASSERT(windows.ok());
    RC_ASSERT(*whole == *windows);
    RC_ASSERT(network.log().size() == again.log().size());
    for (std::size_t i = 0; i < network.log().size(); ++i) RC_ASSERT(network.log()[i].id == again.log()[i].id);
    // And if nobody knows how long the programs are.
    WindowedSource open(make_job(ranks), ranks, cuts, false);
    Listing listing;
    const auto streamed = execute(open, unknown, options, listing);
    RC_ASSERT(streamed.ok());
    RC_ASSERT(streamed->makespan_ps() == whole->makespan_ps());
    RC_ASSERT(std::equal(streamed->ranks.begin(), streamed->ranks.end(), whole->ranks.begin(), whole->ranks.end()));
    RC_ASSERT(listing.collectives == whole->collectives.size());
    std::size_t number = 0;
    for (const auto& [place, times] : listing.activities) {  // by rank, then activity: as the schedule numbers them
      RC_ASSERT(times == std::pair(whole->start_ps[number], whole->end_ps[number]));
      if (options.keep_causes) {
        RC_ASSERT(static_cast<std::uint8_t>(listing.causes.at(place).first) == whole->causes.kinds[number]);
        RC_ASSERT(listing.causes.at(place).second == whole->causes.activities[number]);
        const auto last = listing.last_places.find(place);
        RC_ASSERT((last == listing.last_places.end() ? kItself : last->second) == whole->causes.last_places[number]);
      }
      ++number;
    }
    RC_ASSERT(number == whole->activity_count());
  }));
}

TEST_CASE("steps of a pipeline, made one by one, are the job of all steps; alike ranks are still executed as one") {
  for (const auto routing : {machine::Routing::shortest, machine::Routing::ecmp}) {
    generate::PipelineStep step;
    step.tensor_parallel = 2;
    step.data_parallel = 2;
    step.pipeline_parallel = 2;
    step.microbatches = 2;
    step.layers = 4;
    step.kernels_per_layer = 2;
    step.activation_bytes = 100'000;
    step.gradient_bytes = 1'000'000;
    step.steps = 5;
    machine::Dimension outer = dimension(machine::Topology::leaf_spine, 4, 2, 700);
    outer.leaf_spine.leaf_size = 2;
    outer.leaf_spine.spine_count = 2;
    machine::Machine machine = machine_of({switched(2, 10, 100), outer});
    machine.routing = routing;
    const auto network = take(machine::Network::build(machine));
    const auto model = link_model("fluid", network), again = link_model("fluid", network);
    const workload::Workload whole = take(generate::pipeline_step(step));
    const auto source = take(generate::pipeline_source(step));
    const auto kept = execute(whole, *model);
    const auto windows = execute(*source, *again);
    REQUIRE_MESSAGE(kept.ok(), kept.error().message);
    REQUIRE_MESSAGE(windows.ok(), windows.error().message);
    CHECK(*kept == *windows);
    again->restart();
    SummedSchedule sums;
    EngineOptions options;
    options.detail = Detail::executed_ranks;
    const auto summed = execute(*source, *again, options, sums);
    REQUIRE(summed.ok());
    if (routing == machine::Routing::shortest) CHECK(summed->executed_ranks.size() == 2);
    CHECK(summed->makespan_ps() == kept->makespan_ps());
    CHECK(sums.activities() == whole.first_activities().back());
    std::uint64_t calls = 0;
    for (const auto& row : sums.collectives().rows()) calls += row.second.calls;
    CHECK(calls == kept->collectives.size());
  }
}

TEST_CASE("a rank in a window has the next one, and no more") {
  // 100 windows of one compute, each after the one before.
  std::vector<Node> nodes;
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t i = 0; i < 100; ++i) {
    nodes.push_back(compute(10, i == 0 ? After{} : After{i - 1}));
    cuts.push_back(i + 1);
  }
  struct Watching : Listing {
    void ended(const ExecutedActivity& activity, TimePs now) override {
      Listing::ended(activity, now);
      most_ahead = std::max(most_ahead, source->made - activity.number);
    }
    const WindowedSource* source = nullptr;
    std::uint64_t most_ahead = 0;
  } watching;
  WindowedSource source(make_job({nodes}), {nodes}, {cuts}, true);
  watching.source = &source;
  FixedNetwork network;
  const auto run = execute(source, network, {}, watching);
  REQUIRE(run.ok());
  CHECK(run->makespan_ps() == 1'000);
  CHECK(source.made == 100);
  CHECK(watching.most_ahead == 2);
}

TEST_CASE("a schedule is kept only of programs that say how long they are") {
  const std::vector<Node> nodes = {compute(10)};
  WindowedSource source(make_job({nodes}), {nodes}, {{1}}, false);
  FixedNetwork network;
  const auto kept = execute(source, network);
  REQUIRE(!kept.ok());
  CHECK(kept.error().message == "rank 0 does not say how long its program is");
}

TEST_CASE("an activity that takes no time may be the last of its window, and others start with it") {
  const std::vector<Node> nodes = {nothing(), with({0}, nothing()), with({1}, compute(10))};
  WindowedSource source(make_job({nodes}), {nodes}, {{1, 2, 3}}, true);
  FixedNetwork network;
  const auto run = execute(source, network);
  REQUIRE(run.ok());
  CHECK(run->makespan_ps() == 10);
}

TEST_CASE("what a source does wrong is an error that says what") {
  const std::vector<Node> two = {compute(10), compute(10)};
  WindowedSource loose(make_job({two}), {two}, {{1, 2}}, true);
  CHECK(complaint(loose) == "rank 0, node 1 (compute) depends on nothing in its own window or the one before");

  const std::vector<Node> sends = {send(1, 100), send(1, 100, {0})}, recvs = {recv(0, 100), recv(0, 90, {0})};
  WindowedSource sizes(make_job({sends, recvs}), {sends, recvs}, {{1, 2}, {1, 2}}, true);
  CHECK(complaint(sizes) == "rank 0 sends 100 bytes but rank 1, node 1 (recv) expects 90");

  const std::vector<Node> large = {all_reduce(8), all_reduce(16, {0})}, small = {all_reduce(8), all_reduce(12, {0})};
  WindowedSource differ(make_job({large, small}), {large, small}, {{1, 2}, {1, 2}}, true);
  CHECK(complaint(differ) ==
        "rank 0, node 1 (all_reduce) and rank 1, node 1 (all_reduce) are both collective 1 of all ranks but differ in "
        "size: 16 and 12 bytes");

  const std::vector<Node> once = {all_reduce(8)};
  WindowedSource announced(make_job({large, once}), {large, once}, {{1, 2}, {1}}, true);
  CHECK(complaint(announced) == "rank 1 has 1 collective of all ranks, rank 0 has 2");
  WindowedSource missing(make_job({large, once}), {large, once}, {{1, 2}, {1}}, false);
  CHECK(complaint(missing) ==
        "deadlock after 18 ps with 2 activities done: rank 0, node 1 (all_reduce) waits for rank 1, which has nothing "
        "left to do");
}

TEST_CASE("numbers of messages and collectives beyond 2^32") {
  // One that says that it is long, and is not: numbers are given by what was announced.
  struct Long : WindowedSource {
    using WindowedSource::WindowedSource;
    [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
      static thread_local workload::ProgramStructure longer;
      longer = WindowedSource::structure(program);
      if (longer.length) longer.length->sends += std::uint64_t{1} << 33;
      return longer;
    }
  };
  const std::vector<Node> first = {send(1, 100'000), all_reduce(10, {0})},
                          second = {recv(0, 100'000), all_reduce(10, {0})};
  Long source(make_job({first, second}), {first, second}, {{2}, {2}}, true);
  CHECK(complaint(source).find("is not as long as it announced") != std::string::npos);
  WindowedSource open(make_job({first, second}), {first, second}, {{1, 2}, {1, 2}}, false);
  FixedNetwork network(10, 1);
  Listing listing;
  REQUIRE(execute(open, network, {}, listing).ok());
  REQUIRE(network.log().size() == 2);
  CHECK(network.log()[0].id > std::uint64_t{1} << 32);  // the message comes after all collectives there might be
  CHECK(network.log()[1].id == 0);
}

}  // namespace orrery::simulate::testing

namespace orrery::simulate {

TEST_CASE("pieces do not overlap, and what was given back is used again") {
  CounterSlabs slabs;
  const CounterSlabs::Piece a = slabs.take(600'000), b = slabs.take(600'000), c = slabs.take(100);
  CHECK(a.slab != b.slab);  // two do not fit into one block
  CHECK(c.slab == b.slab);
  CHECK(c.counters.data() == b.counters.data() + 600'000);
  slabs.give_back(b);
  CHECK(slabs.take(10).counters.data() == c.counters.data() + 100);  // the block is still in use
  slabs.give_back(a);
  const CounterSlabs::Piece large = slabs.take(5'000'000);  // larger than a block
  CHECK(large.counters.size() == 5'000'000);
  CHECK(large.slab == a.slab);
  large.counters.back() = 7;
}

}  // namespace orrery::simulate
