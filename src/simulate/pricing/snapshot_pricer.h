// Whoever prices the snapshots of a schedule, and runs a workload at those prices.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "simulate/models/oracle_model.h"
#include "simulate/models/snapshot_model.h"
#include "simulate/pricing/oracle_snapshots.h"
#include "simulate/pricing/price_book.h"
#include "simulate/pricing/priced_operations.h"
#include "simulate/pricing/recording_model.h"

namespace orrery::simulate {

class SnapshotPricer {
 public:
  virtual ~SnapshotPricer() = default;

  /// Runs at isolated prices at first, and at those of apply() from then on.
  virtual NetworkModel& model() = 0;
  virtual Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) = 0;
  /// What price() said of the recording is what its operations take from now on.
  virtual void apply(const Recording& recording, const PricedOperations& priced) = 0;
};

/// The links of the machine at max-min fair rates: the same solver that the fluid model runs in the loop.
class LinkSnapshotPricer final : public SnapshotPricer {
 public:
  LinkSnapshotPricer(std::shared_ptr<Lowering> lowering, std::int64_t coalesce_below_bytes)
      : lowering_(std::move(lowering)), model_(lowering_), coalesce_below_bytes_(coalesce_below_bytes) {}

  NetworkModel& model() override { return model_; }
  Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) override;
  void apply(const Recording& recording, const PricedOperations& priced) override;

 private:
  std::shared_ptr<Lowering> lowering_;
  SnapshotModel model_;
  std::int64_t coalesce_below_bytes_;
  std::vector<double> slowdowns_;  // of what was priced last
};

/// An oracle, by way of a book of its prices, which must outlive this.
class BookSnapshotPricer final : public SnapshotPricer {
 public:
  BookSnapshotPricer(PriceBook& book, Lowering& lowering, std::int64_t coalesce_below_bytes);

  NetworkModel& model() override { return model_; }
  Result<PricedOperations> price(const Recording& recording, const SnapshotSettings& settings) override {
    return oracle_snapshots(recording, book_, lowering_, settings, coalesce_below_bytes_);
  }
  void apply(const Recording& recording, const PricedOperations& priced) override;

 private:
  PriceBook& book_;
  Lowering& lowering_;
  OracleModel model_;
  std::int64_t coalesce_below_bytes_;
};

}  // namespace orrery::simulate
