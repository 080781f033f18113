#include "align/shared_events.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace orrery::align {
namespace {

constexpr double kUnknownScaleNs = 50'000;  // with which ranks see a collective end, if the traces do not tell
constexpr std::size_t kMaxBlocks = 8;
constexpr std::size_t kBlockSightings = 100'000;  // fewer are not worth a block
constexpr std::size_t kSample = 1 << 12;          // residuals are enough to tell their typical size

/// Every so many-th value, at irregular places: sightings repeat with the number of nodes, and a sample must not keep step with them.
std::vector<double> sample(const std::vector<double>& values) {
  if (values.size() <= kSample) return values;
  const std::size_t stride = values.size() / kSample;
  std::vector<double> taken(kSample);
  for (std::size_t i = 0; i < kSample; ++i) taken[i] = values[i * stride + (i * 2'654'435'761u >> 7) % stride];
  return taken;
}

}  // namespace

SharedEvents::SharedEvents(const Observations& observations, const ClockBasis& basis) : basis_(basis) {
  const auto& sightings = observations.sightings;
  moment_.resize(observations.events);
  std::vector<double> readings;
  for (std::size_t i = 0; i < sightings.size();) {
    const std::uint32_t event = sightings[i].event;
    while (first_.size() <= event) first_.push_back(i);
    readings.clear();
    for (; i < sightings.size() && sightings[i].event == event; ++i) {
      node_.push_back(sightings[i].node);
      reading_.push_back(sightings[i].reading_ns);
      readings.push_back(sightings[i].reading_ns);
    }
    moment_[event] = median(readings);
  }
  first_.resize(observations.events + 1, sightings.size());
  weight_.assign(sightings.size(), 1.0);
  for (std::size_t node = 0; node < basis.nodes(); ++node) has_steps_.push_back(basis.steps(node).empty() ? 0 : 1);
  any_steps_ = std::count(has_steps_.begin(), has_steps_.end(), 1) > 0;
  // Each block has sums of its own for all unknowns, so there are no more blocks than that takes less time than the sightings.
  const std::size_t unknowns = static_cast<std::size_t>(basis.unknowns());
  const std::size_t blocks = std::clamp(sightings.size() / std::max(kBlockSightings, unknowns), std::size_t{1}, kMaxBlocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto from = static_cast<std::uint32_t>(observations.events * b / blocks);
    const auto to = static_cast<std::uint32_t>(observations.events * (b + 1) / blocks);
    blocks_.push_back({from, to, {}, {}});
  }
}

void SharedEvents::for_blocks(const std::function<void(Block&)>& body) {
  if (blocks_.size() == 1) return body(blocks_[0]);
  parallel_for(blocks_.size(), [&](std::size_t b) { body(blocks_[b]); });
}

void SharedEvents::gather_sums(Eigen::VectorXd& into) {
  for (const Block& block : blocks_) into += block.sum;
}

/// What the clocks of all nodes that saw the event show more than the reference, one after the other.
void SharedEvents::read_values(const Eigen::VectorXd& x, std::uint32_t event, std::vector<double>& values) const {
  const Place& at = place_[event];
  const auto width = static_cast<Eigen::Index>(basis_.nodes());
  const auto before = x.segment(basis_.knot_unknown(at.knot), width), after = x.segment(basis_.knot_unknown(at.knot + 1), width);
  const std::uint32_t* const nodes = node_.data() + first_[event];
  const std::size_t seen = count(event);
  if (values.size() < seen) values.resize(seen);
  if (seen == basis_.nodes()) {  // by everybody: no need to ask by whom
    Eigen::Map<Eigen::VectorXd>(values.data(), width) = (1 - at.fraction) * before + at.fraction * after;
  } else {
    for (std::size_t i = 0; i < seen; ++i) values[i] = (1 - at.fraction) * before[nodes[i]] + at.fraction * after[nodes[i]];
  }
  if (!any_steps_) return;
  for (std::size_t i = 0; i < seen; ++i) {
    if (has_steps_[nodes[i]] == 0) continue;
    const std::uint32_t steps = basis_.steps_before(nodes[i], located_[event]);
    for (std::uint32_t s = 0; s < steps; ++s) values[i] += x[basis_.step_unknown(nodes[i], s)];
  }
}

/// Adds to the block's sums, for every sighting of the event, how far its value is from the mean of them all.
void SharedEvents::add_deviations(Block& block, std::uint32_t event, const double* values) const {
  const Place& at = place_[event];
  const auto width = static_cast<Eigen::Index>(basis_.nodes()), seen = static_cast<Eigen::Index>(count(event));
  auto before = block.sum.segment(basis_.knot_unknown(at.knot), width).array();
  auto after = block.sum.segment(basis_.knot_unknown(at.knot + 1), width).array();
  const std::uint32_t* const nodes = node_.data() + first_[event];
  const Eigen::Map<const Eigen::ArrayXd> value(values, seen), weight(weight_.data() + first_[event], seen);
  const double total = weight.sum();
  const double mean = total > 0 ? (weight * value).sum() / total : 0;
  if (seen == width) {
    before += (1 - at.fraction) * (weight * (value - mean));
    after += at.fraction * (weight * (value - mean));
  } else {
    for (Eigen::Index i = 0; i < seen; ++i) {
      before[nodes[i]] += (1 - at.fraction) * (weight[i] * (value[i] - mean));
      after[nodes[i]] += at.fraction * (weight[i] * (value[i] - mean));
    }
  }
  if (!any_steps_) return;
  for (Eigen::Index i = 0; i < seen; ++i) {
    if (has_steps_[nodes[i]] == 0) continue;
    const std::uint32_t steps = basis_.steps_before(nodes[i], located_[event]);
    for (std::uint32_t s = 0; s < steps; ++s) block.sum[basis_.step_unknown(nodes[i], s)] += weight[i] * (value[i] - mean);
  }
}

void SharedEvents::locate() {
  located_ = moment_;
  place_.resize(moment_.size());
  for (std::size_t e = 0; e < moment_.size(); ++e) place_[e] = basis_.place_of_any(moment_[e]);
}

void SharedEvents::reweigh(const Eigen::VectorXd& x, Say say, std::size_t unknowns) {
  for_blocks([&](Block& block) {
    for (std::uint32_t e = block.begin; e < block.end; ++e) {
      read_values(x, e, block.values);
      for (std::size_t i = 0; i < count(e); ++i) weight_[first_[e] + i] = std::abs(reading_[first_[e] + i] - moment_[e] - block.values[i]);
    }
  });
  scale_ = std::max(typical_size(sample(weight_), weight_.size(), unknowns, kUnknownScaleNs), 1.0);
  for_blocks([&](Block& block) {
    for (std::size_t i = first_[block.begin]; i < first_[block.end]; ++i)
      weight_[i] = weight_of(say, weight_[i] / scale_) / (scale_ * scale_);
  });
}

void SharedEvents::add_to(std::vector<NodeSmoother>& smoothers) const {
  for (std::uint32_t e = 0; e < moment_.size(); ++e) {
    for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
      Place at = place_[e];
      if (has_steps_[node_[i]] != 0) at.steps = basis_.steps_before(node_[i], located_[e]);
      smoothers[node_[i]].add(at, weight_[i]);
    }
  }
}

/// With the moment eliminated, the sum of w_i (v_i - mean)^2 where v is 0 for the reference and u for all others: u^2 times this weight.
void SharedEvents::add_common_to(NodeSmoother& common) const {
  for (std::uint32_t e = 0; e < moment_.size(); ++e) {
    double total = 0, reference = 0;
    for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
      total += weight_[i];
      if (node_[i] == basis_.reference()) reference = weight_[i];
    }
    if (reference > 0) common.add(place_[e], reference * (total - reference) / total);
  }
}

void SharedEvents::eliminate(const Eigen::VectorXd& x) {
  for_blocks([&](Block& block) {
    for (std::uint32_t e = block.begin; e < block.end; ++e) {
      read_values(x, e, block.values);
      double sum = 0, total = 0;
      for (std::size_t i = 0; i < count(e); ++i) {
        const double weight = weight_[first_[e] + i];
        sum += weight * (reading_[first_[e] + i] - block.values[i]);
        total += weight;
      }
      if (total > 0) moment_[e] = sum / total;
    }
  });
}

void SharedEvents::add_right_side(Eigen::VectorXd& b) {
  for_blocks([&](Block& block) {
    block.sum = Eigen::VectorXd::Zero(basis_.unknowns());
    for (std::uint32_t e = block.begin; e < block.end; ++e) add_deviations(block, e, reading_.data() + first_[e]);
  });
  gather_sums(b);
}

void SharedEvents::add_product(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  for_blocks([&](Block& block) {
    block.sum = Eigen::VectorXd::Zero(basis_.unknowns());
    for (std::uint32_t e = block.begin; e < block.end; ++e) {
      read_values(x, e, block.values);
      add_deviations(block, e, block.values.data());
    }
  });
  gather_sums(out);
}

std::vector<double> SharedEvents::residuals_ns(const Eigen::VectorXd& x) const {
  std::vector<double> residuals(node_.size()), values;
  for (std::uint32_t e = 0; e < moment_.size(); ++e) {
    read_values(x, e, values);
    for (std::size_t i = 0; i < count(e); ++i) residuals[first_[e] + i] = reading_[first_[e] + i] - moment_[e] - values[i];
  }
  return residuals;
}

}  // namespace orrery::align
