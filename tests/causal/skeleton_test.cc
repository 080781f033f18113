#include "causal/reduce/reduce_rank.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "causal/causal_graph.h"
#include "causal/join/communication_parts.h"
#include "causal/join/join_ranks.h"
#include "formats/kineto/reader.h"
#include "graph/edits.h"
#include "graph/longest_path.h"
#include "match/exchange_finder.h"
#include "trace/content_order.h"

namespace orrery::causal {
namespace {

struct Recording {
  trace::Trace trace;
  match::Exchanges exchanges;
};

Recording recorded(const std::string& prefix, int ranks) {
  std::vector<std::string> paths;
  for (int r = 0; r < ranks; ++r)
    paths.push_back(std::string(ORRERY_SOURCE_DIR) + "/data/" + prefix + std::to_string(r) + ".kineto.json.gz");
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job(paths, diagnostics);
  REQUIRE(job.ok());
  Recording recording{std::move(*job), {}};
  recording.exchanges = match::find_exchanges(recording.trace);
  return recording;
}

/// All steps of every rank, or the whole trace where there are none.
std::vector<RankGraph> ranks_of(const trace::Trace& trace, bool as_skeletons, bool by_annotation = false) {
  std::vector<RankGraph> ranks;
  for (const trace::RankTrace& rank : trace.ranks) {
    Diagnostics diagnostics;
    const trace::ContentOrder content(trace, rank);
    const DeviceTimeline timeline = make_device_timeline(trace, rank, content, diagnostics);
    const std::vector<trace::EventIndex> steps = find_steps(trace, rank, content);
    const Result<StepWindow> whole = choose_window(trace, rank, timeline, content, {"", {}, {}});
    REQUIRE(whole.ok());
    const StepWindow window = steps.empty() ? *whole : StepWindows(trace, rank, timeline).of(steps);
    Result<RankGraph> step = make_rank_graph(trace, rank, timeline, content, window, diagnostics);
    REQUIRE(step.ok());
    if (as_skeletons) {
      ReductionRequest request;
      for (const StepWindow::Step& range : window.steps) request.step_begin.push_back(range.begin - window.begin);
      step->class_name = name_pieces(*step, by_annotation);
      request.communications = CommunicationEdges(trace, rank, *step).slots();
      *step = reduce_rank(*step, request);
    }
    ranks.push_back(std::move(*step));
  }
  return ranks;
}

CausalGraph job_of(const Recording& recording, bool as_skeletons, bool by_annotation = false) {
  Diagnostics diagnostics;
  Result<CausalGraph> job =
      join_ranks(recording.trace, recording.exchanges, ranks_of(recording.trace, as_skeletons, by_annotation),
                 {.by_annotation = by_annotation}, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

using Sums = std::map<std::tuple<std::int64_t, std::string, std::string, std::string, std::uint32_t>, TimePs>;

/// What is on the path to a node: by rank, kind, both names and step.
Sums path_sums(const CausalGraph& job, const graph::Solution& solution, graph::NodeId node) {
  Sums sums;
  for (graph::Slot slot = solution.chosen(node); slot != graph::kNoSlot;
       slot = solution.chosen(job.graph.source(slot))) {
    const std::uint32_t place = job.rank_of(slot);
    if (place == kNoRank) continue;
    const std::int64_t rank = job.ranks[place].rank;
    if (job.is_transfer(slot)) {
      sums[{rank, "transfer", {}, {}, 0}] += solution.weight(slot);
      continue;
    }
    TimePs left = job.graph.weight(slot);
    job.for_each_work(slot, place, [&](const WorkClass& work, TimePs time) {
      left -= time;
      if (time == 0) return;
      sums[{rank, identifier(static_cast<EdgeKind>(work.kind)), std::string(job.strings.text(work.name)),
            std::string(job.strings.text(work.class_name)), work.step}] += time;
    });
    CHECK(left == 0);
  }
  return sums;
}

void check_same(const CausalGraph& whole, const CausalGraph& reduced, const graph::Solution& a,
                const graph::Solution& b) {
  REQUIRE(a.length() == b.length());
  for (std::size_t r = 0; r < whole.ranks.size(); ++r) {
    REQUIRE(a.finish(whole.ranks[r].end) == b.finish(reduced.ranks[r].end));
    REQUIRE(path_sums(whole, a, whole.ranks[r].end) == path_sums(reduced, b, reduced.ranks[r].end));
  }
  for (std::uint32_t p = 0; p < whole.parts.size(); ++p) {
    REQUIRE(a.finish(whole.parts[p].arrival) == b.finish(reduced.parts[p].arrival));
    REQUIRE(a.finish(whole.ready(p)) == b.finish(reduced.ready(p)));
    REQUIRE(a.finish(whole.parts[p].end) == b.finish(reduced.parts[p].end));
  }
  if (!whole.parts.empty()) {
    const std::uint32_t p = static_cast<std::uint32_t>(whole.parts.size() / 2);
    REQUIRE(path_sums(whole, a, whole.parts[p].arrival) == path_sums(reduced, b, reduced.parts[p].arrival));
  }
}

/// As measured, every rank alone, and for random transfers.
void check_same(const CausalGraph& whole, const CausalGraph& reduced) {
  REQUIRE(whole.parts.size() == reduced.parts.size());
  REQUIRE(whole.unmatched == reduced.unmatched);
  CHECK(reduced.graph.edge_count() < whole.graph.edge_count() / 2);
  check_same(whole, reduced, graph::solve(whole.graph, whole.end), graph::solve(reduced.graph, reduced.end));
  const auto alone = [](const CausalGraph& job) {
    graph::Edits edits(job.graph);
    for (const graph::Slot slot : arrivals_of_others(job)) edits.set_weight(slot, -graph::kMaxWeightPs);
    return graph::solve(edits, job.end);
  };
  check_same(whole, reduced, alone(whole), alone(reduced));
  CHECK(rc::check([&] {
    graph::Edits a(whole.graph), b(reduced.graph);
    for (std::size_t p = 0; p < whole.parts.size(); ++p) {
      // None, as measured, or anything: so that there are ties, too.
      const int choice = *rc::gen::inRange(0, 3);
      const TimePs measured = whole.graph.weight(whole.parts[p].transfer);
      const TimePs transfer = choice == 0 ? 0 : choice == 1 ? measured : *rc::gen::inRange<TimePs>(0, 4 * measured + 1);
      a.set_weight(whole.parts[p].transfer, transfer);
      b.set_weight(reduced.parts[p].transfer, transfer);
    }
    check_same(whole, reduced, graph::solve(a, whole.end), graph::solve(b, reduced.end));
  }));
}

}  // namespace

TEST_CASE("a job of skeletons is as long as the job, and so are its paths, whatever transfers take") {
  SUBCASE("all-reduces beside computation") {
    const Recording recording = recorded("ddp4.rank", 4);
    const CausalGraph whole = job_of(recording, false), reduced = job_of(recording, true);
    check_same(whole, reduced);
    MESSAGE("ddp4: ", whole.graph.edge_count(), " edges, ", reduced.graph.edge_count(), " of skeletons");
    CHECK(reduced.graph.edge_count() <= 10 * reduced.parts.size());
  }
  SUBCASE("work blamed under annotations") {
    const Recording recording = recorded("ddp4.rank", 4);
    check_same(job_of(recording, false, true), job_of(recording, true, true));
  }
  SUBCASE("every kind of call") {
    const Recording recording = recorded("calls4.rank", 4);
    const CausalGraph whole = job_of(recording, false), reduced = job_of(recording, true);
    MESSAGE("calls4: ", whole.graph.edge_count(), " edges, ", reduced.graph.edge_count(), " of skeletons");
    check_same(whole, reduced);
  }
}

}  // namespace orrery::causal
