// What ranks did with their time, by phase: the names that activities have in programs that were written down (a
// motif's "exchange x", "allreduce").
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "base/units.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"

namespace orrery::simulate {

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
