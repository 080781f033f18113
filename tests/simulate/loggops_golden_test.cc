// What LogGOPSim answers for the schedules that its schedgen makes, with its default parameters and with those of a Cray.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "generate/mpi_patterns.h"
#include "simulate/loggops/loggops.h"

using namespace orrery;
using namespace orrery::simulate;

namespace {

loggops::Parameters parameters(bool cray) {
  if (!cray) return {};  // L 2500, o 1500, g 1000, G 6 ns, S 65535
  return {.latency_ps = 1400 * kPsPerNs,
          .overhead_ps = 400 * kPsPerNs,
          .gap_ps = 200 * kPsPerNs,
          .gap_per_byte_fs = 1'000'000,
          .overhead_per_byte_fs = 0,
          .largest_eager_message_bytes = 8192};
}

graph::Workload pattern(std::string_view name, std::uint32_t ranks, std::int64_t bytes) {
  auto workload = generate::mpi_pattern(name, {.ranks = ranks, .bytes = bytes});
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  return std::move(*workload);
}

loggops::Simulation simulated(const graph::Workload& workload, bool cray) {
  auto simulation = loggops::simulate(workload, {.parameters = parameters(cray)});
  REQUIRE_MESSAGE(simulation.ok(), simulation.error().to_string());
  CHECK(simulation->schedule.check().ok());
  return std::move(*simulation);
}

struct Row {
  std::string_view pattern;
  std::uint32_t ranks;
  std::int64_t bytes;
  std::uint64_t events;
  TimePs default_ns, cray_ns;
};

constexpr Row kRows[] = {
    // clang-format off
    Row{"binomialtreebcast", 8, 1024, 21, 34914, 9669},
    Row{"binomialtreebcast", 32, 1, 93, 27500, 11000},
    Row{"binomialtreebcast", 1024, 65536, 3069, 3987100, 677350},
    Row{"binomialtreebcast", 65536, 1024, 196605, 186208, 51568},
    Row{"binomialtreereduce", 8, 1024, 21, 34914, 9669},
    Row{"binomialtreereduce", 1024, 1024, 3069, 116380, 32230},
    Row{"dissemination", 16, 1, 192, 22000, 8800},
    Row{"dissemination", 1024, 1, 30720, 55000, 22000},
    Row{"dissemination", 16384, 1, 688128, 77000, 30800},
    Row{"allreduce_recdoub", 64, 1048576, 2304, 12452232, 2090772},
    Row{"allreduce_ring", 8, 8192, 336, 162932, 45122},
    Row{"linear_alltoall", 64, 4096, 12096, 1894410, 396585},
    Row{"linear_alltoall", 256, 4096, 195840, 7667850, 1605225},
    Row{"linear_alltoall", 128, 4096, 48768, 3818890, 799465},
    Row{"gather", 64, 4096, 189, 1646410, 284985},
    Row{"scatter", 64, 4096, 189, 1615410, 272585},
    Row{"binarytreebcast", 64, 4096, 189, 278200, 52950},
    Row{"pipelinedring", 16, 64, 2880, 361500, 116200},
    Row{"doublering", 16, 64, 96, 97804, 37134},
    // clang-format on
};

struct HostTimes {
  std::string_view pattern;
  std::uint32_t ranks;
  std::int64_t bytes;
  bool cray;
  std::vector<TimePs> ns;
};

const HostTimes kHostTimes[] = {
    // clang-format off
    HostTimes{"binomialtreebcast", 8, 1024, false, {15776, 20276, 20276, 24776, 25914, 30414, 30414, 34914}},
    HostTimes{"binomialtreebcast", 8, 1024, true, {2846, 4846, 4846, 6846, 5669, 7669, 7669, 9669}},
    HostTimes{"binomialtreereduce", 8, 1024, false, {34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500}},
    HostTimes{"binomialtreereduce", 8, 1024, true, {9669, 6846, 3623, 3623, 400, 400, 400, 400}},
    HostTimes{"pipelinedring", 16, 64, false, {96000, 196000, 239000, 259500, 272500, 281000, 289500, 298000, 306500, 315000, 323500, 332000, 340500, 349000, 357500, 361500}},
    HostTimes{"pipelinedring", 16, 64, true, {25600, 53000, 65600, 72200, 76400, 80200, 84000, 87800, 91600, 95400, 99200, 103000, 106800, 110600, 114400, 116200}},
    HostTimes{"doublering", 16, 64, false, {97804, 93048, 87170, 81292, 75414, 69536, 63658, 57780, 51902, 56280, 62158, 68036, 73914, 79792, 85670, 91548}},
    HostTimes{"doublering", 16, 64, true, {37134, 35208, 32945, 30682, 28419, 26156, 23893, 21630, 19367, 21230, 23493, 25756, 28019, 30282, 32545, 34808}},
    // clang-format on
};

}  // namespace

TEST_CASE("the makespan and the number of events are LogGOPSim's") {
  for (const Row& row : kRows) {
    const graph::Workload workload = pattern(row.pattern, row.ranks, row.bytes);
    for (const bool cray : {false, true}) {
      CAPTURE(row.pattern);
      CAPTURE(row.ranks);
      CAPTURE(row.bytes);
      CAPTURE(cray);
      const loggops::Simulation simulation = simulated(workload, cray);
      CHECK(simulation.schedule.makespan_ps() == (cray ? row.cray_ns : row.default_ns) * kPsPerNs);
      CHECK(simulation.events == row.events);
    }
  }
}

TEST_CASE("every rank ends when it does in LogGOPSim") {
  for (const HostTimes& expected : kHostTimes) {
    CAPTURE(expected.pattern);
    CAPTURE(expected.cray);
    const graph::Workload workload = pattern(expected.pattern, expected.ranks, expected.bytes);
    const loggops::Simulation simulation = simulated(workload, expected.cray);
    const std::vector<std::uint64_t> first = workload.first_activities();
    for (std::size_t rank = 0; rank < expected.ns.size(); ++rank) {
      const auto& ends = simulation.schedule.end_ps;
      CHECK(*std::max_element(ends.begin() + first[rank], ends.begin() + first[rank + 1]) == expected.ns[rank] * kPsPerNs);
    }
  }
}

TEST_CASE("where LogGOPSim loses messages by sorting them out of order, the schedule still ends; its way is there for comparison") {
  struct Lost {
    std::string_view pattern;
    std::uint32_t ranks;
    std::int64_t bytes;
  };
  for (const Lost& lost : {Lost{"allreduce_recdoub", 1024, 1024}, Lost{"allreduce_ring", 64, 1048576}}) {
    CAPTURE(lost.pattern);
    const graph::Workload workload = pattern(lost.pattern, lost.ranks, lost.bytes);
    simulated(workload, false);
    const auto like_loggopsim = loggops::simulate(workload, {.parameters = parameters(false), .compat_loggopsim = true});
    REQUIRE_FALSE(like_loggopsim.ok());
    CHECK(like_loggopsim.error().message.find("rank 0, node ") != std::string::npos);
    CHECK(like_loggopsim.error().message.find("waits for a message from rank ") != std::string::npos);
  }
}
