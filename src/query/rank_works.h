// The works of one rank as the table `works` has them: where they come from, which step they are of, and what the
// device's roof allows for them. The last two are found when they are first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyze/capture/work_origins.h"
#include "analyze/device/engine_steps.h"
#include "analyze/roofline/priced_works.h"
#include "machine/device/device.h"
#include "trace/trace.h"

namespace orrery::query {

/// A work's part of what its call costs, in proportion to the time that it took of the call: those of all works of a
/// call add up to the call's, to the last unit.
struct WorkPrice {
  analyze::OperatorKind kind = analyze::OperatorKind::elementwise;
  std::optional<std::int64_t> flops = {}, bytes = {};  ///< none: more than can be counted
  std::optional<TimePs> roof = {};                     ///< none: the device, or its rate for this, is not known
};

class RankWorks {
 public:
  /// The trace must outlive it.
  RankWorks(const trace::Trace& trace, std::size_t place);
  RankWorks(const RankWorks&) = delete;
  RankWorks& operator=(const RankWorks&) = delete;

  [[nodiscard]] std::size_t size() const { return devices_ ? devices_->timeline.works.size() : 0; }
  // Of these a rank without works has none.
  [[nodiscard]] const analyze::DeviceRank& devices() const { return *devices_; }
  [[nodiscard]] analyze::WorkOrigins& origins() { return *origins_; }
  /// Its place in its launch of a graph.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t work) const { return node_[work]; }

  /// As `orrery steps` has it; null: outside all steps. Of steps that overlap, the one that began last.
  const analyze::MeasuredStep* step_of(std::uint32_t work);
  /// None: there is no formula for its call. `device`: the same every time; one without rates has no roof.
  std::optional<WorkPrice> price_of(std::uint32_t work, const machine::Device& device);

 private:
  struct Steps {
    analyze::RankSteps steps;
    std::vector<std::uint32_t> of_work;  ///< place in `steps`; kNoStepOfWork
  };
  struct Prices {
    analyze::PricedWorks priced;
    std::vector<TimePs> before;  ///< per work: weights of the works of its call before it
    std::vector<TimePs> weight;  ///< per call, of all its works
  };
  Steps find_steps() const;
  Prices find_prices(const machine::Device& device);
  /// What a work counts of its call: its time, or where no work of the call takes any, one like the others.
  [[nodiscard]] TimePs weight_of(std::uint32_t work, const analyze::PricedCall& call) const {
    return call.time > 0 ? devices_->time_of(work) : 1;
  }

  std::optional<analyze::DeviceRank> devices_;
  std::unique_ptr<analyze::WorkOrigins> origins_;  // refers to the devices
  std::vector<std::uint32_t> node_;
  std::optional<Steps> steps_;
  std::optional<Prices> prices_;
};

}  // namespace orrery::query
