#include "analyze/blame/slowdown.h"

#include "analyze/blame/ideal_job.h"
#include "analyze/blame/job_waits.h"
#include "base/freed_memory.h"
#include "base/parallel.h"
#include "graph/longest_path.h"

namespace orrery::analyze {
namespace {

TimePs sum_of_ends(const causal::CausalGraph& job, const graph::Solution& solution) {
  TimePs sum = 0;
  for (const causal::JobRank& rank : job.ranks) sum += solution.finish(rank.end);
  return sum;
}

}  // namespace

// One Edits with all ranks ideal serves every question, changed and changed back: of a large job it is a copy of all weights.
Slowdown measure_slowdown(const causal::CausalGraph& job, TimePs measured, std::span<const std::uint32_t> places) {
  const TypicalTransfers transfers(job);
  Slowdown result;
  result.measured = measured;
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
  parallel_for(2, [&](std::size_t question) {
    if (question == 0) as_measured = lengths_with_one_as_measured(job, work, places, ideal);
    else typical = lengths_with_one_ideal(job, work, places);
  });
  transfers.apply(ideal);
  result.ideal_both = graph::solve(ideal, job.end).length();
  transfers.undo(ideal);
  leave_alone(job, ideal);
  result.remaining_wait = ends - sum_of_ends(job, graph::solve(ideal, job.end));
  result.ranks.resize(job.ranks.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double factor = result.ideal == 0 ? 1 : static_cast<double>(as_measured[i]) / static_cast<double>(result.ideal);
    result.ranks[places[i]] = RankSlowdown{factor, measured - typical[i]};
  }
  return result;
}

}  // namespace orrery::analyze
