#include "analyze/whatif/job_moves.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/longest_path.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::EdgeKind;

namespace {

/// One rank: a host thread whose calls take 3 each, launches that take 5, gaps and waits of 1, and a return from
/// waiting of 2.
class DeviceJob {
 public:
  struct Work {
    graph::NodeId start, end;
    std::uint32_t ordinal;
  };

  DeviceJob() : host_(builder_.add_node()) {}

  /// `waits`: for works of other streams.
  Work launch(const std::string& name, TimePs time, std::int64_t stream, EdgeKind kind = EdgeKind::kernel,
              const std::vector<Work>& waits = {}) {
    const auto ordinal = static_cast<std::uint32_t>(owners_.size());
    const Work work{builder_.add_node(), builder_.add_node(), ordinal};
    owners_.push_back({name, stream, host_});
    for (const Work& other : waits) edge(other.end, work.start, EdgeKind::stream_wait, 1);
    if (const auto last = find_last(stream)) edge(works_[*last].end, work.start, EdgeKind::kernel_gap, 1);
    edge(host_, work.start, EdgeKind::launch_delay, 5);
    edge(work.start, work.end, kind, time, ordinal);
    call();
    works_.push_back(work);
    return work;
  }
  void synchronize() {
    const graph::NodeId after = builder_.add_node();
    edge(host_, after, EdgeKind::cpu_runtime, 2);
    for (const std::int64_t stream : {7, 20}) {
      if (const auto last = find_last(stream)) edge(works_[*last].end, after, EdgeKind::sync_return, 2);
    }
    host_ = after;
  }

  [[nodiscard]] causal::CausalGraph make() {
    causal::CausalGraph job;
    const auto count = static_cast<graph::NodeId>(builder_.node_count());
    job.first_ready = job.first_hub = job.begin = count;
    builder_.add_node();
    job.end = builder_.add_node();
    edge(job.begin, 0, EdgeKind::before, 0);
    edge(host_, job.end, EdgeKind::order, 0);
    job.graph = std::move(*std::move(builder_).build());
    const graph::Solution solved = graph::solve(job.graph, job.end);
    job.span = solved.length();
    for (graph::NodeId v = 0; v < job.graph.node_count(); ++v) job.time.push_back(solved.finish(v));
    job.node_rank.assign(job.graph.node_count(), 0);
    for (const Named& owner : owners_) {
      const StringId name = job.strings.intern(owner.name);
      job.class_name.push_back(name);
      job.owners.push_back(
          {name, static_cast<std::uint32_t>(job.owners.size()), 0, 0, 0, job.time[owner.call], 0, owner.stream});
    }
    job.ranks.emplace_back();
    return job;
  }

 private:
  struct Named {
    std::string name;
    std::int64_t stream;
    graph::NodeId call;
  };

  void edge(graph::NodeId from, graph::NodeId to, EdgeKind kind, TimePs weight, std::uint32_t tag = graph::kNoTag) {
    builder_.add_edge(from, to, static_cast<std::uint8_t>(kind), weight, tag);
  }
  void call() {
    const graph::NodeId after = builder_.add_node();
    edge(host_, after, EdgeKind::cpu_runtime, 3);
    host_ = after;
  }
  [[nodiscard]] std::optional<std::size_t> find_last(std::int64_t stream) const {
    for (std::size_t i = works_.size(); i-- > 0;) {
      if (owners_[i].stream == stream) return i;
    }
    return std::nullopt;
  }

  graph::GraphBuilder builder_;
  graph::NodeId host_;
  std::vector<Named> owners_;
  std::vector<Work> works_;
};

std::vector<causal::RankTensors> tensors(std::vector<causal::RankTensors::Read> reads,
                                         std::vector<std::uint32_t> known) {
  std::vector<causal::RankTensors> of_ranks(1);
  of_ranks[0].reads = std::move(reads);
  of_ranks[0].known = std::move(known);
  return of_ranks;
}

}  // namespace

TEST_CASE("a communication that waits for more than it reads is asked for earlier") {
  DeviceJob small;
  const auto a = small.launch("a", 10, 7);                                     //   5 -  15
  const auto b = small.launch("b", 100, 7);                                    //  16 - 116
  const auto sum = small.launch("sum", 50, 20, EdgeKind::communication, {b});  // 117 - 167
  const auto d = small.launch("d", 10, 7, EdgeKind::kernel, {sum});            // 168 - 178
  small.synchronize();                                                         // 180
  const causal::CausalGraph job = small.make();
  REQUIRE(job.span == 180);
  const auto reads =
      tensors({{a.ordinal, b.ordinal}, {a.ordinal, sum.ordinal}, {b.ordinal, d.ordinal}, {sum.ordinal, d.ordinal}},
              {0, 1, 2, 3});
  const auto reorder = find_reorder(job, reads, 10);
  REQUIRE(reorder.ok());
  CHECK(reorder->data_bound == 120);    // a, b, d
  CHECK(reorder->device_bound == 120);  // the same kernels
  REQUIRE(reorder->moves.size() == 1);
  CHECK(reorder->moves[0].move == MoveKind::launch_earlier);
  CHECK(job.strings.text(reorder->moves[0].name) == "sum");
  CHECK(reorder->moves[0].gain == 51);  // it runs from 16 to 66, beside b; d starts at 117
}

TEST_CASE("it is not asked for before its producer is") {
  DeviceJob small;
  const auto a = small.launch("a", 1, 7);  // 5 - 6
  const auto b = small.launch("b", 30, 20);
  const auto sum = small.launch("sum", 50, 20, EdgeKind::communication, {a});
  small.synchronize();
  const causal::CausalGraph job = small.make();
  // The order of its own stream stays, so that nothing is gained.
  const auto reorder = find_reorder(job, tensors({{a.ordinal, sum.ordinal}}, {0, 1, 2}), 10);
  REQUIRE(reorder.ok());
  for (const ReorderMove& move : reorder->moves) CHECK(move.move == MoveKind::own_stream);
  CHECK(reorder->data_bound == 51);
  CHECK(b.ordinal == 1);
}

TEST_CASE("a kernel that nothing behind it reads lets its stream go on, and the host still waits for it") {
  const auto gains = [](TimePs aside, const std::vector<std::uint32_t>& known) {
    DeviceJob small;
    const auto a = small.launch("a", 10, 7);     //  5 -  15
    const auto x = small.launch("x", aside, 7);  // 16 - ...
    const auto b = small.launch("b", 100, 7);
    small.synchronize();
    const causal::CausalGraph job = small.make();
    const auto reorder = find_reorder(job, tensors({{a.ordinal, x.ordinal}, {a.ordinal, b.ordinal}}, known), 10);
    REQUIRE(reorder.ok());
    TimePs gain = 0;
    for (const ReorderMove& move : reorder->moves) {
      if (job.strings.text(move.name) == "x") gain = move.gain;
    }
    return gain;
  };
  CHECK(gains(40, {0, 1, 2}) == 41);
  CHECK(gains(300, {0, 1, 2}) == 101);  // x ends at 316 wherever it runs; b no longer comes behind it
  CHECK(gains(40, {0, 2}) == 0);        // what x reads is not known
  CHECK(gains(40, {0, 1}) == 0);        // b may read what x wrote
}

TEST_CASE("without tensors there is nothing to move, and each piece alone bounds the job") {
  DeviceJob small;
  small.launch("a", 10, 7);
  small.launch("b", 100, 7);
  small.synchronize();
  const causal::CausalGraph job = small.make();
  const auto reorder = find_reorder(job, {}, 10);
  REQUIRE(reorder.ok());
  CHECK(reorder->moves.empty());
  CHECK(reorder->data_bound == 100);
  CHECK(reorder->device_bound == 110);
}
