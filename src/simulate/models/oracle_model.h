// Prices from outside: another simulator, a table of measurements. Each operation takes what the oracle says it takes
// alone.
#pragma once

#include <functional>
#include <queue>
#include <unordered_map>

#include "simulate/network_model.h"

namespace orrery::simulate {

class OracleModel final : public NetworkModel {
 public:
  using Oracle = std::function<Result<Price>(const CommOp&)>;

  /// Operations are not slowed down by one another: an oracle that knows contention answers for one operation only.
  explicit OracleModel(Oracle oracle) : oracle_(std::move(oracle)) {}

  /// What operations take that were priced before they start; the oracle is not asked about them.
  void set_prices(std::unordered_map<OpId, TimePs> total_ps) { known_ps_ = std::move(total_ps); }

  Result<Price> estimate(const CommOp& op) override { return oracle_(op); }
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  Status start(OpId id, const CommOp& op, TimePs now) override;
  [[nodiscard]] TimePs next_event() const override { return ends_.empty() ? kNever : ends_.top().first; }
  void advance(TimePs now, std::vector<OpId>& finished) override;
  /// An oracle does not tell.
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return {}; }

 private:
  void reset(LinkRecorder* /*recorder*/) override { ends_ = {}; }

  using End = std::pair<TimePs, OpId>;

  Oracle oracle_;
  std::unordered_map<OpId, TimePs> known_ps_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace orrery::simulate
