// What operations cost in the company that a schedule put them in: whoever prices the snapshots of a schedule, and runs
// a workload at those prices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "simulate/collective/lowering.h"
#include "simulate/models/oracle_model.h"
#include "simulate/models/snapshot.h"
#include "simulate/pricing/price_book.h"
#include "simulate/pricing/recording.h"

namespace orrery::simulate {

/// By place in the Recording that was priced.
struct PricedOperations {
  std::vector<TimePs> isolated_ps;
  std::vector<TimePs> price_ps;
  std::vector<SnapshotInterval> intervals;  ///< by start; only those with members
  std::uint64_t coalesced = 0;              ///< operations that were too small to look at
  std::uint64_t fallbacks = 0;              ///< operations that the model has no price for
  std::string first_failure = {};           ///< why the first interval that failed did
};

class SnapshotPricer {
 public:
  virtual ~SnapshotPricer() = default;

  /// Runs at isolated prices at first, and at those of apply() from then on.
  virtual NetworkModel& model() = 0;
  /// Operations of few bytes take what they take alone and are in no interval. An Error only where an operation has no
  /// price at all.
  virtual Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) = 0;
  /// What price() said of the recording is what its operations take from now on.
  virtual void apply(const Recording& recording, const PricedOperations& priced) = 0;
};

/// The links of the machine at max-min fair rates: the same solver that the fluid model runs in the loop.
class LinkSnapshotPricer final : public SnapshotPricer {
 public:
  LinkSnapshotPricer(std::shared_ptr<Lowering> lowering, std::int64_t coalesce_below_bytes, bool keep_intervals)
      : lowering_(std::move(lowering)),
        model_(lowering_),
        coalesce_below_bytes_(coalesce_below_bytes),
        keeps_intervals_(keep_intervals) {}

  NetworkModel& model() override { return model_; }
  Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) override;
  void apply(const Recording& recording, const PricedOperations& priced) override;

 private:
  std::shared_ptr<Lowering> lowering_;
  SnapshotModel model_;
  std::int64_t coalesce_below_bytes_;
  bool keeps_intervals_;
  std::vector<double> slowdowns_;  // of what was priced last
};

/// An oracle, which answers questions about sets of operations but cannot run in the loop, by way of a book of its
/// prices, which must outlive this.
///
/// Between two moments of a schedule the operations under way are frozen. They fall into components that share neither
/// a link nor a rank: each is priced as if all its members started together, from nothing, which over-states what those
/// that are nearly done suffer. An operation e that is in the intervals k of lengths t_k takes
///
///     alone(e) * sum_k (t_k / sum of t_k) * max(1, together_k(e) / alone(e))
///
/// that is: the part of its work that it did in each company counts as much as that company slowed it down. Operations
/// without a price of the oracle's own are in no interval: their time is another model's.
class BookSnapshotPricer final : public SnapshotPricer {
 public:
  BookSnapshotPricer(PriceBook& book, Lowering& lowering, std::int64_t coalesce_below_bytes);

  NetworkModel& model() override { return model_; }
  Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) override;
  void apply(const Recording& recording, const PricedOperations& priced) override;

 private:
  PriceBook& book_;
  Lowering& lowering_;
  OracleModel model_;
  std::int64_t coalesce_below_bytes_;
};

}  // namespace orrery::simulate
