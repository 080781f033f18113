// A simulated run as HTML: its makespan, links that add up, the machine.
#include "page/sections/simulation_section.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analyze/schedule/schedule_sheets.h"
#include "machine/yaml/machine_yaml.h"
#include "page/simulation_page.h"
#include "simulate/small_job.h"
#include "support/run_on_machine.h"

using namespace orrery;
using namespace orrery::page;
using simulate::testing::all_reduce;
using simulate::testing::compute;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

struct Simulated {
  machine::Machine machine;
  workload::Workload workload;
  simulate::Outcome outcome;
  analyze::ScheduleReasons reasons;
  std::optional<machine::Network> network;
  analyze::MachineUse use;

  explicit Simulated(std::uint32_t devices, bool looks_at_links = true) {
    auto parsed = machine::parse_machine(
        "format: orrery.machine/1\nname: star\ndevices: {count: " + std::to_string(devices) +
            ", name: d}\nnetwork: [{name: net, topology: switch, size: " + std::to_string(devices) +
            ", bandwidth_gb_per_s: 1, latency_ns: 500}]\n",
        "star");
    REQUIRE(parsed.ok());
    machine = std::move(*parsed);
    workload = simulate::testing::make_uniform_job(devices, {compute(10 * kPsPerUs), all_reduce(1'000'000, {0})});
    simulate::EngineOptions options = simulate::engine_options(machine);
    options.keep_link_series = looks_at_links;
    options.keep_causes = true;
    auto ran = orrery::testing::run_on_machine(workload, machine, "fluid", options);
    REQUIRE(ran.ok());
    outcome = std::move(*ran);
    Diagnostics diagnostics;
    auto found = analyze::find_reasons(workload, outcome.schedule, {.path = true}, diagnostics);
    REQUIRE(found.ok());
    reasons = std::move(*found);
    auto built = machine::Network::build(machine);
    REQUIRE(built.ok());
    network.emplace(std::move(*built));
    use = analyze::machine_use(machine, *network, outcome.schedule);
  }

  [[nodiscard]] SimulatedRun run() const {
    return {.workload = workload,
            .schedule = outcome.schedule,
            .link_names = outcome.link_names,
            .model = "fluid",
            .reasons = reasons,
            .collectives = analyze::sums_of(outcome.schedule),
            .machine = &machine,
            .network = &*network,
            .use = &use};
  }
};

}  // namespace

TEST_CASE("makespan, links, their use over time and the machine are in the section") {
  const Simulated simulated(4);
  const std::string html = simulation_section(simulated.run()).html;
  CHECK(html.find("<section id=\"simulation\" data-makespan-ps=\"" +
                  std::to_string(simulated.outcome.schedule.makespan_ps()) + "\">") == 0);
  CHECK(html.find("<div id=\"links\">") != std::string::npos);
  CHECK(html.find("data-busy-ps=") != std::string::npos);
  CHECK(html.find("<div id=\"utilisation\">") != std::string::npos);
  CHECK(count_of(html, "data-series=\"[") >= 1);
  CHECK(html.find("<div id=\"topology\">") != std::string::npos);
  CHECK(count_of(html, "<g class=\"part\">") == 5);  // four devices and their switch
  CHECK(count_of(html, "<line ") == 4);
}

TEST_CASE("a large machine is one of each kind, with its count") {
  const Simulated simulated(300, false);
  const std::string html = simulation_section(simulated.run()).html;
  CHECK(count_of(html, "<g class=\"part\">") == 2);
  CHECK(html.find("device \u00D7 300") != std::string::npos);
  CHECK(html.find("id=\"utilisation\"") == std::string::npos);  // nobody looked
}

TEST_CASE("the verdict of a run says how long it takes and what bounds it") {
  const Simulated simulated(4);
  const Section section = simulated_verdict_section(simulated.run(), nullptr);
  CHECK(section.html.find("data-step-ps=\"" + std::to_string(simulated.outcome.schedule.makespan_ps()) + "\"") !=
        std::string::npos);
  CHECK(section.html.find("communication-bound") != std::string::npos);  // 1.5 ms of 1 MB at 1 GB/s after 10 us
}

TEST_CASE("the page of a run has its activities on the timeline, or says why not") {
  Simulated simulated(4);
  Diagnostics diagnostics;
  const Page page = make_simulation_page(simulated.run(), {.title = "t", .source = {}}, diagnostics);
  CHECK(page.blobs.size() == 10);  // the graph, four ranks, and their arguments
  for (const char* id : {"trust", "waterfall", "contributors", "whatif", "timeline", "ranks"}) {
    const auto made = std::find_if(page.sections.begin(), page.sections.end(),
                                   [&](const Section& section) { return section.id == id; });
    REQUIRE(made != page.sections.end());
    CHECK(!made->html.empty());
  }
  const Page none = make_simulation_page(simulated.run(), {.title = "t", .source = {}, .max_events = 1}, diagnostics);
  CHECK(none.blobs.empty());
  bool is_said = false;
  for (const Section& section : none.sections)
    is_said |= section.id == "timeline" && section.html.empty() && !section.why.empty();
  CHECK(is_said);
}

TEST_CASE("the page of a forecast says the shares of the forecast, and that ranks of the table wait as well") {
  Simulated simulated(4);
  SimulatedRun run = simulated.run();
  run.shares = analyze::StageShares{.exposed_pct = 5.44, .bubble_pct = 6.5};
  const std::string verdict = simulated_verdict_section(run, nullptr).html;
  CHECK(verdict.find(
            "5.4 % of the step is communication that no computation hides, and 6.5 % waiting for other stages") !=
        std::string::npos);
  CHECK(verdict.find("is done last") == std::string::npos);
  CHECK(simulation_section(run).html.find("communicating or waiting, not computing") != std::string::npos);
  run.shares.reset();
  CHECK(simulation_section(run).html.find("communicating or waiting, not computing") == std::string::npos);
}

TEST_CASE("ranks are called by their numbers") {
  Simulated simulated(4);
  SimulatedRun run = simulated.run();
  const std::size_t numbers[] = {3, 5, 6, 9};
  run.rank_numbers = numbers;
  CHECK(simulated_verdict_section(run, nullptr).html.find("4 ranks") != std::string::npos);
  CHECK(simulated_verdict_section(run, nullptr).html.find("Rank 3 is done last") != std::string::npos);
  CHECK(simulation_section(run).html.find("data-rank=\"3\"") != std::string::npos);
}
