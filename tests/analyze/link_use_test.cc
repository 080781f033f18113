// Links of a simulated run: those that did alike as one, and the machine by part.
#include "analyze/schedule/link_use.h"

#include <doctest/doctest.h>

#include "machine/yaml/machine_yaml.h"
#include "report/sheet_csv.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

/// Four devices on a switch: links 2 * device up, 2 * device + 1 down, of 1 GB/s.
struct Star {
  machine::Machine machine;
  std::optional<machine::Network> network;
  simulate::Schedule schedule = simulate::Schedule(1, 8);
  std::vector<std::string> names;

  Star() {
    auto parsed = machine::parse_machine(
        "format: orrery.machine/1\nname: star\ndevices: {count: 4, name: d}\nnetwork: [{name: net, topology: switch, "
        "size: 4, "
        "bandwidth_gb_per_s: "
        "1, "
        "latency_ns: 0}]\n",
        "star");
    REQUIRE(parsed.ok());
    machine = std::move(*parsed);
    auto built = machine::Network::build(machine);
    REQUIRE(built.ok());
    network.emplace(std::move(*built));
    for (machine::LinkId link = 0; link < 8; ++link) names.push_back(network->link_name(link));
    schedule.end_ps[0] = 4 * kPsPerUs;
  }

  void carry(std::uint32_t link, std::uint64_t bytes, TimePs busy, std::size_t bin) {
    schedule.link_bytes[link] = bytes;
    schedule.link_busy_ps[link] = busy;
    schedule.link_peak_sharing[link] = 1;
    schedule.link_series.links.push_back(link);
    for (std::size_t i = 0; i < simulate::LinkSeries::kBins; ++i)
      schedule.link_series.bytes.push_back(i == bin ? bytes : 0);
  }
};

}  // namespace

TEST_CASE("links that did the same at the same time are one row") {
  Star star;
  star.carry(0, 2'000, 2 * kPsPerUs, 7);
  star.carry(2, 2'000, 2 * kPsPerUs, 7);
  star.carry(4, 2'000, 2 * kPsPerUs, 3);  // as much, at another time
  star.carry(5, 3'000, 3 * kPsPerUs, 0);
  REQUIRE(star.schedule.check().ok());
  const std::vector<LinkUseRow> rows = link_use(star.schedule, star.names);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].link == "net.switch -> device2");
  CHECK(rows[1].link == "device0 -> net.switch");
  CHECK(rows[1].alike == 2);
  CHECK(rows[1].series[7] == 2'000);
  CHECK(rows[2].link == "device2 -> net.switch");
  const report::Sheet sheet = link_use_sheet(rows, star.schedule.makespan_ps());
  CHECK(sheet.number(sheet.find("busy_share"), 0) == 75);
  CHECK(sheet.integer(sheet.find("alike"), 1) == 2);
}

TEST_CASE("without a record of time links are alike by what they carried") {
  Star star;
  for (const std::uint32_t link : {0, 2, 4}) star.carry(link, 2'000, 2 * kPsPerUs, link);
  star.schedule.link_series = {};
  const std::vector<LinkUseRow> rows = link_use(star.schedule, star.names);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].alike == 3);
  CHECK(rows[0].series.empty());
  CHECK(link_use(star.schedule, {}).size() == 0);
}

TEST_CASE("a part of the machine is as full as its links") {
  Star star;
  star.carry(0, 4'000, 4 * kPsPerUs, 0);  // all the time at full rate
  star.carry(3, 2'000, 2 * kPsPerUs, 0);
  const MachineUse use = machine_use(star.machine, *star.network, star.schedule);
  REQUIRE(use.vertices.size() == 5);
  CHECK(use.vertices[0].mean_use == doctest::Approx(0.5));  // one of its two directions
  CHECK(use.vertices[0].most_use == doctest::Approx(1));
  CHECK(use.vertices[4].row == 1);
  CHECK(use.vertices[4].mean_use == doctest::Approx(1.5 / 8));
  REQUIRE(use.cables.size() == 4);
  CHECK(use.cables[1].use == doctest::Approx(0.5));
  CHECK(report::to_csv(topology_sheet(use)) ==
        "what,dimension,count,links,bytes,mean_use_pct,busiest_use_pct\n"
        "device,,4,8,6000,18.75,100\n"
        "net.switch,net,1,8,6000,18.75,100\n");
}

TEST_CASE("links with ASTRA-sim's names are found by them") {
  Star star;
  star.carry(0, 4'000, 4 * kPsPerUs, 0);
  star.carry(1, 1'000, 1 * kPsPerUs, 0);
  star.carry(2, 7, 1 * kPsPerUs, 0);
  const std::vector<std::string> names = {"0 -> switch (dim 0)", "switch -> 3 (dim 0)", "of nobody"};
  const MachineUse use = astra_machine_use(star.machine, names, star.schedule);
  REQUIRE(use.vertices.size() == 5);
  CHECK(use.vertices[0].most_use == doctest::Approx(1));
  CHECK(use.vertices[3].bytes == 1'000);
  CHECK(use.vertices[4].name == "net.switch");
  CHECK(use.vertices[4].bytes == 5'000);
}
