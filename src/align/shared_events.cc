#include "align/shared_events.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/statistics.h"

// Events lie by the knot before them, in blocks that no two threads add to the same knot from: even blocks run
// together, then odd ones. Blocks are cut by the number of sightings, not of threads, so that sums are rounded alike on
// any machine.

namespace orrery::align {
namespace {

constexpr double kUnknownScaleNs = 50'000;  // with which ranks see a collective end, if the traces do not tell
constexpr std::size_t kMaxBlocks = 32;
constexpr std::size_t kBlockSightings = 50'000;  // fewer are not worth a block
constexpr std::size_t kSample = 1 << 12;         // residuals are enough to tell their typical size

/// Every so many-th value, at irregular places: sightings repeat with the number of nodes, and a sample must not keep
/// step with them.
std::vector<double> sample(const std::vector<double>& values) {
  if (values.size() <= kSample) return values;
  const std::size_t stride = values.size() / kSample;
  std::vector<double> taken(kSample);
  // Knuth's multiplier shifts the sample within each stride.
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
    moment_[event] = lower_median(readings);
  }
  first_.resize(observations.events + 1, sightings.size());
  // Until residuals are known: what ranks of a job usually spread over.
  weight_.assign(sightings.size(), 1 / (kUnknownScaleNs * kUnknownScaleNs));
  for (std::size_t node = 0; node < basis.nodes(); ++node) has_steps_.push_back(basis.steps(node).empty() ? 0 : 1);
  any_steps_ = std::count(has_steps_.begin(), has_steps_.end(), 1) > 0;
}

/// An event pulls at the knot before it and at the one after it. Blocks are made of whole gaps between knots, so only
/// neighbouring blocks have a knot in common.
void SharedEvents::cut_into_blocks() {
  by_knot_ = group_by_row<std::uint32_t>(basis_.knots(), [&](auto&& add) {
    for (std::uint32_t e = 0; e < moment_.size(); ++e) add(place_[e].knot, e);
  });
  const std::size_t wanted = std::clamp(node_.size() / kBlockSightings, std::size_t{1}, kMaxBlocks);
  blocks_.clear();
  std::size_t begin = 0, passed = 0;
  for (std::size_t k = 0; k < basis_.knots(); ++k) {
    for (const std::uint32_t e : by_knot_[k]) passed += count(e);
    const bool full = passed * wanted >= node_.size() * (blocks_.size() + 1);
    if (!full && k + 1 < basis_.knots()) continue;
    const std::size_t end = by_knot_.first(k + 1);
    if (end > begin) blocks_.push_back({.begin = begin, .end = end});
    begin = end;
  }
}

void SharedEvents::for_blocks(const std::function<void(Block&)>& body) {
  if (blocks_.size() == 1) return body(blocks_[0]);
  parallel_for(blocks_.size(), [&](std::size_t b) { body(blocks_[b]); });
}

/// The same, but no two neighbouring blocks at the same time: for a body that adds to what belongs to knots.
void SharedEvents::for_blocks_apart(const std::function<void(Block&)>& body) {
  if (blocks_.size() == 1) return body(blocks_[0]);
  for (const std::size_t odd : {0u, 1u})
    parallel_for((blocks_.size() + 1 - odd) / 2, [&](std::size_t b) { body(blocks_[2 * b + odd]); });
}

/// What the clocks of all nodes that saw the event show more than the reference, one after the other.
void SharedEvents::read_values(const Eigen::VectorXd& x, std::uint32_t event, std::vector<double>& values) const {
  const Place& at = place_[event];
  const auto width = static_cast<Eigen::Index>(basis_.nodes());
  const auto before = x.segment(basis_.knot_unknown(at.knot), width),
             after = x.segment(basis_.knot_unknown(at.knot + 1), width);
  const std::uint32_t* const nodes = node_.data() + first_[event];
  const std::size_t seen = count(event);
  if (values.size() < seen) values.resize(seen);
  if (seen == basis_.nodes()) {  // by everybody: no need to ask by whom
    Eigen::Map<Eigen::VectorXd>(values.data(), width) = (1 - at.fraction) * before + at.fraction * after;
  } else {
    for (std::size_t i = 0; i < seen; ++i)
      values[i] = (1 - at.fraction) * before[nodes[i]] + at.fraction * after[nodes[i]];
  }
  if (!any_steps_) return;
  for (std::size_t i = 0; i < seen; ++i) {
    if (has_steps_[nodes[i]] == 0) continue;
    const std::uint32_t steps = basis_.steps_before(nodes[i], located_[event]);
    for (std::uint32_t s = 0; s < steps; ++s) values[i] += x[basis_.step_unknown(nodes[i], s)];
  }
}

/// Adds, for every sighting of the event, its weight times how far its value is from the mean of them all.
void SharedEvents::add_deviations(Block& block, std::uint32_t event, const double* values,
                                  Eigen::VectorXd& into) const {
  const Place& at = place_[event];
  const auto width = static_cast<Eigen::Index>(basis_.nodes()), seen = static_cast<Eigen::Index>(count(event));
  auto before = into.segment(basis_.knot_unknown(at.knot), width).array();
  auto after = into.segment(basis_.knot_unknown(at.knot + 1), width).array();
  const std::uint32_t* const nodes = node_.data() + first_[event];
  const Eigen::Map<const Eigen::ArrayXd> value(values, seen), weight(weight_.data() + first_[event], seen);
  const double total = weight.sum();
  const double mean = total > 0 ? (weight * value).sum() / total : 0;
  if (seen == width) {  // by everybody: no need to ask by whom
    before += (1 - at.fraction) * (weight * (value - mean));
    after += at.fraction * (weight * (value - mean));
  } else {
    for (Eigen::Index i = 0; i < seen; ++i) {
      before[nodes[i]] += (1 - at.fraction) * (weight[i] * (value[i] - mean));
      after[nodes[i]] += at.fraction * (weight[i] * (value[i] - mean));
    }
  }
  if (!any_steps_) return;
  const Eigen::Index first_step = basis_.knot_unknown(basis_.knots());
  for (Eigen::Index i = 0; i < seen; ++i) {
    if (has_steps_[nodes[i]] == 0) continue;
    const std::uint32_t steps = basis_.steps_before(nodes[i], located_[event]);
    for (std::uint32_t s = 0; s < steps; ++s)
      block.step_sums[basis_.step_unknown(nodes[i], s) - first_step] += weight[i] * (value[i] - mean);
  }
}

void SharedEvents::locate() {
  located_ = moment_;
  place_.resize(moment_.size());
  for (std::size_t e = 0; e < moment_.size(); ++e) place_[e] = basis_.place_of_any(moment_[e]);
  cut_into_blocks();
}

void SharedEvents::reweigh(const Eigen::VectorXd& x, Loss loss, std::size_t unknowns) {
  for_blocks([&](Block& block) {
    for (const std::uint32_t e : events(block)) {
      read_values(x, e, block.values);
      for (std::size_t i = 0; i < count(e); ++i)
        weight_[first_[e] + i] = std::abs(reading_[first_[e] + i] - moment_[e] - block.values[i]);
    }
  });
  scale_ = std::max(residual_scale(sample(weight_), weight_.size(), unknowns, kUnknownScaleNs), 1.0);
  for_blocks([&](Block& block) {
    for (const std::uint32_t e : events(block)) {
      for (std::size_t i = first_[e]; i < first_[e + 1]; ++i)
        weight_[i] = weight_of(loss, weight_[i] / scale_) / (scale_ * scale_);
    }
  });
}

void SharedEvents::add_to(NodeSmoothers& smoothers) {
  for_blocks_apart([&](Block& block) {
    for (const std::uint32_t e : events(block)) {
      if (count(e) == basis_.nodes() && !any_steps_) {
        smoothers.add_to_all(place_[e], std::span(weight_).subspan(first_[e], count(e)));
        continue;
      }
      for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
        Place at = place_[e];
        if (has_steps_[node_[i]] != 0) at.steps = basis_.steps_before(node_[i], located_[e]);
        smoothers.add(node_[i], at, weight_[i]);
      }
    }
  });
}

/// With the moment eliminated, the sum of w_i (v_i - mean)^2 where v is 0 for the reference and u for all others: u^2
/// times this weight.
void SharedEvents::add_common_to(NodeSmoothers& common) const {
  for (std::uint32_t e = 0; e < moment_.size(); ++e) {
    double total = 0, reference = 0;
    for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
      total += weight_[i];
      if (node_[i] == basis_.reference()) reference = weight_[i];
    }
    if (reference > 0) common.add(0, place_[e], reference * (total - reference) / total);
  }
}

void SharedEvents::eliminate(const Eigen::VectorXd& x) {
  for_blocks([&](Block& block) {
    for (const std::uint32_t e : events(block)) {
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

void SharedEvents::add_deviations_of_all(Eigen::VectorXd& into,
                                         const std::function<const double*(Block&, std::uint32_t event)>& values_of) {
  const Eigen::Index first_step = basis_.knot_unknown(basis_.knots()), steps = basis_.unknowns() - first_step;
  for_blocks_apart([&](Block& block) {
    block.step_sums = Eigen::VectorXd::Zero(steps);
    for (const std::uint32_t e : events(block)) add_deviations(block, e, values_of(block, e), into);
  });
  // A step is before the events of many blocks: they sum it up each for itself.
  for (const Block& block : blocks_) into.segment(first_step, steps) += block.step_sums;
}

void SharedEvents::add_residual(const Eigen::VectorXd& x, Eigen::VectorXd& into) {
  add_deviations_of_all(into, [&](Block& block, std::uint32_t e) {
    read_values(x, e, block.values);
    for (std::size_t i = 0; i < count(e); ++i) block.values[i] = reading_[first_[e] + i] - block.values[i];
    return block.values.data();
  });
}

void SharedEvents::add_product(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  add_deviations_of_all(out, [&](Block& block, std::uint32_t e) {
    read_values(x, e, block.values);
    return block.values.data();
  });
}

std::vector<double> SharedEvents::residuals_ns(const Eigen::VectorXd& x) const {
  std::vector<double> residuals(node_.size()), values;
  for (std::uint32_t e = 0; e < moment_.size(); ++e) {
    read_values(x, e, values);
    for (std::size_t i = 0; i < count(e); ++i)
      residuals[first_[e] + i] = reading_[first_[e] + i] - moment_[e] - values[i];
  }
  return residuals;
}

}  // namespace orrery::align
