#include "simulate/engine/engine.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simulate/engine/options.h"
#include "simulate/engine/run.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "simulate/summed_schedule.h"

// A run is tried the fast way first: ranks that do the same as one, and ahead of time what each does by itself. If
// ranks turn out to be unlike it is run again with finer classes, and if something came in between without looking
// ahead, each on a network that starts anew. Series of links need a last run, because the length of the first decides
// where bins begin.

namespace orrery::simulate {

// The schedule of a run with all its activities.

/// 16 bytes per activity of each executed rank; with causes 25.
class KeptSchedule : public ScheduleSink {
 public:
  explicit KeptSchedule(bool with_causes = false) : with_causes_(with_causes) {}
  /// An Error if a program does not say how long it is.
  Status begin(const RunLayout& layout) override;
  void started(const ExecutedActivity& activity, TimePs now) override {
    schedule_.start_ps[first_activity_[activity.rank_class] + activity.number] = now;
  }
  void ended(const ExecutedActivity& activity, TimePs now) override {
    schedule_.end_ps[first_activity_[activity.rank_class] + activity.number] = now;
  }
  void collective_ended(std::uint32_t bundle, std::uint64_t place, const CollectiveUse& use) override {
    schedule_.collectives[first_collective_[bundle] + place] = use;
  }
  void message_taken(const TakenMessage& message) override;
  [[nodiscard]] bool takes_any_order() const override { return !with_causes_; }
  [[nodiscard]] bool wants_causes() const override { return with_causes_; }
  void start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs now) override;
  void last_arrival_known(const ExecutedActivity& activity, const LastArrival& last) override {
    schedule_.causes.last_places[first_activity_[activity.rank_class] + activity.number] = last.place;
  }

  /// After the run, and within its layout: the activities and collectives, of all ranks if `detail` asks for that.
  Schedule take(const RunLayout& layout, Detail detail);

 private:
  bool with_causes_;
  Schedule schedule_;
  std::vector<std::uint64_t> first_activity_;    // per class, and the total
  std::vector<std::uint64_t> first_collective_;  // per bundle, and the total
};

namespace {

constexpr TimePs kNotYet = -1;

// What is known of a class, for each of its members.
template <typename T>
Column<T> for_every_rank(const Column<T>& of_classes, std::span<const std::uint64_t> first,
                         const RankClasses& classes) {
  std::uint64_t total = 0;
  for (const std::uint32_t number : classes.class_of) total += first[number + 1] - first[number];
  Column<T> of_ranks;
  of_ranks.reserve(total);
  for (const std::uint32_t number : classes.class_of)
    of_ranks.append(std::span<const T>(of_classes.data() + first[number], first[number + 1] - first[number]));
  return of_ranks;
}

}  // namespace

Status KeptSchedule::begin(const RunLayout& layout) {
  first_activity_.assign(1, 0);
  first_collective_.assign(1, 0);
  for (std::uint32_t c = 0; c < layout.classes.size(); ++c) {
    const auto& length = layout.membership.structure(layout.classes.first(c)).length;
    if (!length)
      return Error{.message = fmt::format("rank {} does not say how long its program is", layout.classes.first(c))};
    first_activity_.push_back(first_activity_.back() + length->activities);
  }
  for (const Bundle& bundle : layout.bundles.all) {
    const workload::Communicator& communicator = layout.membership.communicators()[bundle.communicators[0]];
    const workload::ProgramStructure& program = layout.membership.structure(communicator.ranks[0]);
    first_collective_.push_back(first_collective_.back() +
                                program.length->collectives[program.find_stream(communicator.name)]);
  }
  schedule_ = Schedule();
  schedule_.start_ps.assign(first_activity_.back(), kNotYet);
  schedule_.end_ps.assign(first_activity_.back(), kNotYet);
  schedule_.collectives.assign(first_collective_.back(), CollectiveUse{});
  if (!with_causes_) return {};
  schedule_.causes.kinds.assign(first_activity_.back(), static_cast<std::uint8_t>(CauseKind::begin));
  schedule_.causes.activities.assign(first_activity_.back(), 0);
  schedule_.causes.last_places.assign(first_activity_.back(), kItself);
  return {};
}

void KeptSchedule::message_taken(const TakenMessage& message) {
  schedule_.taken.push_back({message.source, message.target, static_cast<std::uint32_t>(message.send),
                             static_cast<std::uint32_t>(message.recv), message.bytes});
}

void KeptSchedule::start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs /*now*/) {
  const std::uint64_t number = first_activity_[activity.rank_class] + activity.number;
  schedule_.causes.kinds[number] = static_cast<std::uint8_t>(cause.kind);
  schedule_.causes.activities[number] = static_cast<std::uint32_t>(cause.activity);
}

Schedule KeptSchedule::take(const RunLayout& layout, Detail detail) {
  if (layout.classes.is_trivial()) return std::move(schedule_);
  if (detail == Detail::executed_ranks) {
    for (std::size_t b = 0; b < layout.bundles.all.size(); ++b) {
      for (std::uint64_t i = first_collective_[b]; i < first_collective_[b + 1]; ++i)
        schedule_.collectives[i].instances = static_cast<std::uint32_t>(layout.bundles.all[b].communicators.size());
    }
    return std::move(schedule_);
  }
  schedule_.start_ps = for_every_rank(schedule_.start_ps, first_activity_, layout.classes);
  schedule_.end_ps = for_every_rank(schedule_.end_ps, first_activity_, layout.classes);
  if (with_causes_) {  // they speak of activities and places, which are the same for all of a class
    KeptCauses& causes = schedule_.causes;
    causes.kinds = for_every_rank(causes.kinds, first_activity_, layout.classes);
    causes.activities = for_every_rank(causes.activities, first_activity_, layout.classes);
    causes.last_places = for_every_rank(causes.last_places, first_activity_, layout.classes);
  }
  Column<CollectiveUse> uses;
  for (const std::uint32_t bundle : layout.bundles.of_communicator) {
    uses.append(std::span<const CollectiveUse>(schedule_.collectives.data() + first_collective_[bundle],
                                               first_collective_[bundle + 1] - first_collective_[bundle]));
  }
  schedule_.collectives = std::move(uses);
  return std::move(schedule_);
}

namespace {

// What the engine counts by itself: of all ranks, and which were executed if one stands for several.
void add_ranks(const RunState& state, Detail detail, Schedule& schedule) {
  for (const std::uint32_t number : state.classes.class_of) schedule.ranks.push_back(state.ranks[number].use);
  if (state.classes.is_trivial() || detail == Detail::every_rank) return;
  for (const std::vector<std::uint32_t>& members : state.classes.members) schedule.executed_ranks.push_back(members[0]);
  schedule.class_of_rank.append(std::span<const std::uint32_t>(state.classes.class_of));
}

void add_links(const NetworkModel& network, Schedule& schedule) {
  for (const LinkUse& use : network.link_uses()) {
    schedule.link_bytes.push_back(use.bytes);
    schedule.link_busy_ps.push_back(use.busy_ps);
    schedule.link_peak_sharing.push_back(use.peak_sharing);
  }
}

/// Runs the source once more, and looks at the links: how long it takes, and so where bins begin, is known only now.
Status add_link_series(workload::WorkloadSource& source, const workload::Membership& membership, NetworkModel& network,
                       const EngineOptions& options, const RankClasses& classes, Schedule& schedule) {
  LinkRecorder recorder(schedule.link_bytes, schedule.link_busy_ps, schedule.makespan_ps());
  network.restart(&recorder);
  SummedSchedule passed_over;
  EngineOptions all_of_it = options;
  all_of_it.use_steady_state = false;  // what is passed over, nobody records,
  all_of_it.ranks_worth_folding = 0;   // nor links that others stand for
  Run again(source, membership, network, all_of_it, classes, passed_over);
  const Status done = again.execute();
  if (done) schedule.link_series = recorder.take(schedule.link_bytes);
  return done;
}

/// Ranks that turn out to be unlike are told apart so often; then every rank is executed by itself.
constexpr int kMostRefinements = 8;
/// So often operations are started as one and turn out to be unlike, a kind of them at a time; then each is started.
constexpr int kMostFoldings = 32;
/// Where a class has fewer ranks than so many on average, each rank is executed by itself: it costs about as much, and
/// nobody can turn out to be unlike.
constexpr std::size_t kWorthFolding = 2;

/// Runs the source, and again with finer classes if ranks that seemed alike are not. `take`: what the sink made of it.
template <typename Take>
Result<Schedule> run_source(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options,
                            ScheduleSink& sink, const Take& take) {
  if (Status status = options.check(); !status) return status.error();
  std::optional<workload::Membership> made;
  if (source.checked() == nullptr) {
    std::vector<workload::ProgramStructure> structures;
    for (std::uint32_t program = 0; program < source.program_count(); ++program)
      structures.push_back(source.structure(program));
    Result<workload::Membership> membership = workload::Membership::of(source.job(), std::move(structures));
    if (!membership) return membership.error();
    if (Status status = membership->check(); !status) return status.error();
    made = std::move(*membership);
  }
  const workload::Membership& membership = made ? *made : *source.checked();
  const std::size_t ranks = source.job().rank_count();
  RankClasses classes = options.use_symmetry ? find_rank_classes(membership) : each_rank_alone(ranks);
  std::vector<std::uint32_t> told_apart;
  NetworkFolding* const folding = network.folding();
  if (folding != nullptr) folding->forget_classes();
  EngineOptions how = options;
  int foldings = 0;
  const auto run_once = [&](bool& unlike, bool& folded_unlike, bool& looked_ahead) -> Result<Schedule> {
    Run one(source, membership, network, how, classes, sink);
    const Status done = one.execute();
    unlike = one.found_unlike();
    if (unlike) told_apart = one.ranks_told_apart();
    folded_unlike = one.folded_unlike();
    looked_ahead = one.used_lookahead();
    if (!done) return done.error();
    Schedule schedule = take(one.layout());
    add_ranks(one.state(), options.detail, schedule);
    return schedule;
  };
  const auto run = [&](bool& unlike) -> Result<Schedule> {
    how.use_lookahead = options.use_lookahead;
    while (true) {
      bool folded_unlike = false, looked_ahead = false;
      Result<Schedule> schedule = run_once(unlike, folded_unlike, looked_ahead);
      if (schedule || unlike) return schedule;
      if (folded_unlike) {
        // Classes that do not get finer, or nearly one for each operation: nothing is gained.
        if (!folding->refine_classes() || ++foldings == kMostFoldings) how.ranks_worth_folding = 0;
      } else if (looked_ahead) {
        how.use_lookahead = false;
      } else {
        return schedule;
      }
      // It may be wrong because something was executed before its time, or as one with others; and what is wrong anyway
      // is to be told as it is without that.
      network.restart();
    }
  };
  bool unlike = false;
  Result<Schedule> schedule = run(unlike);
  // The network tells apart what the programs do not: routes that differ, say.
  for (int round = 0; unlike; ++round) {
    RankClasses finer = find_rank_classes(membership, told_apart);
    const bool is_worth_it =
        round < kMostRefinements && finer.size() > classes.size() && finer.size() * kWorthFolding <= ranks;
    classes = is_worth_it ? std::move(finer) : each_rank_alone(ranks);
    network.restart();
    schedule = run(unlike);
  }
  if (!schedule) return schedule;
  add_links(network, *schedule);
  if (options.keep_link_series && schedule->link_count() > 0) {
    if (Status added = add_link_series(source, membership, network, options, classes, *schedule); !added)
      return added.error();
  }
  if (Status status = schedule->check(); !status)
    return Error{.message = "the simulation went wrong: " + status.error().message};
  return schedule;
}

}  // namespace

Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options,
                         ScheduleSink& sink) {
  return run_source(source, network, options, sink, [](const RunLayout&) { return Schedule(); });
}

Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options) {
  KeptSchedule kept(options.keep_causes);
  return run_source(source, network, options, kept,
                    [&](const RunLayout& layout) { return kept.take(layout, options.detail); });
}

Result<Schedule> execute(const workload::Workload& workload, NetworkModel& network, const EngineOptions& options) {
  if (Status status = options.check(); !status) return status.error();
  Result<workload::WholeWorkload> whole = workload::WholeWorkload::of(workload);
  if (!whole) return whole.error();
  return execute(*whole, network, options);
}

}  // namespace orrery::simulate
