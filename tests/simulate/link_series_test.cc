// Links over time: whole bytes per bin that add up to what a link carried, and lie where it carried them.
#include "simulate/link_series.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "fluid_reference.h"
#include "machine/yaml/machine_yaml.h"
#include "random_job.h"
#include "simulate/fluid/fluid_network.h"
#include "support/run_on_machine.h"

namespace orrery::simulate::testing {
namespace {

constexpr std::size_t kBins = LinkSeries::kBins;
constexpr TimePs kBusy[] = {1, 1, 1, 1};

std::uint64_t sum_of(std::span<const std::uint64_t> bins) {
  return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
}

struct Flows {
  std::vector<double> capacities;
  std::vector<ReferenceFlow> flows;
};

Flows random_flows(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  Flows result;
  result.capacities.resize(1 + below(6));
  for (double& capacity : result.capacities) capacity = static_cast<double>(1 + below(5)) * 1e9;
  result.flows.resize(1 + below(12));
  for (ReferenceFlow& flow : result.flows) {
    std::set<machine::LinkId> links;
    for (std::size_t n = 1 + below(3); n > 0; --n)
      links.insert(static_cast<machine::LinkId>(below(result.capacities.size())));
    for (const machine::LinkId link : links)
      flow.shares.push_back({link, below(2) == 0 ? 1.0 : 0.5 + static_cast<double>(below(4))});
    flow.bytes = static_cast<double>(1 + below(1'000'000'000));
    if (below(5) == 0) flow.limit = static_cast<double>(1 + below(4)) * 5e8;
    flow.start_ps = static_cast<TimePs>(below(4)) * 100'000'000'000;
  }
  return result;
}

std::vector<std::uint64_t> bytes_by_link(const FluidNetwork& network, std::size_t links) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t link = 0; link < links; ++link)
    bytes.push_back(static_cast<std::uint64_t>(std::llround(network.totals(static_cast<machine::LinkId>(link)).bytes)));
  return bytes;
}

/// What links carried until the end of each bin, from a network that is stopped there and asked.
std::vector<std::vector<double>> looked_at(const Flows& flows, TimePs span) {
  FluidNetwork network(flows.capacities);
  std::vector<std::size_t> order(flows.flows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows.flows[a].start_ps < flows.flows[b].start_ps; });
  std::vector<std::vector<double>> carried;
  std::vector<FluidNetwork::FlowId> finished;
  std::size_t started = 0, bin = 0;
  while (bin < kBins) {
    const TimePs start = started < order.size() ? flows.flows[order[started]].start_ps : kNever;
    const TimePs now = std::min({start, network.next_completion(), bin_begin(span, bin + 1)});
    network.advance(now, finished);
    for (; started < order.size() && flows.flows[order[started]].start_ps == now; ++started) {
      const ReferenceFlow& flow = flows.flows[order[started]];
      network.add(flow.bytes, flow.shares, now, flow.limit);
    }
    for (; bin < kBins && now == bin_begin(span, bin + 1); ++bin) {
      carried.emplace_back();
      for (machine::LinkId link = 0; link < flows.capacities.size(); ++link)
        carried.back().push_back(network.totals(link).bytes);
    }
  }
  return carried;
}

}  // namespace

TEST_CASE("bytes are spread over the time in which they are carried") {
  const std::vector<std::uint64_t> bytes = {512, 0, 3, 7};
  LinkRecorder recorder(bytes, kBusy, 5'120);
  recorder.add(0, 0, 5'120, 512);
  recorder.add(1, 0, 10, 5);  // carried nothing, so nobody looks at it
  recorder.add(2, 15, 15, 3);
  recorder.add(3, 5'115, 9'999, 7);  // beyond the end counts as at the end
  const LinkSeries series = recorder.take(bytes);
  REQUIRE(series.links.size() == 3);
  for (const std::uint64_t bin : series.of(0)) CHECK(bin == 1);
  CHECK(series.of(1)[1] == 3);
  CHECK(sum_of(series.of(1)) == 3);
  CHECK(series.of(2)[kBins - 1] == 7);
}

TEST_CASE("bins are parts of the run, also where it is shorter than they are many") {
  CHECK(bin_begin(1000, 0) == 0);
  CHECK(bin_begin(1000, 1) == 1);
  CHECK(bin_begin(1000, 256) == 500);
  CHECK(bin_begin(1000, kBins) == 1000);
  const std::vector<std::uint64_t> bytes = {100};
  LinkRecorder recorder(bytes, kBusy, 3);
  recorder.add(0, 1, 3, 100);
  CHECK(sum_of(recorder.take(bytes).of(0)) == 100);
}

TEST_CASE("a network that tells nothing leaves nothing") {
  const std::vector<std::uint64_t> bytes = {100};
  CHECK(LinkRecorder(bytes, kBusy, 1000).take(bytes).empty());
}

TEST_CASE("of very many links one of each sort is recorded") {
  std::vector<std::uint64_t> bytes(LinkRecorder::kMostLinks + 10, 5);
  std::vector<TimePs> busy(bytes.size(), 7);
  bytes[3] = 6;
  busy[9] = 8;
  LinkRecorder recorder(bytes, busy, 1'000);
  for (std::uint32_t link = 0; link < bytes.size(); ++link) recorder.add(link, 0, 7, static_cast<double>(bytes[link]));
  const LinkSeries series = recorder.take(bytes);
  REQUIRE(series.links.size() == 3);
  CHECK(series.links[0] == 0);
  CHECK(series.links[1] == 3);
  CHECK(series.links[2] == 9);
  CHECK(sum_of(series.of(1)) == 6);
}

TEST_CASE("bins have what a network says that is stopped at their ends") {
  CHECK(rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const Flows flows = random_flows(random);
    FluidNetwork first(flows.capacities);
    const std::vector<TimePs> ends = fluid_finishes(first, flows.flows);
    const TimePs span = *std::max_element(ends.begin(), ends.end());
    const std::vector<std::uint64_t> bytes = bytes_by_link(first, flows.capacities.size());
    const std::vector<TimePs> busy(bytes.size(), 1);
    LinkRecorder recorder(bytes, busy, span);
    FluidNetwork second(flows.capacities, &recorder);
    RC_ASSERT(fluid_finishes(second, flows.flows) == ends);
    const LinkSeries series = recorder.take(bytes);
    const std::vector<std::vector<double>> carried = looked_at(flows, span);
    for (std::size_t row = 0; row < series.links.size(); ++row) {
      const std::uint32_t link = series.links[row];
      RC_ASSERT(sum_of(series.of(row)) == bytes[link]);
      double until = 0;
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        until += static_cast<double>(series.of(row)[bin]);
        RC_ASSERT(std::abs(until - carried[bin][link]) <= 1 + 1e-6 * static_cast<double>(bytes[link]));
      }
    }
  }));
}

TEST_CASE("every model of links tells, and a run that is looked at stays what it is") {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: 6, name: d}\nnetwork: [{name: n, topology: switch, size: 6, "
      "bandwidth_gb_per_s: "
      "1000, "
      "latency_ns: 0}]\n",
      "m");
  REQUIRE(machine.ok());
  std::size_t recorded = 0;
  CHECK(rc::check([&] {
    const workload::Workload job = make_job(random_ranks());
    for (const char* const model : {"fluid", "isolated", "snapshot"}) {
      EngineOptions options = engine_options(*machine);
      const auto plain = orrery::testing::run_on_machine(job, *machine, model, options);
      RC_ASSERT(plain.ok());
      RC_ASSERT(plain->schedule.link_series.empty());
      options.keep_link_series = true;
      auto looked = orrery::testing::run_on_machine(job, *machine, model, options);
      RC_ASSERT(looked.ok());
      RC_ASSERT(looked->schedule.check().ok());  // bins add up, among others
      options.use_symmetry = false;
      const auto all = orrery::testing::run_on_machine(job, *machine, model, options);
      RC_ASSERT(all.ok());
      RC_ASSERT(all->schedule == looked->schedule);
      std::size_t used = 0;
      for (const std::uint64_t bytes : plain->schedule.link_bytes) used += bytes > 0 ? 1 : 0;
      RC_ASSERT(looked->schedule.link_series.links.size() == used);
      recorded += used;
      looked->schedule.link_series = {};
      RC_ASSERT(looked->schedule == plain->schedule);
    }
  }));
  CHECK(recorded > 0);
}

}  // namespace orrery::simulate::testing
