// Max-min fairness the slow way, straight from its definition: every step looks at every link and every flow again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/units.h"
#include "simulate/fluid/fluid_network.h"

namespace orrery::simulate::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ReferenceFlow {
  std::vector<LinkShare> shares = {};
  double bytes = 0;
  double limit = kInfinity;
  TimePs start_ps = 0;
};

/// All rates grow alike; the flows on a link that is full, and those at their limits, stop.
inline std::vector<double> fair_rates(const std::vector<double>& capacities, const std::vector<ReferenceFlow>& flows) {
  std::vector<double> rates(flows.size(), -1);  // below 0: still grows
  for (std::size_t growing = flows.size(); growing > 0;) {
    std::vector<double> full_at(capacities.size(), kInfinity);
    double level = kInfinity;
    for (std::size_t link = 0; link < capacities.size(); ++link) {
      double left = capacities[link], weight = 0;
      for (std::size_t i = 0; i < flows.size(); ++i) {
        for (const LinkShare& share : flows[i].shares) {
          if (share.link != link) continue;
          if (rates[i] < 0) weight += share.weight;
          else left -= share.weight * rates[i];
        }
      }
      if (weight > 0) full_at[link] = left / weight;
      level = std::min(level, full_at[link]);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (rates[i] < 0) level = std::min(level, flows[i].limit);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (rates[i] >= 0) continue;
      const bool stops = flows[i].limit <= level ||
                         std::any_of(flows[i].shares.begin(), flows[i].shares.end(), [&](const LinkShare& share) {
                           return full_at[share.link] <= level * (1 + 1e-13);
                         });
      if (!stops) continue;
      rates[i] = level;
      --growing;
    }
  }
  return rates;
}

/// When each flow ends, in seconds: solved anew from nothing at every arrival and departure.
inline std::vector<double> reference_finishes(const std::vector<double>& capacities,
                                              const std::vector<ReferenceFlow>& flows) {
  std::vector<double> left, finishes(flows.size(), 0);
  for (const ReferenceFlow& flow : flows) left.push_back(flow.bytes);
  double now = 0;
  while (true) {
    std::vector<ReferenceFlow> present;
    std::vector<std::size_t> who;
    double until = kInfinity;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const double start = static_cast<double>(flows[i].start_ps) * 1e-12;
      if (finishes[i] > 0) continue;
      if (start > now) {
        until = std::min(until, start);
      } else {
        present.push_back(flows[i]);
        who.push_back(i);
      }
    }
    if (present.empty() && until == kInfinity) return finishes;
    const std::vector<double> rates = fair_rates(capacities, present);
    for (std::size_t k = 0; k < who.size(); ++k) until = std::min(until, now + left[who[k]] / rates[k]);
    for (std::size_t k = 0; k < who.size(); ++k) {
      left[who[k]] -= rates[k] * (until - now);
      if (left[who[k]] <= 1e-12 * flows[who[k]].bytes) finishes[who[k]] = until;
    }
    now = until;
  }
}

/// The same through FluidNetwork, in picoseconds.
inline std::vector<TimePs> fluid_finishes(FluidNetwork& network, const std::vector<ReferenceFlow>& flows) {
  std::vector<std::size_t> order(flows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows[a].start_ps < flows[b].start_ps; });
  std::vector<TimePs> finishes(flows.size(), -1);
  std::vector<std::size_t> flow_of;  // by id
  std::vector<FluidNetwork::FlowId> finished;
  std::size_t started = 0;
  while (true) {
    const TimePs start = started < order.size() ? flows[order[started]].start_ps : kNever;
    const TimePs now = std::min(start, network.next_completion());
    if (now == kNever) return finishes;
    finished.clear();
    network.advance(now, finished);
    for (const FluidNetwork::FlowId id : finished) finishes[flow_of[id]] = now;
    for (; started < order.size() && flows[order[started]].start_ps == now; ++started) {
      const ReferenceFlow& flow = flows[order[started]];
      const FluidNetwork::FlowId id = network.add(flow.bytes, flow.shares, now, flow.limit);
      if (flow_of.size() <= id) flow_of.resize(std::size_t{id} + 1);
      flow_of[id] = order[started];
    }
  }
}

}  // namespace orrery::simulate::testing
