#include "replay/mpi/measured.h"

#include <algorithm>

#include "base/statistics.h"
#include "simulate/schedule_uses.h"

// Every repetition is made a schedule and asked what its collectives and messages took; samples of all repetitions are
// put together by kind and size.

namespace orrery::replay {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

void add_times(Sheet& sheet) {
  sheet.add({.name = "median", .type = Type::time, .unit = Unit::us, .title = "median"})
      .add({.name = "least", .type = Type::time, .unit = Unit::us, .title = "least"})
      .add({.name = "most", .type = Type::time, .unit = Unit::us, .title = "most"});
}

Cell known(const Sample& sample, TimePs time) { return sample.times_ps.empty() ? Cell(nullptr) : Cell(time); }

}  // namespace

Sheet repetitions_sheet(const Measured& measured, bool is_recorded) {
  Sheet sheet("repetitions");
  sheet.add({.name = "repetition", .type = Type::integer, .title = "repetition", .decimals = report::kExact})
      .add({.name = "makespan", .type = Type::time, .unit = Unit::us, .title = "makespan"})
      .add({.name = "recorded", .type = Type::flag, .title = is_recorded ? "recorded" : ""});
  const std::vector<TimePs>& times = measured.makespans.times_ps;
  for (std::size_t repeat = 0; repeat < times.size(); ++repeat) {
    const bool recorded = is_recorded && repeat + 1 == times.size();
    sheet.add_row({repeat + 1, times[repeat], recorded});
  }
  return sheet;
}

Sheet collectives_sheet(const Measured& measured) {
  Sheet sheet("collectives");
  sheet.add({.name = "collective", .title = "collective"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks", .decimals = report::kExact})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "calls per run"});
  add_times(sheet);
  for (const auto& [key, sample] : measured.collectives)
    sheet.add_row({to_string(key.kind), key.ranks, key.bytes, sample.per_run, sample.median_ps(), sample.least_ps(),
                   sample.most_ps()});
  return sheet;
}

Sheet messages_sheet(const Measured& measured) {
  Sheet sheet("messages");
  sheet.add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "message of"})
      .add({.name = "messages", .type = Type::integer, .title = "messages per run"});
  add_times(sheet);
  for (const auto& [bytes, sample] : measured.messages)
    sheet.add_row({bytes, sample.per_run, known(sample, sample.median_ps()), known(sample, sample.least_ps()),
                   known(sample, sample.most_ps())});
  return sheet;
}

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
    // From when the last rank came: waiting for it is no property of the collective.
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
      // From when both sides were there.
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
