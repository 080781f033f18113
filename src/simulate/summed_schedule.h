// A run added up as it goes: for jobs of many steps, of which nobody wants every activity.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/collective_sums.h"
#include "simulate/schedule_sink.h"

namespace orrery::simulate {

/// Memory: a row per kind of collective. When ranks finish and what they did with their time the engine counts by itself.
class SummedSchedule : public ScheduleSink {
 public:
  Status begin(const RunLayout& layout) override;
  void started(const ExecutedActivity& /*activity*/, TimePs /*now*/) override {}
  void ended(const ExecutedActivity& activity, TimePs /*now*/) override { activities_ += ranks_of_class_[activity.rank_class]; }
  void collective_ended(std::uint32_t bundle, std::uint64_t /*place*/, const CollectiveUse& use) override {
    collectives_.add(use, communicators_of_bundle_[bundle]);
  }

  [[nodiscard]] const CollectiveSums& collectives() const { return collectives_; }
  /// Of all ranks.
  [[nodiscard]] std::uint64_t activities() const { return activities_; }

 private:
  std::vector<std::uint64_t> ranks_of_class_, communicators_of_bundle_;
  CollectiveSums collectives_;
  std::uint64_t activities_ = 0;
};

}  // namespace orrery::simulate
