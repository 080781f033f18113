#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "simulate/astra/simulation.h"
#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::simulate::astra;
using machine::AstraAlgorithm;
using machine::AstraSystem;
using machine::AstraTopology;
using workload::Activity;
using workload::ActivityKind;
using workload::Collective;
namespace activity = workload::activity;

namespace {

using Fill = std::function<void(workload::ProgramBuilder&, std::uint32_t rank)>;

workload::Program program(const Fill& fill, std::uint32_t rank) {
  workload::ProgramBuilder builder;
  fill(builder, rank);
  auto built = std::move(builder).build();
  REQUIRE(built.ok());
  return std::move(*built);
}

/// Every rank has a program of its own.
workload::Workload workload_of(std::uint32_t ranks, const Fill& fill) {
  workload::Workload workload;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    workload.programs.push_back(program(fill, rank));
    workload.program_of_rank.push_back(rank);
  }
  return workload;
}

/// All ranks share one program.
workload::Workload alike(std::uint32_t ranks, const Fill& fill) {
  workload::Workload workload;
  workload.programs.push_back(program(fill, 0));
  workload.program_of_rank.assign(ranks, 0);
  return workload;
}

Activity collective(std::uint64_t id, Collective kind, std::int64_t bytes) {
  return {.id = id, .kind = ActivityKind::collective, .flags = activity::kHasBytes, .bytes = bytes, .collective = kind};
}
Activity message(std::uint64_t id, ActivityKind kind, std::int32_t peer, std::int64_t bytes, std::int64_t tag = 1) {
  return {.id = id,
          .kind = kind,
          .flags = activity::kHasBytes | activity::kHasTag | activity::kHasPeer,
          .bytes = bytes,
          .peer = peer,
          .tag = tag};
}
Activity compute(std::uint64_t id, TimePs microseconds) {
  return {.id = id, .kind = ActivityKind::compute, .duration_ps = microseconds * kPsPerUs};
}

AstraSystem system_of(std::vector<machine::AstraDimension> dimensions, AstraAlgorithm algorithm) {
  AstraSystem system;
  system.local_memory_gb_per_s = 1600;
  for (auto& list : system.implementations) list.assign(dimensions.size(), {algorithm});
  system.dimensions = std::move(dimensions);
  return system;
}

AstraSystem line(AstraTopology topology, std::uint32_t n, AstraAlgorithm algorithm) {
  return system_of({{topology, n, 50, 500}}, algorithm);
}

std::int64_t finish_ns(const Result<Outcome>& outcome, std::size_t rank = 0) {
  REQUIRE_MESSAGE(outcome.ok(), (outcome ? "" : outcome.error().message));
  return outcome->schedule.ranks[rank].finish_ps / kPsPerNs;
}

std::string error_of(const workload::Workload& workload, const AstraSystem& system,
                     Backend backend = Backend::unaware) {
  const auto outcome = simulate::astra::simulate(workload, system, {.backend = backend});
  return outcome ? std::string() : outcome.error().message;
}

// Closed forms of docs/ASTRA.md, with one chunk.
struct Terms {
  std::int64_t n, ep;
  double latency, bytes_per_ns;
  std::int64_t hops_unaware, hops_aware;
  bool aware;

  std::int64_t d(std::int64_t m) const {
    const double transfer = static_cast<double>(m) / bytes_per_ns;
    if (aware) return hops_aware * static_cast<std::int64_t>(latency + transfer);
    return static_cast<std::int64_t>(static_cast<double>(hops_unaware) * latency + transfer);
  }
  static std::int64_t red(std::int64_t x) {
    return 3 * static_cast<std::int64_t>(static_cast<double>(x) / 1600e9 * 1e9);
  }
};

}  // namespace

TEST_CASE("ring collectives take what the closed forms say") {
  rc::check([] {
    const auto topology =
        *rc::gen::element(AstraTopology::ring, AstraTopology::fully_connected, AstraTopology::switched);
    const auto n = *rc::gen::inRange<std::uint32_t>(3, 20);
    const bool aware = *rc::gen::arbitrary<bool>();
    const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(n, 10'000'000);
    const AstraSystem system = line(topology, n, AstraAlgorithm::ring);
    const std::int64_t hops = topology == AstraTopology::switched ? 2 : 1;
    const Terms t{n, 10, 500, system.dimensions[0].bytes_per_ns(), hops, hops, aware};
    const Options options{.backend = aware ? Backend::aware : Backend::unaware,
                          .use_symmetry = *rc::gen::arbitrary<bool>()};
    const auto run = [&](Collective kind) {
      return finish_ns(simulate::astra::simulate(alike(n, [&](auto& b, auto) { b.add(collective(1, kind, bytes)); }),
                                                 system, options));
    };
    const std::int64_t c = std::max<std::int64_t>(bytes, n), m = c / n;
    RC_ASSERT(run(Collective::all_reduce) == t.ep + 2 * (t.n - 1) * (t.d(m) + t.ep) + (t.n - 1) * Terms::red(m));
    RC_ASSERT(run(Collective::reduce_scatter) == t.ep + (t.n - 1) * (t.d(m) + t.ep + Terms::red(m)));
    RC_ASSERT(run(Collective::all_gather) == t.ep + (t.n - 1) * (t.d(bytes) + t.ep));
    RC_ASSERT(run(Collective::all_to_all) == t.ep + t.n * (t.n - 1) / 2 * (t.d(m) + t.ep));
  });
}

TEST_CASE("direct, halving-doubling and tree collectives take what the closed forms say") {
  for (const std::uint32_t n : {2u, 4u, 8u, 16u}) {
    CAPTURE(n);
    const std::int64_t c = 1 << 20, m = c / n;
    const auto run = [&](AstraAlgorithm algorithm, Collective kind, Backend backend) {
      return finish_ns(simulate::astra::simulate(alike(n, [&](auto& b, auto) { b.add(collective(1, kind, c)); }),
                                                 line(AstraTopology::fully_connected, n, algorithm),
                                                 {.backend = backend}));
    };
    for (const Backend backend : {Backend::unaware, Backend::aware}) {
      const Terms t{n,
                    10,
                    500,
                    line(AstraTopology::fully_connected, n, {}).dimensions[0].bytes_per_ns(),
                    1,
                    1,
                    backend == Backend::aware};
      CHECK(run(AstraAlgorithm::direct, Collective::all_reduce, backend) == 3 * t.ep + 2 * t.d(m) + Terms::red(m));
      CHECK(run(AstraAlgorithm::direct, Collective::reduce_scatter, backend) == 2 * t.ep + t.d(m) + Terms::red(m));
      CHECK(run(AstraAlgorithm::direct, Collective::all_gather, backend) == 2 * t.ep + t.d(c));
      CHECK(run(AstraAlgorithm::direct, Collective::all_to_all, backend) == 2 * t.ep + t.d(m));
      std::int64_t halving = t.ep;
      for (std::int64_t size = c / 2, i = 0; size >= m; size /= 2, ++i)
        halving += t.d(size) + t.ep + (i > 0 ? Terms::red(size) : 0);
      CHECK(run(AstraAlgorithm::halving_doubling, Collective::reduce_scatter, backend) == halving);
      const auto p = static_cast<std::int64_t>(std::log2(n));
      CHECK(run(AstraAlgorithm::double_binary_tree, Collective::all_reduce, backend) ==
            2 * t.ep + (2 * p - 1) * (t.d(c) + t.ep + Terms::red(c)) + t.d(c));
    }
  }
}

TEST_CASE("simulating one rank for all gives the bits of simulating all") {
  int symmetric = 0;
  rc::check([&] {
    const auto topologies =
        rc::gen::element(AstraTopology::ring, AstraTopology::fully_connected, AstraTopology::switched);
    const auto algorithms =
        rc::gen::element(AstraAlgorithm::ring, AstraAlgorithm::direct, AstraAlgorithm::halving_doubling);
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    std::vector<machine::AstraDimension> dimensions;
    for (std::size_t d = 0; d < count; ++d) {
      dimensions.push_back({*topologies, *rc::gen::element(2u, 4u, 8u), *rc::gen::element(1.0, 25.0, 400.0),
                            *rc::gen::element(0.0, 0.5, 500.0)});
    }
    AstraSystem system = system_of(dimensions, AstraAlgorithm::ring);
    for (auto& list : system.implementations) {
      for (auto& implementation : list) implementation = {*algorithms, false, *rc::gen::element(-1, 1, 2)};
    }
    for (auto& implementation : system.implementations[3])
      implementation.algorithm = *rc::gen::element(AstraAlgorithm::ring, AstraAlgorithm::direct);
    system.splits = *rc::gen::inRange(1, 6);
    system.active_chunks = *rc::gen::inRange(1, 5);
    system.queues_per_dim = *rc::gen::inRange(1, 4);
    system.endpoint_delay_ns = *rc::gen::element(0, 1, 10);
    system.local_bandwidth_aware = *rc::gen::arbitrary<bool>();
    const auto kinds = rc::gen::element(Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                        Collective::all_to_all);
    std::vector<Activity> activities;
    for (std::uint64_t id = 1, last = *rc::gen::inRange<std::uint64_t>(2, 5); id < last; ++id) {
      if (*rc::gen::arbitrary<bool>()) activities.push_back(compute(id, *rc::gen::inRange(0, 20)));
      else activities.push_back(collective(id, *kinds, *rc::gen::inRange<std::int64_t>(1000, 1'000'000)));
    }
    const auto workload = alike(static_cast<std::uint32_t>(system.npus()), [&](auto& builder, auto) {
      for (const Activity& one : activities) builder.add(one);
    });
    const Backend backend = *rc::gen::element(Backend::unaware, Backend::aware_multi_dim);
    const auto folded = simulate::astra::simulate(workload, system, {.backend = backend});
    const auto full = simulate::astra::simulate(workload, system, {.backend = backend, .use_symmetry = false});
    RC_ASSERT(folded.ok() == full.ok());
    if (!full) return;
    symmetric += folded->symmetric ? 1 : 0;
    const auto same = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    RC_ASSERT(same(folded->schedule.ranks, full->schedule.ranks));
    RC_ASSERT(same(folded->schedule.start_ps, full->schedule.start_ps));
    RC_ASSERT(same(folded->schedule.end_ps, full->schedule.end_ps));
  });
  CHECK(symmetric > 20);  // of a hundred: the test would be empty if symmetry were never used
}

TEST_CASE("a 4,096-rank ring all-reduce takes thousands of events, not 84 million") {
  const auto workload = alike(4096, [](auto& b, auto) { b.add(collective(1, Collective::all_reduce, 1 << 30)); });
  const auto outcome = simulate::astra::simulate(workload, line(AstraTopology::ring, 4096, AstraAlgorithm::ring));
  REQUIRE(outcome.ok());
  CHECK(outcome->symmetric);
  CHECK(outcome->events < 50'000);
}

TEST_CASE("messages queue at links only when the network knows links") {
  const auto incast = workload_of(4, [](auto& b, std::uint32_t rank) {
    if (rank == 0) {
      for (std::int32_t peer = 1; peer < 4; ++peer)
        b.add(message(static_cast<std::uint64_t>(peer), ActivityKind::recv, peer, 1 << 20));
    } else {
      b.add(message(1, ActivityKind::send, 0, 1 << 20));
    }
  });
  const AstraSystem system = line(AstraTopology::switched, 4, AstraAlgorithm::ring);
  const auto transfer = static_cast<std::int64_t>((1 << 20) / system.dimensions[0].bytes_per_ns());
  CHECK(finish_ns(simulate::astra::simulate(incast, system, {.backend = Backend::unaware})) == 1000 + transfer);
  const auto aware = simulate::astra::simulate(incast, system, {.backend = Backend::aware});
  CHECK(finish_ns(aware) == 2 * (500 + transfer) + 2 * transfer);  // up, then three in turn down
  REQUIRE(aware->link_names.size() == 8);
  CHECK(aware->link_names[4] == "switch -> 0 (dim 0)");
  CHECK(aware->schedule.link_bytes[4] == 3u << 20);
  CHECK(aware->schedule.link_peak_sharing[4] == 3);
  CHECK(aware->schedule.link_series.empty());
  const auto looked = simulate::astra::simulate(incast, system, {.backend = Backend::aware, .keep_link_series = true});
  REQUIRE(looked.ok());
  const simulate::LinkSeries& series = looked->schedule.link_series;
  REQUIRE(series.links.size() == 4);  // three up, one down
  CHECK(series.links[3] == 4);
  CHECK(series.of(0)[0] > 0);
  CHECK(series.of(3)[0] == 0);  // nothing goes down before it came up
  CHECK(std::accumulate(series.of(3).begin(), series.of(3).end(), std::uint64_t{0}) == 3u << 20);
  const Status checked = aware->schedule.check();
  CHECK_MESSAGE(checked.ok(), (checked ? "" : checked.error().message));
}

TEST_CASE("a deadlock is an error that names who waits for whom") {
  const AstraSystem system = line(AstraTopology::ring, 4, AstraAlgorithm::ring);
  const auto no_send = workload_of(4, [](auto& b, std::uint32_t rank) {
    if (rank == 2) b.add(message(7, ActivityKind::recv, 1, 100, 5));
    else b.add(compute(1, 1));
  });
  CHECK(error_of(no_send, system)
            .find("rank 2, node 7 (recv) waits for rank 1 to send 100 bytes with tag 5, which it never does") !=
        std::string::npos);

  const auto other_size = workload_of(4, [](auto& b, std::uint32_t rank) {
    if (rank == 2) b.add(message(7, ActivityKind::recv, 1, 100, 5));
    else if (rank == 1) b.add(message(3, ActivityKind::send, 2, 101, 5));
    else b.add(compute(1, 1));
  });
  CHECK(error_of(other_size, system).find("rank 1, node 3 (send) has 101 bytes") != std::string::npos);

  const auto mixed_order = workload_of(4, [](auto& b, std::uint32_t rank) {
    b.add(collective(1, rank % 2 == 0 ? Collective::all_reduce : Collective::all_gather, 1 << 16));
    b.add(collective(2, rank % 2 == 0 ? Collective::all_gather : Collective::all_reduce, 1 << 16));
  });
  CHECK(error_of(mixed_order, system).find("waits for rank 1, which is in rank 1, node 1 (all_gather)") !=
        std::string::npos);

  const auto absent = workload_of(4, [](auto& b, std::uint32_t rank) {
    if (rank == 3) b.add(compute(1, 1));
    else b.add(collective(1, Collective::all_reduce, 1 << 16));
  });
  CHECK(error_of(absent, system).find("rank 3, which has finished without joining") != std::string::npos);
}

TEST_CASE("what ASTRA-sim hangs or aborts on ends with the right answer or a sentence") {
  const AstraSystem ring = line(AstraTopology::ring, 4, AstraAlgorithm::ring);
  // A group of one rank has nobody to wait for.
  workload::Workload alone = workload_of(4, [](auto& b, std::uint32_t) { b.add(compute(1, 3)); });
  alone.groups.push_back({alone.strings.intern("5"), {0}});
  alone.programs[0] = program(
      [&](auto& b, auto) {
        Activity one = collective(1, Collective::all_reduce, 1000);
        one.group_name = alone.groups[0].name;
        b.add(one);
      },
      0);
  CHECK(finish_ns(simulate::astra::simulate(alone, ring), 0) == 0);
  // Work behind a node that takes no time.
  const auto behind = workload_of(4, [](auto& b, std::uint32_t) {
    b.add({.id = 1, .kind = ActivityKind::metadata});
    b.add(compute(2, 5));
    b.depend(1, workload::Dependency::data);
  });
  CHECK(finish_ns(simulate::astra::simulate(behind, ring)) == 5000);

  const auto one = [](std::uint32_t ranks, Collective kind, std::int64_t bytes) {
    return alike(ranks, [=](auto& b, auto) { b.add(collective(1, kind, bytes)); });
  };
  AstraSystem split = ring;
  split.splits = 16;
  CHECK(error_of(one(4, Collective::all_gather, 10), split).find("cannot be split into 16 chunks") !=
        std::string::npos);
  CHECK(error_of(one(6, Collective::all_reduce, 1 << 20),
                 line(AstraTopology::switched, 6, AstraAlgorithm::halving_doubling))
            .find("6 ranks, which is not a power of two") != std::string::npos);
  CHECK(error_of(one(4, Collective::all_to_all, 1 << 20),
                 line(AstraTopology::switched, 4, AstraAlgorithm::halving_doubling))
            .find("all-to-all") != std::string::npos);
  CHECK(error_of(one(4, Collective::barrier, 8), ring)
            .find("node 1 (barrier) is a barrier, which ASTRA-sim does not simulate") != std::string::npos);
  CHECK(error_of(one(8, Collective::all_reduce, 8), ring).find("the workload has 8 ranks, the network 4 NPUs") !=
        std::string::npos);
  CHECK(error_of(one(16, Collective::all_reduce, 8),
                 system_of({{AstraTopology::ring, 4, 1, 1}, {AstraTopology::ring, 4, 1, 1}}, AstraAlgorithm::ring),
                 Backend::aware)
            .find("astra-aware knows one dimension") != std::string::npos);
  const auto to_itself = workload_of(4, [](auto& b, std::uint32_t rank) {
    b.add(message(1, ActivityKind::send, static_cast<std::int32_t>(rank), 10));
  });
  CHECK(error_of(to_itself, ring).find("its own rank") != std::string::npos);
}
