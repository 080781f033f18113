// What holds in every world of a serving engine, whatever its settings: held against random ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/io/csv.h"
#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

constexpr double kFarAwayUs = 1e9;

struct World {
  EnginePlan plan;
  std::vector<Asked> asked;
  std::size_t probes = 0;  ///< the last so many: alone, far behind all others, one for each replica that is left
};

void draw_requests_of(World& world, std::uint64_t& state, bool tight) {
  const std::uint32_t count = 5 + below(state, 60);
  double at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    // Some come together.
    if (below(state, 4) > 0) at += below(state, 200);
    Asked one{at, 1 + below(state, tight ? 30 : 120), 1 + below(state, 40)};
    if (world.plan.limits.prefix_tokens > 0) {
      for (std::uint32_t piece = 0; piece * 8 < one.prompt; ++piece) one.pieces.push_back(piece + 16 * below(state, 2));
    }
    world.asked.push_back(one);
  }
}

World random_world(std::uint64_t seed) {
  std::uint64_t state = seed;
  World world;
  EngineLimits& limits = world.plan.limits;
  const bool tight = below(state, 2) == 0;
  limits.block_tokens = 4;
  limits.kv_blocks = tight ? 18 + below(state, 30) : 400;
  limits.max_requests = 1 + below(state, 16);
  limits.max_batch_tokens = below(state, 2) == 0 ? 16 : 200;
  limits.prefix_cache = below(state, 2) == 0;
  limits.prefix_tokens = limits.prefix_cache && below(state, 2) == 0 ? 8 : 0;
  limits.reserve_prompt = below(state, 2) == 0;
  // Without pieces a preempted request may need a step that nothing can make.
  limits.chunked_prefill = tight || limits.max_batch_tokens == 16 || below(state, 2) == 0;
  world.plan.routing = static_cast<Routing>(below(state, 2));
  world.plan.replicas = 1 + below(state, 3);
  draw_requests_of(world, state, tight);
  std::size_t left = static_cast<std::size_t>(world.plan.replicas);
  switch (below(state, 5)) {
    case 0:
      world.plan.disaggregation = Disaggregation{.prefill = 2.0,
                                                 .decode = 1.0 + below(state, 2),
                                                 .kv_bytes_per_token = 1000,
                                                 .link_gb_per_s = 1,
                                                 .link_latency_us = 3};
      left = 2;
      break;
    case 1: world.plan.experts_shared = true; break;
    case 2:
      if (world.plan.replicas == 1) break;
      world.plan.failure = Failure{below(state, static_cast<std::uint32_t>(left)), below(state, 5000) * kPsPerUs};
      --left;
      break;
    case 3: world.plan.closed = ClosedLoop{.concurrency = 1.0 + below(state, 9)}; return world;
    default: break;
  }
  world.probes = left;
  for (std::size_t i = 0; i < left; ++i) world.asked.push_back({kFarAwayUs, 1, 1});
  return world;
}

}  // namespace

TEST_CASE("in every world all requests end, and every part of their time is told") {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    CAPTURE(seed);
    const World world = random_world(seed);
    const Requests requests = requests_of(world.asked);
    const auto run = serve(world.plan, requests, LinearCost(kSmallStep));
    REQUIRE_MESSAGE(run.ok(), (run ? "" : run.error().to_string()));
    std::uint64_t tokens_after_first = 0, gaps = 0;
    TimePs between = 0, in_gaps = 0;
    for (RequestIndex request = 0; request < requests.size(); ++request) {
      const RequestRecord& record = run->records[request];
      CHECK(record.arrival_ps <= record.admitted_ps);
      CHECK(record.admitted_ps < record.first_ps);
      CHECK(record.first_ps <= record.last_ps);
      CHECK((record.first_ps == record.last_ps) == (requests.generate[request] == 1));
      CHECK(record.cached_tokens < requests.prompt[request]);
      // To the picosecond.
      CHECK(explained(record) == record.first_ps - record.arrival_ps);
      for (const TimePs part : record.queued_ps) CHECK(part >= 0);
      for (const TimePs part : {record.own_ps, record.prefill_of_others_ps, record.decode_of_others_ps, record.step_ps})
        CHECK(part >= 0);
      tokens_after_first += requests.generate[request] - 1;
      between += record.last_ps - record.first_ps;
    }
    for (const TokenGap& gap : run->gaps) {
      gaps += gap.count;
      in_gaps += gap.gap_ps * static_cast<TimePs>(gap.count);
    }
    CHECK(gaps == tokens_after_first);
    CHECK(in_gaps == between);
  }
}

TEST_CASE("when all have ended no block is in use") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const World world = random_world(seed);
    std::size_t probed = 0;
    served_requests(world.plan, requests_of(world.asked), [&](const StepRecord& step, const Replica&) {
      if (us(step.begin_ps) < kFarAwayUs) return;
      ++probed;
      CHECK(step.used_blocks == 1);
      CHECK(step.running == 1);
      CHECK(step.waiting == 0);
    });
    CHECK(probed == world.probes);
  }
}

TEST_CASE("a step holds what it may") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const World world = random_world(seed);
    served_requests(world.plan, requests_of(world.asked), [&](const StepRecord& step, const Replica& replica) {
      CHECK(step.prompt_tokens + step.decodes <= world.plan.limits.max_batch_tokens);
      CHECK(step.running <= world.plan.limits.max_requests);
      CHECK(step.used_blocks <= world.plan.limits.kv_blocks);
      CHECK(replica.batch().sampled <= replica.batch_members().size());
    });
  }
}

TEST_CASE("rows of a table may stand in any order") {
  std::uint64_t state = 7;
  const std::string header = "id,arrival_s,prompt,generate\n";
  std::vector<std::string> rows;
  // No two at one moment: those would go by the table.
  for (int i = 0; i < 40; ++i)
    rows.push_back(fmt::format("q{},{},{},{}\n", i, i * 5e-5, 1 + below(state, 90), 1 + below(state, 20)));
  const auto run_of = [&] {
    std::string text = header;
    for (const std::string& row : rows) text += row;
    const auto table = parse_csv(text, "requests.csv");
    REQUIRE(table.ok());
    const auto requests = read_requests(*table, {});
    REQUIRE(requests.ok());
    const ServedRun run = served_requests(small_engine(60, 32), *requests);
    std::map<std::string, std::pair<TimePs, TimePs>> times;
    for (RequestIndex request = 0; request < requests->size(); ++request)
      times[std::string(requests->name(request))] = {run.records[request].first_ps, run.records[request].last_ps};
    return times;
  };
  const auto in_order = run_of();
  for (std::size_t i = rows.size() - 1; i > 0; --i)
    std::swap(rows[i], rows[below(state, static_cast<std::uint32_t>(i))]);
  CHECK(run_of() == in_order);
}
