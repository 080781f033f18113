// Collectives inside a node as they were measured, beside a model of links for everything else: messages, and groups
// that leave their node. `network: {collectives: measured}` of a configuration.
//
// What was measured had the node's links to itself, so that such collectives neither slow others down nor are slowed
// down: NVLink switches carry several groups side by side without loss, and one group's own traffic is in the figure.
// Links do not count their bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "machine/device/collective_lines.h"
#include "machine/machine.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// What is known of the collectives of a device, without where it is known from.
struct MeasuredDevice {
  /// None: that collective was not measured.
  std::function<std::optional<double>(const machine::CollectiveCall&)> us = {};
  std::int64_t scale_up_devices = 0;  ///< that its fast links connect: what is farther is no node
  std::string basis = {};             ///< "H100"; "H100 at the link of H200"
};

/// Which operations are inside a node of a machine, and what they take there.
class MeasuredPrices {
 public:
  MeasuredPrices(MeasuredDevice device, const machine::Machine& machine);

  /// None: the links say what it takes, since it is a message, leaves the node, has parts of unequal size or an
  /// algorithm of its own, or was not measured.
  [[nodiscard]] std::optional<TimePs> price_ps(const CommOp& op) const;
  /// Whether all who take part are in one node.
  [[nodiscard]] bool is_inside(const CommOp& op) const;
  [[nodiscard]] const std::string& basis() const { return device_.basis; }

 private:
  MeasuredDevice device_;
  std::int64_t node_devices_ = 0;  // 0: the innermost dimension of the machine is no node
};

class MeasuredModel final : public NetworkModel,
                            public NetworkLookahead,
                            public NetworkSteadyState,
                            public NetworkFolding {
 public:
  MeasuredModel(MeasuredPrices prices, std::unique_ptr<NetworkModel> links)
      : prices_(std::move(prices)), links_(std::move(links)) {}

  Result<Price> estimate(const CommOp& op) override;
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  Status start(OpId id, const CommOp& op, TimePs now) override;
  [[nodiscard]] TimePs next_event() const override;
  void advance(TimePs now, std::vector<OpId>& finished) override;
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return links_->link_uses(); }
  [[nodiscard]] bool is_measured(const CommOp& op) const override { return prices_.price_ps(op).has_value(); }

  [[nodiscard]] NetworkLookahead* lookahead() override { return links_->lookahead() == nullptr ? nullptr : this; }
  std::optional<PredictedOp> predict(const CommOp& op, TimePs start) override;
  void commit(const PredictedOp& op) override;
  [[nodiscard]] bool has_mispredicted() const override { return links_->lookahead()->has_mispredicted(); }

  [[nodiscard]] NetworkSteadyState* steady_state() override {
    return links_->steady_state() == nullptr ? nullptr : this;
  }
  [[nodiscard]] bool is_quiescent() const override { return ends_.empty() && links_->steady_state()->is_quiescent(); }
  void count_links(std::vector<LinkCount>& counts) const override { links_->steady_state()->count_links(counts); }
  void add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) override {
    links_->steady_state()->add_count(link, each, times);
  }

  [[nodiscard]] NetworkFolding* folding() override { return links_->folding() == nullptr ? nullptr : this; }
  void fold() override { links_->folding()->fold(); }
  void forget_classes() override { links_->folding()->forget_classes(); }
  /// What is measured is told apart from what is not; all of the same size take the same time.
  [[nodiscard]] std::uint32_t class_of(const CommOp& op) const override {
    return 2 * links_->folding()->class_of(op) + (prices_.is_inside(op) ? 1 : 0);
  }
  void announce(const CommOp& op) override {
    if (!is_measured(op)) links_->folding()->announce(op);
  }
  [[nodiscard]] bool found_unlike() const override { return links_->folding()->found_unlike(); }
  bool refine_classes() override { return links_->folding()->refine_classes(); }

 private:
  void reset(LinkRecorder* recorder) override;

  using End = std::pair<TimePs, OpId>;

  MeasuredPrices prices_;
  std::unique_ptr<NetworkModel> links_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace orrery::simulate
