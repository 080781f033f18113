// A run added up as it goes: for jobs of many steps, of which nobody wants every activity.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "base/interner.h"
#include "base/units.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "simulate/wait_sums.h"

namespace orrery::simulate {

// What the collectives of a run add up to, by kind and size: a few rows, however many there were.

/// Collectives of one kind, group size and size.
struct CollectiveKind {
  workload::Collective kind = workload::Collective::all_reduce;
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;

  auto operator<=>(const CollectiveKind&) const = default;
};

struct CollectiveSum {
  std::uint64_t calls = 0;
  Int128 waited_ps = 0;  ///< from the first arrival to the last
  Int128 moved_ps = 0;   ///< from the last arrival to the end
  double slowest_bus_bytes_per_second = 0;

  /// Rounded down.
  [[nodiscard]] TimePs mean_wait_ps() const { return static_cast<TimePs>(waited_ps / static_cast<Int128>(calls)); }
  [[nodiscard]] TimePs mean_time_ps() const { return static_cast<TimePs>(moved_ps / static_cast<Int128>(calls)); }
};

class CollectiveSums {
 public:
  /// `instances`: how many groups did the same at the same time.
  void add(const CollectiveUse& use, std::uint64_t instances);
  /// All that was added to `other`, `times` times.
  void add(const CollectiveSums& other, std::uint64_t times);
  [[nodiscard]] const std::map<CollectiveKind, CollectiveSum>& rows() const { return rows_; }

 private:
  std::map<CollectiveKind, CollectiveSum> rows_;
};

/// Memory: a row per kind of collective; with waits a row per kind of cause, and per class and group who was late. When
/// ranks finish and what they did with their time the engine counts by itself.
class SummedSchedule : public ScheduleSink {
 public:
  explicit SummedSchedule(bool with_waits = false) : with_waits_(with_waits) {}

  Status begin(const RunLayout& layout) override;
  void started(const ExecutedActivity& /*activity*/, TimePs /*now*/) override {}
  void ended(const ExecutedActivity& activity, TimePs /*now*/) override {
    activities_ += ranks_of_class_[activity.rank_class];
  }
  void collective_ended(std::uint32_t bundle, std::uint64_t /*place*/, const CollectiveUse& use) override {
    collectives_.add(use, communicators_of_bundle_[bundle]);
  }
  [[nodiscard]] bool takes_steady_state() const override { return !with_waits_; }
  void begin_part(TimePs now) override;
  std::size_t end_part(bool keep) override;
  void part_came_again(std::size_t part, std::uint64_t times) override { add(parts_[part], times); }
  [[nodiscard]] bool wants_causes() const override { return with_waits_; }
  void start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs now) override;
  void last_arrival_known(const ExecutedActivity& activity, const LastArrival& last) override;

  [[nodiscard]] const CollectiveSums& collectives() const { return collectives_; }
  /// Empty unless asked for.
  [[nodiscard]] const WaitSums& waits() const { return waits_; }
  /// Of all ranks.
  [[nodiscard]] std::uint64_t activities() const { return activities_; }

 private:
  struct Sums {
    CollectiveSums collectives;
    std::uint64_t activities = 0;
  };
  void add(const Sums& sums, std::uint64_t times);

  bool with_waits_;
  std::optional<RunLayout> layout_;  // to be looked at while the run lasts
  std::vector<std::uint64_t> ranks_of_class_, communicators_of_bundle_;
  CollectiveSums collectives_;
  WaitSums waits_;
  std::uint64_t activities_ = 0;
  Sums before_part_;         // while there is a part: then the above are its own
  std::vector<Sums> parts_;  // that were kept
};

// What ranks did with their time, by phase: the names that activities have in programs that were written down (a
// motif's "exchange x", "allreduce").

struct PhaseSum {
  TimePs all_ps = 0;      ///< of all ranks
  TimePs longest_ps = 0;  ///< of one rank
  std::uint64_t activities = 0;
};

/// The time of a rank is cut where activities end; what lies before an end belongs to the activity's phase. So the
/// phases of a rank add up to its time, whatever overlaps: a receive that was posted long before counts from the end
/// before its own.
class PhaseSums {
 public:
  /// `ranks_of_class`: how many ranks each class stands for.
  void begin(std::vector<std::uint64_t> ranks_of_class);
  /// In the order of time, for each class.
  void ended(std::uint32_t rank_class, StringId name, TimePs now);
  /// The time of all classes until now is counted.
  void pass_to(TimePs now) { std::fill(until_.begin(), until_.end(), now); }

  /// The time until which `other` counted is counted.
  void continue_from(const PhaseSums& other) { until_ = other.until_; }

  /// What a class spent in a phase.
  struct Spent {
    TimePs time = 0;
    std::uint64_t activities = 0;
    std::uint32_t rank_class = 0;
    StringId name = 0;
  };
  /// One per class and phase that it was in.
  [[nodiscard]] const std::vector<Spent>& spent() const { return spent_; }
  /// The same of other times of the same classes, `times` times.
  void add(std::span<const Spent> spent, std::uint64_t times);
  /// By name.
  [[nodiscard]] std::map<StringId, PhaseSum> sums() const;

  /// Of a schedule that has all activities of all ranks.
  static PhaseSums of(const workload::Workload& workload, const Schedule& schedule);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t find(std::uint32_t rank_class, StringId name);

  std::vector<std::uint64_t> ranks_of_class_;
  std::vector<TimePs> until_;  // by class: when its last activity ended
  /// By class and the last bits of a name, where the phase is: a program has few names, which come again and again, and
  /// asking the table for each activity would take a sixth of a run.
  std::vector<std::uint32_t> recent_;
  std::uint32_t recent_per_class_ = 0;
  std::vector<Spent> spent_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // in spent_, by class and name
};

/// A run added up as it goes, by phase too.
class PhasedSchedule : public SummedSchedule {
 public:
  using SummedSchedule::SummedSchedule;

  Status begin(const RunLayout& layout) override {
    std::vector<std::uint64_t> ranks;
    for (const auto& members : layout.classes.members) ranks.push_back(members.size());
    ranks_of_class_ = ranks;
    phases_ = PhaseSums();
    phases_.begin(std::move(ranks));
    parts_.clear();
    return SummedSchedule::begin(layout);
  }
  void begin_part(TimePs now) override {
    before_part_ = std::exchange(phases_, PhaseSums());
    phases_.begin(ranks_of_class_);
    phases_.pass_to(now);
    SummedSchedule::begin_part(now);
  }
  std::size_t end_part(bool keep) override;
  void passed_to(TimePs now) override { phases_.pass_to(now); }
  void part_came_again(std::size_t part, std::uint64_t times) override {
    phases_.add(parts_[part], times);
    SummedSchedule::part_came_again(part, times);
  }
  void ended(const ExecutedActivity& activity, TimePs now) override {
    phases_.ended(activity.rank_class, activity.program->names[activity.activity], now);
    SummedSchedule::ended(activity, now);
  }
  [[nodiscard]] const PhaseSums& phases() const { return phases_; }

 private:
  std::vector<std::uint64_t> ranks_of_class_;
  PhaseSums phases_;                                  // while there is a part, of that
  PhaseSums before_part_;                             // while there is one
  std::vector<std::vector<PhaseSums::Spent>> parts_;  // that were kept
};

}  // namespace orrery::simulate
