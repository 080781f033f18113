// What LogGOPSim answers for the schedules that its schedgen makes, with its default parameters and with those of a
// Cray.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
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

workload::Workload pattern(std::string_view name, std::uint32_t ranks, std::int64_t bytes) {
  auto workload = generate::mpi_pattern(name, {.ranks = ranks, .bytes = bytes});
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  return std::move(*workload);
}

loggops::Simulation simulated(const workload::Workload& workload, bool cray) {
  auto simulation = loggops::simulate(workload, {.parameters = parameters(cray)});
  REQUIRE_MESSAGE(simulation.ok(), simulation.error().to_string());
  CHECK(simulation->schedule.check().ok());
  return std::move(*simulation);
}

/// A line of a table that LogGOPSim filled in: schedules of its own generator that it brings to an end.
struct Row {
  std::string pattern;
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;
  bool cray = false;
  std::uint64_t events = 0;
  TimePs makespan_ns = 0;
  std::vector<TimePs> host_ns;  ///< when each rank ended; often not recorded
};

// pattern,ranks,bytes,params,makespan_ns,events,host_times
std::vector<Row> recorded_rows() {
  std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/tests/simulate/data/loggopsim_answers.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() >= 6);
    Row row{cells[0],
            static_cast<std::uint32_t>(std::stoul(cells[1])),
            std::stoll(cells[2]),
            cells[3] == "cray",
            std::stoull(cells[5]),
            std::stoll(cells[4]),
            {}};
    std::istringstream hosts(cells.size() > 6 ? cells[6] : "");
    for (TimePs ns = 0; hosts >> ns;) row.host_ns.push_back(ns);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

TEST_CASE("makespan, events and the end of every rank are LogGOPSim's") {
  const std::vector<Row> rows = recorded_rows();
  REQUIRE(rows.size() == 38);
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.ranks);
    CAPTURE(row.bytes);
    CAPTURE(row.cray);
    const workload::Workload workload = pattern(row.pattern, row.ranks, row.bytes);
    const loggops::Simulation simulation = simulated(workload, row.cray);
    CHECK(simulation.schedule.makespan_ps() == row.makespan_ns * kPsPerNs);
    CHECK(simulation.events == row.events);
    const std::vector<std::uint64_t> first = workload.first_activities();
    for (std::size_t rank = 0; rank < row.host_ns.size(); ++rank) {
      const auto& ends = simulation.schedule.end_ps;
      CHECK(*std::max_element(ends.begin() + first[rank], ends.begin() + first[rank + 1]) ==
            row.host_ns[rank] * kPsPerNs);
    }
  }
}

TEST_CASE(
    "where LogGOPSim loses messages by sorting them out of order, the schedule still ends; its way is there for "
    "comparison") {
  struct Lost {
    std::string_view pattern;
    std::uint32_t ranks;
    std::int64_t bytes;
  };
  for (const Lost& lost : {Lost{"allreduce_recdoub", 1024, 1024}, Lost{"allreduce_ring", 64, 1048576}}) {
    CAPTURE(lost.pattern);
    const workload::Workload workload = pattern(lost.pattern, lost.ranks, lost.bytes);
    simulated(workload, false);
    const auto like_loggopsim =
        loggops::simulate(workload, {.parameters = parameters(false), .compat_loggopsim = true});
    REQUIRE_FALSE(like_loggopsim.ok());
    CHECK(like_loggopsim.error().message.find("rank 0, node ") != std::string::npos);
    CHECK(like_loggopsim.error().message.find("waits for a message from rank ") != std::string::npos);
  }
}
