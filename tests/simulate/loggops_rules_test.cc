#include <doctest/doctest.h>

#include <string>

#include "goal_like.h"
#include "simulate/loggops/loggops.h"

using namespace orrery;
using namespace orrery::simulate;
using testing::calc;
using testing::recv;
using testing::send;
using testing::workload_of;

namespace {

// Numbers that cannot be mistaken for each other: L 1000, o 100, g 70, G 3, O 2 ns, S 64 bytes.
constexpr loggops::Parameters kParameters = {.latency_ps = 1000 * kPsPerNs,
                                             .overhead_ps = 100 * kPsPerNs,
                                             .gap_ps = 70 * kPsPerNs,
                                             .gap_per_byte_fs = 3'000'000,
                                             .overhead_per_byte_fs = 2'000'000,
                                             .largest_eager_message_bytes = 64};

/// "0-100 0-1200": start and end of every activity in ns, in order.
std::string times(const std::vector<std::vector<testing::Op>>& ranks,
                  const loggops::Parameters& parameters = kParameters) {
  const auto simulation = loggops::simulate(workload_of(ranks), {.parameters = parameters});
  if (!simulation) return simulation.error().message;
  CHECK(simulation->schedule.check().ok());
  std::string text;
  for (std::size_t i = 0; i < simulation->schedule.activity_count(); ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(simulation->schedule.start_ps[i] / kPsPerNs) + "-" +
            std::to_string(simulation->schedule.end_ps[i] / kPsPerNs);
  }
  return text;
}

}  // namespace

TEST_CASE("one message: o at both ends, L between, G at the receiver") {
  CHECK(times({{send(1, 1)}, {recv(0, 1)}}) == "0-100 0-1200");
  CHECK(times({{send(1, 11)}, {recv(0, 11)}}) == "0-120 0-1230");  // 10 O at the sender; 10 max(O, G) at the receiver
  CHECK(times({{send(1, 0)}, {recv(0, 0)}}) == "0-100 0-1200");    // no bytes cost what one does
}

TEST_CASE("a processor does one thing at a time, sends first") {
  CHECK(times({{calc(50), calc(7, {0}), calc(30)}}) == "0-50 80-87 50-80");
  CHECK(times({{calc(50), send(0, 1), recv(0, 1)}}) == "100-150 0-100 0-1200");  // posting a receive needs no processor
}

TEST_CASE("an interface sends one message at a time") {
  // The second waits for g + 40 G = 190, not for the processor, which is free after o + 40 O = 180.
  CHECK(times({{send(1, 41), send(1, 1)}, {recv(0, 41), recv(0, 1)}}) == "0-180 190-290 0-1320 0-1420");
}

TEST_CASE("a receiver busy with one message takes the next when it is done") {
  // Both arrive at 1100; the first keeps the processor for o = 100.
  CHECK(times({{recv(1, 1), recv(2, 1)}, {send(0, 1)}, {send(0, 1)}}) == "0-1200 0-1300 0-100 0-100");
}

TEST_CASE("a message that is there first is charged when it comes, not when it is received") {
  CHECK(times({{send(1, 1)}, {calc(5000), recv(0, 1, {0}), calc(10, {1})}}) == "0-100 0-5000 5000-5100 5100-5110");
  // The processor is busy until 1090, takes the message at 1100, then computes; the receive, posted late, costs
  // nothing.
  CHECK(times({{send(1, 1)}, {calc(1090), calc(1000, {0}), recv(0, 1, {1})}}) == "0-100 0-1090 1090-2090 2090-2190");
}

TEST_CASE("a large message holds its sender until it is matched") {
  CHECK(times({{send(1, 64), calc(1, {0})}, {recv(0, 64)}}) == "0-226 226-227 0-1389");
  CHECK(times({{send(1, 65), calc(1, {0})}, {recv(0, 65)}}) == "0-1100 1100-1101 0-1392");
  CHECK(times({{send(1, 65), calc(1, {0})}, {calc(3000), recv(0, 65, {0})}}) == "0-3000 3000-3001 0-3000 3000-3292");
}

TEST_CASE("a start dependency waits for the start only") {
  CHECK(times({{calc(100), {.size = 7, .after_start = {0}, .cpu = 1}}}) == "0-100 0-7");
  CHECK(times({{calc(100), {.size = 7, .after = {0}, .cpu = 1}}}) == "0-100 100-107");
  CHECK(times({{recv(1, 1), {.kind = workload::ActivityKind::send, .size = 1, .peer = 1, .after_start = {0}}},
               {recv(0, 1), send(0, 1, {0})}}) == "0-2400 0-100 0-1200 1200-1300");
}

TEST_CASE("processors and interfaces work side by side; a message uses the receiver's of the same number") {
  CHECK(times({{calc(500), {.kind = workload::ActivityKind::send, .size = 1, .peer = 1, .cpu = 1}},
               {calc(5000), recv(0, 1)}}) == "0-500 0-100 0-5000 0-1200");
  testing::Op other_nic = send(1, 41);
  other_nic.nic = 1;
  CHECK(times({{send(1, 41), other_nic}, {recv(0, 41), recv(0, 41)}}) == "0-180 180-360 0-1320 0-1540");
}

TEST_CASE("wildcards match the first that fits") {
  // Rank 2's message, sent at 9, waits for the processor when the computation becomes free, and goes before it.
  CHECK(times({{recv(-1, 1), calc(1, {0}), recv(2, 1)}, {send(0, 1)}, {calc(9), send(0, 1, {0})}}) ==
        "0-1200 1300-1301 0-1300 0-100 0-9 9-109");
  CHECK(times({{recv(1, 1, {}, 5), recv(1, 1, {}, -1)}, {send(0, 1, {}, 5), send(0, 1, {}, 6)}}) ==
        "0-1200 0-1300 0-100 100-200");
  CHECK(times({{recv(1, 1, {}, 5)}, {send(0, 1, {}, -1)}}) == "0-1200 0-100");
}

TEST_CASE("messages between the same ranks with the same tag do not overtake") {
  CHECK(times({{send(1, 1), send(1, 1)}, {recv(0, 1), recv(0, 1)}}) == "0-100 100-200 0-1200 0-1300");
}

TEST_CASE("what never ends is an error that says who waits for what") {
  CHECK(times({{recv(1, 8)}, {calc(1)}}) ==
        "deadlock after 0 with 1 of 2 operations done: rank 0, node 0 (recv) waits for a message from "
        "rank 1 with tag 0");
  CHECK(times({{recv(1, 8), send(1, 8, {0})}, {recv(0, 8), send(0, 8, {0})}})
            .find("0 of 4 operations done: rank 0, node 0 (recv) waits") != std::string::npos);
  CHECK(times({{send(1, 8)}, {calc(1)}})
            .find("the message of rank 0, node 0 (send) to rank 1 with tag 0 is never received") != std::string::npos);
  CHECK(times({{send(1, 8, {}, 3)}, {recv(0, 8, {}, 4)}})
            .find("waits for a message from rank 0 with tag 4; the message of rank 0, node 0 (send) to "
                  "rank 1 with tag 3 is never received") != std::string::npos);
  const std::string many = times({std::vector<testing::Op>(9, recv(-1, 8, {}, -1))});
  CHECK(many.find("0 of 9 operations done: rank 0, node 0 (recv) waits for a message from any rank with any tag; ") !=
        std::string::npos);
  CHECK(many.find("; 6 more receives wait") != std::string::npos);
}

TEST_CASE("what cannot be simulated is refused") {
  CHECK(times({{send(1, 8)}}) == "rank 0, node 0 (send) names rank 1");
  CHECK(times({{send(-1, 8)}, {}}) == "rank 0, node 0 (send) names rank -1");
  CHECK(times({{calc(-1)}}) == "rank 0, node 0 (compute) has a negative size or duration");
  workload::Workload no_peer = workload_of({{send(0, 8)}});
  no_peer.programs[0].flags[0] = 0;
  CHECK(loggops::simulate(no_peer, {}).error().message ==
        "rank 0, node 0 (send) does not say which rank its message is for or from");
  loggops::Parameters negative = kParameters;
  negative.gap_ps = -1;
  CHECK(times({{calc(1)}}, negative) == "the gap g is negative");
  loggops::Parameters huge = kParameters;
  huge.gap_per_byte_fs = graph::kMaxWeightPs / 4;
  CHECK(times({{send(0, INT64_MAX), recv(0, INT64_MAX), send(0, INT64_MAX, {1}), recv(0, INT64_MAX), send(0, 1, {3}),
                recv(0, 1)}},
              huge) == "the simulated time passes 53 days");
}

TEST_CASE("no ranks, no activities: nothing happens") {
  CHECK(loggops::simulate(workload_of({}), {})->schedule.makespan_ps() == 0);
  CHECK(loggops::simulate(workload_of({{}, {}}), {})->events == 0);
}
