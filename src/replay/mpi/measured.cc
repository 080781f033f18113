#include "replay/mpi/measured.h"

#include <algorithm>

#include "base/statistics.h"
#include "simulate/schedule_uses.h"

namespace orrery::replay {
namespace {

template <typename Samples>
void join(Samples& all, Samples&& more) {
  for (auto& [key, sample] : more) {
    Sample& known = all[key];
    known.per_run = sample.per_run;
    known.times_ps.insert(known.times_ps.end(), sample.times_ps.begin(), sample.times_ps.end());
  }
}

}  // namespace

TimePs Sample::least_ps() const { return times_ps.empty() ? 0 : *std::min_element(times_ps.begin(), times_ps.end()); }
TimePs Sample::most_ps() const { return times_ps.empty() ? 0 : *std::max_element(times_ps.begin(), times_ps.end()); }
TimePs Sample::median_ps() const { return lower_median(std::vector(times_ps)); }

CollectiveSamples collective_samples(const workload::Workload& workload, const simulate::Schedule& schedule) {
  CollectiveSamples samples;
  for (const simulate::CollectiveUse& use : simulate::collective_uses(workload, schedule)) {
    Sample& sample = samples[{use.kind, use.ranks, use.bytes}];
    sample.per_run += use.instances;
    sample.times_ps.insert(sample.times_ps.end(), use.instances, use.end_ps - use.last_arrival_ps);
  }
  return samples;
}

MessageSamples message_samples(const workload::Matching& matching, const simulate::Schedule& schedule) {
  const workload::Workload& workload = matching.workload();
  const std::vector<std::uint64_t> first = workload.first_activities();
  MessageSamples samples;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (const std::uint32_t send : matching.lines(rank).sends) {
      Sample& sample = samples[program.bytes[send]];
      ++sample.per_run;
      const auto message = matching.message(rank, send);
      if (!message) continue;  // who took it only MPI knows
      const std::uint64_t sent = first[rank] + send, received = first[message->target] + message->recv;
      const TimePs both = std::max(schedule.start_ps[sent], schedule.start_ps[received]);
      sample.times_ps.push_back(std::max<TimePs>(0, schedule.end_ps[received] - both));
    }
  }
  return samples;
}

Measured add_up(const MeasuredRun& run, const workload::Matching& matching) {
  Measured measured;
  measured.makespans.per_run = 1;
  for (std::uint32_t repeat = 0; repeat < run.repeats(); ++repeat) {
    measured.makespans.times_ps.push_back(run.makespan_ps(repeat));
    const simulate::Schedule schedule = run.schedule(matching.workload(), repeat);
    join(measured.collectives, collective_samples(matching.workload(), schedule));
    join(measured.messages, message_samples(matching, schedule));
  }
  return measured;
}

}  // namespace orrery::replay
