#include "analyze/blame/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

#include "analyze/blame/ideal_job.h"
#include "analyze/blame/job_waits.h"
#include "base/freed_memory.h"
#include "base/parallel.h"
#include "base/percent.h"
#include "graph/longest_path.h"
#include "report/counted.h"

// Waits are added up per group of ranks side by side and merged under a lock; integers are added only, so the order
// does not matter, and rows are sorted at the end by keys that leave no ties. Then the job is solved with typical work
// and typical transfers to see what unlike ranks cost.

namespace orrery::analyze {
namespace {

TimePs sum_of_ends(const causal::CausalGraph& job, const graph::Solution& solution) {
  TimePs sum = 0;
  for (const causal::JobRank& rank : job.ranks) sum += solution.finish(rank.end);
  return sum;
}

}  // namespace

// One Edits with all ranks ideal serves every question, changed and changed back: of a large job it is a copy of all
// weights.
Slowdown measure_slowdown(const causal::CausalGraph& job, TimePs measured, std::span<const std::uint32_t> places) {
  const TypicalTransfers transfers(job);
  Slowdown result;
  result.measured = measured;
  // In a block, since every set of edits is a copy of all weights and need not live longer.
  {
    graph::Edits edits(job.graph);
    transfers.apply(edits);
    result.ideal_communication = graph::solve(edits, job.end).length();
  }
  const TypicalWork work(job);
  give_back_freed_memory();  // every rank's classes were summed up for that, and a copy of all weights is needed next
  graph::Edits ideal = ideal_edits(job, work, std::vector<std::uint8_t>(job.ranks.size(), 1));
  TimePs ends = 0;
  {
    const graph::Solution together = graph::solve(ideal, job.end);
    result.ideal = together.length();
    ends = sum_of_ends(job, together);
  }
  std::vector<TimePs> as_measured, typical;
  // The two questions need edits of their own, and can be asked at once.
  parallel_for(2, [&](std::size_t question) {
    if (question == 0) as_measured = lengths_with_one_as_measured(job, work, places, ideal);
    else typical = lengths_with_one_ideal(job, work, places);
  });
  transfers.apply(ideal);
  result.ideal_both = graph::solve(ideal, job.end).length();
  // Back to typical work alone before the question about waiting.
  transfers.undo(ideal);
  leave_alone(job, ideal);
  result.remaining_wait = ends - sum_of_ends(job, graph::solve(ideal, job.end));
  result.ranks.resize(job.ranks.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double factor =
        result.ideal == 0 ? 1 : static_cast<double>(as_measured[i]) / static_cast<double>(result.ideal);
    result.ranks[places[i]] = RankSlowdown{factor, measured - typical[i]};
  }
  return result;
}

namespace {

using causal::CausalGraph;

constexpr std::size_t kSlowdowns = 64;

/// What the waits of some ranks add up to; merged in an order that does not matter.
struct WaiterSums {
  std::vector<std::map<std::uint32_t, BlamePair>> by_culprit;  // per waiter, from the first on
  std::map<std::tuple<std::uint32_t, causal::EdgeKind, StringId>, TimePs> by_cause;
  std::map<std::tuple<StringId, StringId, StringId, WaitState>, BlamedOperation> by_operation;
  std::map<std::uint32_t, TimePs> wait_by_step;
  using StepAndRank = std::pair<std::uint32_t, std::uint32_t>;
  std::map<StepAndRank, TimePs> root_by_step, wait_by_step_and_rank;
  std::map<StepAndRank, LongestWait> longest_wait, longest_caused;
  TimePs unresolved = 0;
};

std::uint32_t step_of_wait(const CausalGraph& job, const Wait& wait) {
  const std::uint32_t step = job.step_of(job.parts[wait.part].transfer, wait.waiter);
  return step == causal::kNoStep ? 0 : step;
}

void add_wait(const CausalGraph& job, const Wait& wait, std::span<const Cause> causes,
              std::map<std::uint32_t, BlamePair>& by_culprit, WaiterSums& sums) {
  const causal::JobOperation& operation = job.operations[job.parts[wait.part].operation];
  const WaitState state = state_of(job, wait);
  BlamedOperation& row = sums.by_operation[{operation.what, operation.group, operation.name, state}];
  row = {operation.what, operation.group, operation.name, state, row.count + 1, row.wait + wait.time};
  const std::uint32_t step = step_of_wait(job, wait);
  sums.wait_by_step[step] += wait.time;
  sums.wait_by_step_and_rank[{step, wait.waiter}] += wait.time;
  // Between two clocks that are not known well enough nobody can be said to be late.
  if (!wait.is_resolved()) {
    sums.unresolved += wait.time;
    BlamePair& nobody = by_culprit[kNobody];
    nobody.direct += wait.time;
    nobody.root += wait.time;
    return;
  }
  by_culprit[wait.culprit].direct += wait.time;
  sums.longest_wait[{step, wait.waiter}].take(wait.time, wait.culprit_part);
  sums.longest_caused[{step, wait.culprit}].take(wait.time, wait.culprit_part);
  for (const Cause& cause : causes) {
    by_culprit[cause.rank].root += cause.blame;
    sums.by_cause[{cause.rank, cause.work.kind, cause.work.name}] += cause.blame;
    sums.root_by_step[{step, cause.rank}] += cause.blame;
  }
}

/// Everybody's sums, into a Blame whose rows are sorted at the end.
class Adder {
 public:
  Adder(const CausalGraph& job, Blame& blame) : job_(job), blame_(blame) {}

  void add(std::uint32_t first_waiter, const WaiterSums& sums) {
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t i = 0; i < sums.by_culprit.size(); ++i) {
      for (const auto& [culprit, pair] : sums.by_culprit[i]) {
        blame_.pairs.push_back({first_waiter + i, culprit, pair.direct, pair.root});
        if (culprit == kNobody) continue;
        blame_.ranks[culprit].caused_direct += pair.direct;
        blame_.ranks[culprit].caused_root += pair.root;
      }
    }
    for (const auto& [key, time] : sums.by_cause) total_.by_cause[key] += time;
    for (const auto& [key, row] : sums.by_operation) {
      BlamedOperation& all = total_.by_operation[key];
      all = {row.what, row.group, row.name, row.state, all.count + row.count, all.wait + row.wait};
    }
    for (const auto& [step, time] : sums.wait_by_step) blame_.step_wait[step] += time;
    for (const auto& [key, time] : sums.root_by_step) blame_.steps.at(key.first, key.second) += time;
    for (const auto& [key, time] : sums.wait_by_step_and_rank) blame_.waits.at(key.first, key.second) += time;
    const std::size_t ranks = blame_.ranks.size();
    for (const auto& [key, wait] : sums.longest_wait)
      blame_.longest_waits[key.first * ranks + key.second].take(wait.time, wait.part);
    for (const auto& [key, wait] : sums.longest_caused)
      blame_.longest_caused[key.first * ranks + key.second].take(wait.time, wait.part);
    blame_.unresolved += sums.unresolved;
  }

  void finish() {
    std::sort(blame_.pairs.begin(), blame_.pairs.end(), [](const BlamePair& a, const BlamePair& b) {
      return std::tie(a.waiter, a.culprit) < std::tie(b.waiter, b.culprit);
    });
    for (const auto& [key, time] : total_.by_cause)
      blame_.causes.push_back({std::get<0>(key), {std::get<1>(key), std::get<2>(key)}, time});
    std::sort(blame_.causes.begin(), blame_.causes.end(), [&](const Cause& a, const Cause& b) {
      return a.blame != b.blame ? a.blame > b.blame : comes_before(job_, a, b);
    });
    for (const auto& [key, row] : total_.by_operation) blame_.operations.push_back(row);
    const auto text = [&](const BlamedOperation& row) {
      return std::tuple(job_.strings.text(row.what), job_.strings.text(row.group), job_.strings.text(row.name),
                        row.state);
    };
    std::sort(blame_.operations.begin(), blame_.operations.end(),
              [&](const BlamedOperation& a, const BlamedOperation& b) {
                return a.wait != b.wait ? a.wait > b.wait : text(a) < text(b);
              });
  }

 private:
  const CausalGraph& job_;
  Blame& blame_;
  WaiterSums total_;
  std::mutex mutex_;
};

/// Those with most root blame, in the order of ranks.
std::vector<std::uint32_t> worth_a_slowdown(const Blame& blame) {
  std::vector<std::uint32_t> places(blame.ranks.size());
  std::iota(places.begin(), places.end(), 0U);
  if (places.size() <= kSlowdowns) return places;
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return blame.ranks[a].caused_root > blame.ranks[b].caused_root;
  });
  places.resize(kSlowdowns);
  // In the order of ranks again, which the tables keep.
  std::sort(places.begin(), places.end());
  return places;
}

void judge_ranks(TimePs span, Blame& blame, Diagnostics& diagnostics) {
  std::vector<std::optional<TimePs>> gains;
  for (const std::optional<RankSlowdown>& rank : blame.slowdown.ranks)
    gains.push_back(rank ? std::optional(rank->gain_if_typical) : std::nullopt);
  std::vector<Straggler> stragglers = find_stragglers(blame.steps, gains, span);
  for (std::size_t r = 0; r < stragglers.size(); ++r) blame.ranks[r].straggler = std::move(stragglers[r]);
  const std::size_t steps = blame.steps.steps(), ranks = blame.ranks.size();
  if (!too_few_steps(steps, ranks)) return;
  diagnostics.add(kTooFewSteps, [&] {
    return fmt::format("{} of {}", report::counted(steps, "step"), report::counted(ranks, "rank"));
  });
}

}  // namespace

TimePs Blame::rank_time() const {
  TimePs sum = 0;
  for (const RankBlame& rank : ranks) sum += rank.span;
  return sum;
}

double Blame::share_pct() const { return share_percent(exposed, rank_time()); }

Blame find_blame(const CausalGraph& job, Diagnostics& diagnostics, bool with_ideal) {
  Blame blame;
  const std::size_t steps = std::max<std::size_t>(job.steps.size(), 1);
  blame.steps = blame.waits = BlameBySteps(steps, job.ranks.size());
  blame.longest_waits.resize(steps * job.ranks.size());
  blame.longest_caused.resize(steps * job.ranks.size());
  blame.step_wait.assign(steps, 0);
  blame.ranks.resize(job.ranks.size());
  TimePs measured = 0;
  {
    const JobWaits waits(job);
    measured = waits.together().length();
    blame.raw = waits.raw();
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      blame.ranks[r].span = waits.together().finish(job.ranks[r].end);
      blame.ranks[r].alone = waits.alone().finish(job.ranks[r].end);
      blame.exposed += blame.ranks[r].wait();
    }
    Adder adder(job, blame);
    // As many groups as threads: fewer sums to merge than one per rank would be.
    const std::size_t ranks_each = (job.ranks.size() + thread_count() - 1) / thread_count();
    parallel_for((job.ranks.size() + ranks_each - 1) / ranks_each, [&](std::size_t group) {
      const auto first = static_cast<std::uint32_t>(group * ranks_each);
      const auto end = static_cast<std::uint32_t>(std::min(first + ranks_each, job.ranks.size()));
      WaiterSums sums;
      sums.by_culprit.resize(end - first);
      waits.visit(first, end, [&](const Wait& wait, std::span<const Cause> causes) {
        add_wait(job, wait, causes, sums.by_culprit[wait.waiter - first], sums);
      });
      adder.add(first, sums);
    });
    adder.finish();
  }
  if (!with_ideal) {
    blame.slowdown.ranks.resize(job.ranks.size());
    return blame;
  }
  blame.slowdown = measure_slowdown(job, measured, worth_a_slowdown(blame));
  judge_ranks(job.span, blame, diagnostics);
  return blame;
}

}  // namespace orrery::analyze
