// A run added up as it goes: for jobs of many steps, of which nobody wants every activity.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/collective_sums.h"
#include "simulate/schedule_sink.h"
#include "simulate/wait_sums.h"

namespace orrery::simulate {

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

}  // namespace orrery::simulate
