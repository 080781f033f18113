#include "analyze/schedule/stage_times.h"

#include <algorithm>

#include "base/percent.h"
#include "llm/steps/layer_writer.h"

// Each moment of a stage counts once: computing first, then communication axis by axis, each only where nothing before
// it covers the moment, then the host; what is left is the bubble. Receives count from when their message was sent,
// since waiting for a sender is the pipeline's doing.

namespace orrery::analyze {
namespace {

using llm::ParallelAxis;
using workload::ActivityKind;

struct BusyTime {
  TimePs from = 0, to = 0;
};

/// Sorted, disjoint intervals, from which others are taken away.
class Gaps {
 public:
  Gaps(TimePs from, TimePs to) : gaps_{{from, to}} {}

  /// Takes `busy`, sorted by their starts, away; returns how much of the gaps they covered.
  TimePs cover(const std::vector<BusyTime>& busy) {
    std::vector<BusyTime> left;
    TimePs covered = 0;
    std::size_t at = 0;
    for (BusyTime gap : gaps_) {
      while (at > 0 && busy[at - 1].to > gap.from) --at;  // one that reaches over into this gap
      for (; at < busy.size() && busy[at].from < gap.to; ++at) {
        if (busy[at].to <= gap.from) continue;
        if (busy[at].from > gap.from) left.push_back({gap.from, busy[at].from});
        const TimePs to = std::min(busy[at].to, gap.to);
        covered += to - std::max(gap.from, busy[at].from);
        gap.from = to;
        if (gap.from >= gap.to) break;
      }
      if (gap.from < gap.to) left.push_back(gap);
    }
    gaps_ = std::move(left);
    return covered;
  }
  [[nodiscard]] TimePs sum() const {
    TimePs total = 0;
    for (const BusyTime& gap : gaps_) total += gap.to - gap.from;
    return total;
  }

 private:
  std::vector<BusyTime> gaps_;
};

void sort_and_join(std::vector<BusyTime>& list) {
  const auto by_start = [](const BusyTime& a, const BusyTime& b) { return a.from < b.from; };
  // What a program does in turn comes in order.
  if (!std::is_sorted(list.begin(), list.end(), by_start)) std::sort(list.begin(), list.end(), by_start);
  std::size_t kept = 0;
  for (const BusyTime& one : list) {
    if (kept > 0 && one.from <= list[kept - 1].to) list[kept - 1].to = std::max(list[kept - 1].to, one.to);
    else list[kept++] = one;
  }
  list.resize(kept);
}

}  // namespace

TimePs StageTimes::exposed_sum() const {
  TimePs sum = 0;
  for (const TimePs one : exposed_ps) sum += one;
  return sum;
}

StageShares mean_shares(std::span<const StageTimes> stages, TimePs step_ps) {
  StageShares shares;
  const double whole = static_cast<double>(step_ps) * static_cast<double>(stages.size());
  for (const StageTimes& one : stages) {
    shares.exposed_pct += share_percent(one.exposed_sum(), whole);
    shares.bubble_pct += share_percent(one.bubble_ps, whole);
  }
  return shares;
}

StageReader::StageReader(const workload::Workload& workload, const simulate::Schedule& schedule)
    : workload_(workload), schedule_(schedule) {
  std::uint64_t sum = 0;
  // Of ranks that do alike only some were executed: their activities stand at the places of those.
  const std::size_t executed = schedule.executed_ranks.empty() ? workload.rank_count() : schedule.executed_ranks.size();
  const auto stages = static_cast<std::uint32_t>(workload.programs.size());
  first_.assign(stages, 0);
  std::vector<bool> found(stages, false);
  for (std::size_t i = 0; i < executed; ++i) {
    const std::uint32_t rank =
        schedule.executed_ranks.empty() ? static_cast<std::uint32_t>(i) : schedule.executed_ranks[i];
    const std::uint32_t stage = workload.program_of_rank[rank];
    if (!found[stage]) first_[stage] = sum, found[stage] = true;
    sum += workload.program(rank).size();
  }
  for (std::uint32_t stage = 0; stage < stages; ++stage) note_sends(stage);
}

StageTimes StageReader::times(std::uint32_t stage, TimePs from, TimePs to) const {
  const workload::Program& program = workload_.programs[stage];
  std::vector<BusyTime> compute, host;
  std::array<std::vector<BusyTime>, llm::kParallelAxes> moving;
  std::map<std::int64_t, std::size_t> received;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const BusyTime whole{start(stage, i), end(stage, i)};
    switch (program.kinds[i]) {
      case ActivityKind::compute:
        (program.has(i, workload::activity::kOnHost) ? host : compute).push_back(whole);
        break;
      case ActivityKind::collective: {
        const auto axis = static_cast<std::size_t>(program.lanes[i] - 1);
        // Ranks of a stage come together; where stages meet, the early ones wait for the last, which is the pipeline's
        // doing.
        const bool across = axis == static_cast<std::size_t>(ParallelAxis::model);
        moving[axis].push_back(
            {across ? std::min(std::max(whole.from, stages_meet_), whole.to) : whole.from, whole.to});
        break;
      }
      case ActivityKind::recv: {
        const auto sent = sends_.find(program.tags[i]);
        const std::size_t place = received[program.tags[i]]++;
        const bool is_known = sent != sends_.end() && place < sent->second.size();
        const TimePs begins = is_known ? std::max(whole.from, sent->second[place]) : whole.from;
        moving[static_cast<std::size_t>(ParallelAxis::pipeline)].push_back({std::min(begins, whole.to), whole.to});
        break;
      }
      default: break;
    }
  }
  StageTimes result;
  Gaps gaps(from, to);
  sort_and_join(compute);
  result.compute_ps = gaps.cover(compute);
  // In the order of the axes, so that a moment that two of them share always goes to the same one.
  for (std::size_t axis = 0; axis < llm::kParallelAxes; ++axis) {
    sort_and_join(moving[axis]);
    result.exposed_ps[axis] = gaps.cover(moving[axis]);
  }
  sort_and_join(host);
  result.host_ps = gaps.cover(host);
  result.bubble_ps = gaps.sum();
  return result;
}

/// Tags tell which part receives, and what: so they are unique among all stages.
void StageReader::note_sends(std::uint32_t stage) {
  const workload::Program& program = workload_.programs[stage];
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] == ActivityKind::send) sends_[program.tags[i]].push_back(start(stage, i));
    const bool meets =
        program.kinds[i] == ActivityKind::collective && program.lanes[i] == llm::lane_of(ParallelAxis::model);
    if (meets) stages_meet_ = std::max(stages_meet_, start(stage, i));
  }
}

}  // namespace orrery::analyze
