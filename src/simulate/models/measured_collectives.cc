#include "simulate/models/measured_collectives.h"

#include <algorithm>
#include <cmath>

namespace orrery::simulate {
namespace {

std::optional<machine::NodeCollective> measured_op(workload::Collective collective) {
  switch (collective) {
    case workload::Collective::all_reduce: return machine::NodeCollective::all_reduce;
    case workload::Collective::all_gather: return machine::NodeCollective::all_gather;
    case workload::Collective::reduce_scatter: return machine::NodeCollective::reduce_scatter;
    case workload::Collective::all_to_all: return machine::NodeCollective::all_to_all;
    default: return std::nullopt;
  }
}

}  // namespace

MeasuredPrices::MeasuredPrices(MeasuredDevice device, const machine::Machine& machine) : device_(std::move(device)) {
  // A dimension that is larger than what the fast links connect is the network between nodes of one device.
  if (!machine.network.empty() && machine.network[0].size <= device_.scale_up_devices)
    node_devices_ = machine.network[0].size;
}

std::optional<TimePs> MeasuredPrices::price_ps(const CommOp& op) const {
  if (op.kind != CommOp::Kind::collective || op.algorithm || !op.parts.empty()) return std::nullopt;
  if (op.ranks.size() < 2) return std::nullopt;
  const std::optional<machine::NodeCollective> collective = measured_op(op.collective);
  if (!collective) return std::nullopt;
  if (!is_inside(op)) return std::nullopt;
  const std::optional<double> us = device_.us(
      {.op = *collective, .ranks = static_cast<std::int64_t>(op.ranks.size()), .bytes = static_cast<double>(op.bytes)});
  if (!us) return std::nullopt;
  return std::llround(*us * static_cast<double>(kPsPerUs));
}

bool MeasuredPrices::is_inside(const CommOp& op) const {
  if (node_devices_ == 0) return false;
  const auto node = [&](std::uint32_t rank) { return static_cast<std::int64_t>(rank) / node_devices_; };
  return std::all_of(op.ranks.begin(), op.ranks.end(),
                     [&](std::uint32_t rank) { return node(rank) == node(op.ranks[0]); });
}

Result<Price> MeasuredModel::estimate(const CommOp& op) {
  if (const auto measured = prices_.price_ps(op)) return Price{.total_ps = *measured, .beta_ps = *measured};
  return links_->estimate(op);
}

Result<std::vector<Price>> MeasuredModel::estimate(std::span<const CommOp> ops) {
  // What is measured is on no link: the others share them without it.
  std::vector<CommOp> on_links;
  for (const CommOp& op : ops) {
    if (!is_measured(op)) on_links.push_back(op);
  }
  const Result<std::vector<Price>> shared = links_->estimate(on_links);
  if (!shared) return shared.error();
  std::vector<Price> prices;
  auto next = shared->begin();
  for (const CommOp& op : ops) {
    const auto measured = prices_.price_ps(op);
    prices.push_back(measured ? Price{.total_ps = *measured, .beta_ps = *measured} : *next++);
  }
  return prices;
}

Status MeasuredModel::start(OpId id, const CommOp& op, TimePs now) {
  const auto measured = prices_.price_ps(op);
  if (!measured) return links_->start(id, op, now);
  ends_.emplace(now + *measured, id);
  return {};
}

TimePs MeasuredModel::next_event() const {
  const TimePs links = links_->next_event();
  return ends_.empty() ? links : std::min(links, ends_.top().first);
}

void MeasuredModel::advance(TimePs now, std::vector<OpId>& finished) {
  const auto first = static_cast<std::ptrdiff_t>(finished.size());
  links_->advance(now, finished);
  while (!ends_.empty() && ends_.top().first <= now) {
    finished.push_back(ends_.top().second);
    ends_.pop();
  }
  std::sort(finished.begin() + first, finished.end());
}

std::optional<PredictedOp> MeasuredModel::predict(const CommOp& op, TimePs start) {
  const auto measured = prices_.price_ps(op);
  if (!measured) return links_->lookahead()->predict(op, start);
  return PredictedOp{.end_ps = start + *measured, .is_measured = true};
}

void MeasuredModel::commit(const PredictedOp& op) {
  // The links have nothing to do with it.
  if (!op.is_measured) links_->lookahead()->commit(op);
}

void MeasuredModel::reset(LinkRecorder* recorder) {
  ends_ = {};
  links_->restart(recorder);
}

}  // namespace orrery::simulate
