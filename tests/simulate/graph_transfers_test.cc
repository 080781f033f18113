#include "simulate/graph_transfers.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "comm_cases.h"
#include "graph/builder.h"
#include "graph/longest_path.h"
#include "simulate/models/link_models.h"

using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using orrery::TimePs;
using orrery::graph::Edits;
using orrery::graph::Graph;
using orrery::graph::GraphBuilder;
using orrery::graph::NodeId;
using orrery::machine::Network;
using orrery::workload::Collective;

namespace {

constexpr TimePs kTransferUs = 1'000'000;

/// Per participant: work before a transfer, and the transfer. All participants of an operation wait for one another, or
/// each for itself.
struct TransferGraph {
  explicit TransferGraph(std::size_t operations) : hubs(operations, orrery::graph::kNoNode) {}

  void take_part(std::uint32_t operation, TimePs work, GraphTransfer transfer, bool waits = true) {
    const NodeId begin = builder.add_node(), arrival = builder.add_node(), ready = builder.add_node(),
                 end = builder.add_node();
    builder.add_edge(begin, arrival, 0, work);
    builder.add_edge(arrival, ready, 0, 0);
    if (waits) {
      if (hubs[operation] == orrery::graph::kNoNode) hubs[operation] = builder.add_node();
      builder.add_edge(arrival, hubs[operation], 0, 0);
      builder.add_edge(hubs[operation], ready, 0, 0);
    }
    edges.push_back(builder.add_edge(ready, end, 0, 77));
    transfer.operation = operation;
    transfers.push_back(transfer);
    ends.push_back(end);
    readies.push_back(ready);
  }
  Graph build() {
    Graph graph = take(std::move(builder).build());
    for (std::size_t t = 0; t < transfers.size(); ++t) transfers[t].slot = graph.slot_of_edge(edges[t]);
    return graph;
  }

  GraphBuilder builder;
  std::vector<NodeId> hubs, ends, readies;
  std::vector<orrery::graph::EdgeId> edges;
  std::vector<GraphTransfer> transfers;
};

FluidModel fluid(const Network& network) { return FluidModel(std::make_shared<Lowering>(network, CommOptions{})); }

}  // namespace

TEST_CASE("alone, a transfer takes what the model says, and its lag") {
  const Network network = network_of({switched(2, 1, 500)});
  FluidModel model = fluid(network);
  const Ranks both = first_ranks(2);
  const std::vector<CommOp> ops = {collective(Collective::all_reduce, 1'000'000, both)};
  TransferGraph job(1);
  job.take_part(0, 3 * kTransferUs, {});
  job.take_part(0, 5 * kTransferUs, {.lag = 7});
  const Graph graph = job.build();
  const TimePs alone = model.estimate(ops[0]).value().total_ps;
  CHECK(take(simulate_transfers(Edits(graph), ops, job.transfers, model)) == std::vector<TimePs>{alone, alone + 7});
}

TEST_CASE("operations that meet share the links, and those that edits keep apart do not") {
  const Network network = network_of({switched(2, 1)});
  FluidModel model = fluid(network);
  const Ranks both = first_ranks(2);
  const std::vector<CommOp> ops(2, collective(Collective::all_reduce, 1'000'000, both));
  const TimePs alone = model.estimate(ops[0]).value().total_ps;
  TransferGraph job(2);
  for (const std::uint32_t operation : {0, 0, 1, 1}) job.take_part(operation, kTransferUs, {});
  const Graph graph = job.build();
  CHECK(take(simulate_transfers(Edits(graph), ops, job.transfers, model)) == std::vector<TimePs>(4, 2 * alone));

  Edits later(graph);
  for (const orrery::graph::Slot slot : graph.incoming(job.hubs[1])) {
    const NodeId arrival = graph.source(slot);
    later.set_weight(graph.incoming(arrival)[0], kTransferUs + 10 * alone);
  }
  CHECK(take(simulate_transfers(later, ops, job.transfers, model)) == std::vector<TimePs>(4, alone));
}

TEST_CASE("a message that is kept for its receiver holds up the receiver only") {
  const Network network = network_of({switched(2, 1)});
  FluidModel model = fluid(network);
  const Ranks both = first_ranks(2);
  const std::vector<CommOp> ops = {{.kind = CommOp::Kind::message, .bytes = 1'000'000, .ranks = both}};
  const TimePs alone = model.estimate(ops[0]).value().total_ps;
  const auto receive_after = [&](TimePs work) {
    TransferGraph job(1);
    job.take_part(0, kTransferUs, {.ends = TransferEnd::on_its_own, .lag = 5}, false);
    job.take_part(0, work, {.ends = TransferEnd::when_arrived, .lag = 9}, false);
    const Graph graph = job.build();
    return take(simulate_transfers(Edits(graph), ops, job.transfers, model));
  };
  CHECK(receive_after(kTransferUs) == std::vector<TimePs>{5, alone});
  CHECK(receive_after(kTransferUs + alone / 2) == std::vector<TimePs>{5, alone - alone / 2});
  CHECK(receive_after(kTransferUs + 3 * alone) == std::vector<TimePs>{5, 9});  // it was there long ago
}

TEST_CASE("laid over the graph, the transfers are those that its own moments give") {
  const Network network = network_of({ring(6, 1.7, 300)});
  CHECK(rc::check([&] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 8);
    std::vector<Ranks> groups;
    std::vector<CommOp> ops;
    TransferGraph job(count);
    std::vector<std::vector<std::size_t>> parts(count);
    for (std::uint32_t o = 0; o < count; ++o) {
      groups.push_back(
          *rc::gen::unique<Ranks>(*rc::gen::inRange<std::size_t>(2, 7), rc::gen::inRange<std::uint32_t>(0, 6)));
      const bool together = *rc::gen::arbitrary<bool>();
      for (std::size_t i = 0; i < groups.back().size(); ++i) {
        parts[o].push_back(job.transfers.size());
        job.take_part(o, *rc::gen::inRange<TimePs>(0, 3000 * kTransferUs),
                      {.lag = *rc::gen::inRange<TimePs>(0, 5 * kTransferUs)}, together);
      }
    }
    for (std::size_t o = 0; o < count; ++o)
      ops.push_back(collective(Collective::all_reduce, *rc::gen::inRange<std::int64_t>(1, 2'000'000), groups[o]));
    const Graph graph = job.build();
    FluidModel model = fluid(network);
    const auto weights = take(simulate_transfers(Edits(graph), ops, job.transfers, model));
    Edits edits(graph);
    for (std::size_t t = 0; t < weights.size(); ++t) edits.set_weight(job.transfers[t].slot, weights[t]);
    const auto solved = orrery::graph::solve(edits);

    // The same operations, started by hand when the solved graph says that they begin.
    std::vector<std::pair<TimePs, OpId>> starts;
    for (std::size_t o = 0; o < count; ++o) {
      TimePs first = kNever;
      for (const std::size_t t : parts[o]) first = std::min(first, solved.finish(job.readies[t]));
      starts.push_back({first, o});
    }
    std::sort(starts.begin(), starts.end());
    model.restart();
    std::vector<TimePs> took(count, -1);
    std::size_t next = 0;
    while (next < count || model.next_event() != kNever) {
      const TimePs start = next < count ? starts[next].first : kNever;
      if (model.next_event() <= start) {
        const TimePs now = model.next_event();
        std::vector<OpId> finished;
        model.advance(now, finished);
        for (const OpId id : finished)
          took[id] =
              now - std::find_if(starts.begin(), starts.end(), [&](const auto& of) { return of.second == id; })->first;
      } else {
        RC_ASSERT(model.start(starts[next].second, ops[starts[next].second], start).ok());
        ++next;
      }
    }
    for (std::size_t t = 0; t < weights.size(); ++t)
      RC_ASSERT(weights[t] == took[job.transfers[t].operation] + job.transfers[t].lag);
  }));
}

TEST_CASE("a calibrated operation loads the links for longer, and its alpha may grow or shrink to nothing") {
  const Network network = network_of({ring(4, 1, 500)});
  const auto model = std::make_unique<FluidModel>(
      std::make_shared<Lowering>(network, CommOptions{.launch_overhead_ps = 3 * kTransferUs}));
  const Ranks all = first_ranks(4);
  const CommOp plain = collective(Collective::all_reduce, 4'000'000, all);
  const Price before = model->estimate(plain).value();
  REQUIRE(before.alpha_ps > 3 * kTransferUs);
  const auto check = [&](TimePs alpha, double efficiency, TimePs expected_alpha, TimePs expected_beta) {
    CommOp op = plain;
    op.calibration = {.alpha_ps = alpha, .efficiency = efficiency};
    const Price estimate = model->estimate(op).value();
    CHECK(estimate.alpha_ps == expected_alpha);
    CHECK(estimate.beta_ps == expected_beta);
    model->restart();
    REQUIRE(model->start(1, op, 0).ok());
    std::vector<OpId> finished;
    TimePs end = 0;
    while (model->next_event() != kNever) {
      end = model->next_event();
      model->advance(end, finished);
    }
    CHECK(end == expected_alpha + expected_beta);
  };
  check(2 * kTransferUs, 0.5, before.alpha_ps + 2 * kTransferUs, 2 * before.beta_ps);
  check(-1 * kTransferUs, 1, before.alpha_ps - kTransferUs, before.beta_ps);
  check(-1000 * kTransferUs, 1, 0, before.beta_ps);
}
