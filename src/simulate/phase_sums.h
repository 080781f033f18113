// What ranks did with their time, by phase: the names that activities have in programs that were written down (a motif's "exchange x", "allreduce").
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
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

/// The time of a rank is cut where activities end; what lies before an end belongs to the activity's phase. So the phases of a rank add up to its
/// time, whatever overlaps: a receive that was posted long before counts from the end before its own.
class PhaseSums {
 public:
  /// `ranks_of_class`: how many ranks each class stands for.
  void begin(std::vector<std::uint64_t> ranks_of_class);
  /// In the order of time, for each class.
  void ended(std::uint32_t rank_class, StringId name, TimePs now);
  /// By name.
  [[nodiscard]] std::map<StringId, PhaseSum> sums() const;

  /// Of a schedule that has all activities of all ranks.
  static PhaseSums of(const workload::Workload& workload, const Schedule& schedule);

 private:
  /// What a class spent in a phase.
  struct Spent {
    TimePs time = 0;
    std::uint64_t activities = 0;
    std::uint32_t rank_class = 0;
    StringId name = 0;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t find(std::uint32_t rank_class, StringId name);

  std::vector<std::uint64_t> ranks_of_class_;
  std::vector<TimePs> until_;  // by class: when its last activity ended
  /// By class and the last bits of a name, where the phase is: a program has few names, which come again and again, and asking the table for each
  /// activity would take a sixth of a run.
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
    phases_ = PhaseSums();
    phases_.begin(std::move(ranks));
    return SummedSchedule::begin(layout);
  }
  void ended(const ExecutedActivity& activity, TimePs now) override {
    phases_.ended(activity.rank_class, activity.program->names[activity.activity], now);
    SummedSchedule::ended(activity, now);
  }
  [[nodiscard]] const PhaseSums& phases() const { return phases_; }

 private:
  PhaseSums phases_;
};

}  // namespace orrery::simulate
