// What communicates on the devices, by library, kind and role.
#include "analyze/device/communication.h"

#include <doctest/doctest.h>

#include "small_devices.h"
#include "trace/names/rules.h"
#include "trace/select_events.h"

namespace orrery::analyze {
namespace {

using testing::us;

TEST_CASE("works of one library, kind and role are summed; overlaps count once, and computing hides") {
  const causal::testing::SmallTrace small(R"trace(
    gpu0/7  0    100  kernel  gemm
    gpu0/8  80   40   kernel  ep::dispatch<8>
    gpu0/9  100  40   kernel  ep::dispatch<8>
    gpu0/8  200  10   kernel  ep::dispatch<4>
    gpu0/8  300  20   kernel  ep::layout
    gpu0/9  310  20   kernel  ncclDevKernel_AllReduce_Sum_f32_RING_LL
    gpu1/7  80   10   kernel  ep::dispatch<8>
  )trace");
  trace::Trace trace = trace::copy_of(small.trace());
  std::vector<trace::CommunicationRule> rules(2);
  rules[0] = {.name = "ep::dispatch<(\\d+)>", .library = "ep", .kind = "dispatch", .group_size = "$1"};
  rules[1] = {.name = "ep::layout", .library = "ep", .role = trace::CommunicationRole::setup};
  trace.rules = std::make_shared<const trace::Rules>(std::move(rules), std::vector<trace::StepRule>());
  const std::vector<DeviceRank> ranks = testing::look(trace);
  const std::vector<CommunicationSum> sums = sum_communication(ranks.front(), {});
  REQUIRE(sums.size() == 4);
  CHECK(sums[0].facts.library == "ep");
  CHECK(sums[0].facts.group_size == 8);
  CHECK(sums[0].names == 1);
  CHECK(sums[0].works == 3);
  CHECK(sums[0].sum == 90 * us);
  CHECK(sums[0].any == 70 * us);  // 60 on one device, 10 on the other
  CHECK(sums[0].exposed == 50 * us);
  CHECK(sums[1].facts.role == trace::CommunicationRole::setup);
  CHECK(sums[1].sum == 20 * us);
  CHECK_FALSE(sums[1].exposed);
  CHECK(sums[2].facts.library == "nccl");
  CHECK(sums[2].facts.kind == "all_reduce");
  CHECK(sums[2].any == 20 * us);
  CHECK(sums[2].exposed == 10 * us);  // what prepares a communication computes
  CHECK(sums[3].facts.group_size == 4);
  CHECK_FALSE(sums[0].bytes);
  const report::Sheet sheet = communication_sheet(ranks, std::vector<OperandsByOperator>(ranks.size()));
  CHECK(sheet.rows() == 4);
  CHECK(sheet.is_null(sheet.find("kind"), 1));
  CHECK(sheet.is_null(sheet.find("exposed"), 1));
  CHECK(sheet.is_null(sheet.find("bytes"), 0));
}

TEST_CASE("all of it together is what the breakdown has") {
  const testing::SmallDevices mixed(testing::kMixed);
  const std::vector<CommunicationSum> sums = sum_communication(mixed.ranks.front(), {});
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].any == mixed.device().time_of(WorkType::communication));
  CHECK(sums[0].exposed == mixed.device().exposed_communication());
}

}  // namespace
}  // namespace orrery::analyze
