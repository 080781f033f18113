// The schedule of a run with all its activities.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/engine/options.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"

namespace orrery::simulate {

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

}  // namespace orrery::simulate
