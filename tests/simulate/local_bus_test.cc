// The bus between a device and its network endpoint: the algebra of LogGP worked out, one packet and several.
#include "simulate/astra/local_bus.h"

#include <doctest/doctest.h>

#include <map>

#include "simulate/astra/simulation.h"
#include "workload/program_builder.h"

namespace orrery::simulate::astra {
namespace {

using Crossing = LocalBus::Crossing;

/// A bus of one rank: crossings that begin at given times, and when each has ended.
class OneBus final : public Dispatcher {
 public:
  explicit OneBus(const machine::AstraSharedBus& bus) : ticks_(queue_, 1), bus_(bus, 1, queue_, ticks_, *this) {}

  std::vector<std::int64_t> ends_of(std::vector<std::pair<std::int64_t, Crossing>> crossings) {
    crossings_ = std::move(crossings);
    ends_.assign(crossings_.size(), -1);
    for (std::uint32_t i = 0; i < crossings_.size(); ++i)
      ticks_.add(0, crossings_[i].first, {ActionKind::node_done, i});
    while (!queue_.empty()) run(queue_.pop());
    return ends_;
  }

  void run(const Action& action) override {
    switch (action.kind) {
      case ActionKind::rank_tick:
        for (Action due; ticks_.next(action.a, due);) run(due);
        break;
      case ActionKind::bus_event: bus_.event(action.a, action.b); break;
      case ActionKind::node_done:
        bus_.cross(0, crossings_[action.a].second, {ActionKind::packet_ready, action.a});
        break;
      default: ends_[action.a] = queue_.now();
    }
  }
  void fail(Error error) override { failure = error.message; }

  std::string failure;

 private:
  Queue queue_;
  TickLists ticks_;
  LocalBus bus_;
  std::vector<std::pair<std::int64_t, Crossing>> crossings_;
  std::vector<std::int64_t> ends_;
};

std::int64_t alone(const machine::AstraSharedBus& bus, const Crossing& crossing) {
  return OneBus(bus).ends_of({{0, crossing}}).front();
}

const machine::AstraSharedBus kBus{
    .latency_ns = 10, .overhead_ns = 5, .gap_ns = 0, .gap_per_byte_ns = 0.01, .reduction_delay_ns = 2};
// With 1,001 bytes: o + 1000 G + L + o between device and endpoint, and o + 3.8 + L + o, of which the whole ones count,
// to memory or back.
constexpr std::int64_t kBytes = 1001, kHop = 30, kMemoryHop = 23;

}  // namespace

TEST_CASE("one packet: read from memory and sent, or received and written") {
  CHECK(alone(kBus, {.bytes = kBytes, .to_network = true}) == kMemoryHop + kHop);
  CHECK(alone(kBus, {.bytes = kBytes}) == kHop + kMemoryHop);
}

TEST_CASE("one packet: what is reduced waits for memory and back, and for the reduction of every whole 100 bytes") {
  const std::int64_t reduction = 10 * 2 + 50;
  CHECK(alone(kBus, {.bytes = kBytes, .reduces = true}) == kHop + 2 * kMemoryHop + reduction + kMemoryHop);
  // What is sent back has crossed when it is at the endpoint again.
  CHECK(alone(kBus, {.bytes = kBytes, .returns = true}) == kHop + 2 * kMemoryHop + kHop);
  CHECK(alone(kBus, {.bytes = kBytes, .reduces = true, .returns = true}) ==
        kHop + 2 * kMemoryHop + reduction + 2 * kMemoryHop + kHop);
  CHECK(alone(kBus, {.bytes = kBytes, .to_network = true, .reduces = true}) == kMemoryHop + kHop + reduction);
}

TEST_CASE("a bus without any cost but the reduction's") {
  CHECK(alone({.reduction_delay_ns = 1}, {.bytes = 1}) == 0);
  CHECK(alone({.reduction_delay_ns = 1}, {.bytes = 1, .reduces = true}) == 50);
}

TEST_CASE("two packets: the second waits for its sender, and for the gap if that is longer") {
  const std::vector<std::pair<std::int64_t, Crossing>> two = {{0, {.bytes = kBytes}}, {0, {.bytes = kBytes}}};
  // The sender is busy for o + 1000 G = 15; the memory is free again when the second arrives there.
  CHECK(OneBus(kBus).ends_of(two) == std::vector<std::int64_t>{53, 15 + 53});
  machine::AstraSharedBus slow = kBus;
  slow.gap_ns = 40;
  // In place of o the second waits for the 40 ns since the first was out.
  CHECK(OneBus(slow).ends_of(two) == std::vector<std::int64_t>{53, 15 + 53 + 40 - 5});
}

TEST_CASE("a size that ASTRA-sim's bus cannot hold is refused") {
  OneBus bus(kBus);
  bus.ends_of({{0, {.bytes = std::int64_t{1} << 31}}});
  CHECK(bus.failure.find("2147483648 bytes on the shared bus") != std::string::npos);
}

TEST_CASE("collectives: every packet crosses the bus instead of waiting for the endpoint") {
  machine::AstraSystem system;
  system.local_memory_gb_per_s = 1600;
  system.dimensions = {{machine::AstraTopology::ring, 4, 50, 500}};
  system.shared_bus = kBus;
  system.endpoint_delay_ns = 1'000'000;  // of no account
  const auto time_of = [&](workload::Collective kind, machine::AstraAlgorithm algorithm) {
    for (auto& list : system.implementations) list.assign(1, {algorithm});
    workload::Workload workload;
    workload::ProgramBuilder builder;
    builder.add({.id = 1,
                 .kind = workload::ActivityKind::collective,
                 .flags = workload::activity::kHasBytes,
                 .bytes = 4 * kBytes,
                 .collective = kind});
    Result<workload::Program> program = std::move(builder).build();
    REQUIRE(program.ok());
    workload.programs.push_back(std::move(*program));
    workload.program_of_rank.assign(4, 0);
    const Result<Outcome> outcome = simulate(workload, system, {});
    REQUIRE(outcome.ok());
    CHECK_FALSE(outcome->symmetric);
    return outcome->schedule.ranks[0].finish_ps / kPsPerNs;
  };
  const auto message = [](std::int64_t bytes) {
    return static_cast<std::int64_t>(500 + static_cast<double>(bytes) / (50.0 * (1 << 30) / 1e9));
  };
  const std::int64_t d = message(kBytes);
  const std::int64_t reduction = 3 * static_cast<std::int64_t>(static_cast<double>(kBytes) / 1600e9 * 1e9);
  const auto bus = [](bool out, bool reduces, bool returns) {
    return alone(kBus, {.bytes = kBytes, .to_network = out, .reduces = reduces, .returns = returns});
  };
  // Ring: a packet out, three received ones that are reduced, of which the last stays, and the same again without
  // reducing, cut short.
  CHECK(time_of(workload::Collective::reduce_scatter, machine::AstraAlgorithm::ring) ==
        bus(true, false, false) + 3 * (d + reduction) + 2 * bus(false, true, true) + bus(false, true, false));
  CHECK(time_of(workload::Collective::all_reduce, machine::AstraAlgorithm::ring) ==
        bus(true, false, false) + 6 * d + 3 * reduction + 2 * bus(false, true, true) + bus(false, true, false) +
            bus(true, false, false) + 2 * bus(false, false, true));
}

}  // namespace orrery::simulate::astra
