// What is worked out from a finished schedule must be what the engine counts while it runs.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "simulate/engine/engine.h"
#include "simulate/schedule_uses.h"
#include "small_job.h"

namespace orrery::simulate::testing {

TEST_CASE("ranks and collectives worked out afterwards are those that the engine counted") {
  CHECK(rc::check([] {
    const auto draw = [](TimePs from, TimePs to) { return *rc::gen::inRange<TimePs>(from, to); };
    std::vector<Node> nodes;
    const auto count = static_cast<std::uint32_t>(draw(1, 20));
    for (std::uint32_t i = 0; i < count; ++i) {
      Node node =
          draw(0, 2) == 0 ? all_reduce(draw(0, 500), {}, draw(0, 2) == 0 ? "everybody" : "") : compute(draw(0, 2'000));
      if (i > 0 && draw(0, 2) == 0) node.after.push_back(static_cast<std::uint32_t>(draw(0, i)));
      nodes.push_back(node);
    }
    workload::Workload job = make_uniform_job(3, nodes);
    job.groups.push_back({job.strings.intern("everybody"), {2, 0, 1}});
    FixedNetwork network(1000, 2);
    const auto schedule = execute(job, network);
    RC_ASSERT(schedule.ok());
    const auto same = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    RC_ASSERT(same(rank_uses(job, *schedule), schedule->ranks));
    RC_ASSERT(same(collective_uses(job, *schedule), schedule->collectives));
  }));
}

}  // namespace orrery::simulate::testing
