#include "simulate/pricing/snapshot_pricer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// For an oracle: operations in flight together are split into components that share a link or a rank, directly or
// through others, since those that meet nobody cost what they cost alone. Each component is asked for once, however
// long and often it is in flight. An operation's price is its price alone times the mean stretch over its time in
// flight.

namespace orrery::simulate {
namespace {

using Component = std::vector<std::uint32_t>;  // operations

/// What an operation could meet others at: links and ranks, numbered in one list.
class MeetingPlaces {
 public:
  MeetingPlaces(const Recording& recording, Lowering& lowering)
      : recording_(recording), lowering_(lowering), links_(lowering.network().links().size()) {}

  [[nodiscard]] std::size_t count() const { return links_ + lowering_.network().device_count(); }

  Result<std::span<const std::uint32_t>> of(std::uint32_t op) {
    const RecordedOp& recorded = recording_.ops[op];
    const Key key{recorded.kind, recorded.collective, recorded.rank_set, recorded.flow, recorded.bytes};
    if (const auto known = places_.find(key); known != places_.end())
      return std::span<const std::uint32_t>(known->second);
    const CommOp question = recording_.op(op);
    const auto plan = lowering_.plan(question);
    if (!plan) return plan.error();
    std::vector<std::uint32_t>& places = places_[key];
    for (const PlanPhase& phase : (*plan)->phases) {
      for (const LinkShare& share : phase.shares) places.push_back(share.link);
    }
    for (const std::uint32_t rank : question.ranks) places.push_back(static_cast<std::uint32_t>(links_) + rank);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return std::span<const std::uint32_t>(places);
  }

 private:
  // The size counts because it may choose the algorithm.
  using Key = std::tuple<CommOp::Kind, workload::Collective, std::uint32_t, std::uint64_t, std::int64_t>;

  const Recording& recording_;
  Lowering& lowering_;
  std::size_t links_;
  std::map<Key, std::vector<std::uint32_t>> places_;
};

class OracleSnapshots {
 public:
  OracleSnapshots(const Recording& recording, PriceBook& book, Lowering& lowering, const SnapshotSettings& settings)
      : recording_(recording),
        book_(book),
        settings_(settings),
        places_(recording, lowering),
        weighted_ps_(recording.ops.size()) {}

  Result<PricedOperations> price(std::int64_t coalesce_below_bytes) {
    if (Status priced = price_alone(coalesce_below_bytes); !priced) return priced.error();
    if (Status walked = walk(); !walked) return walked.error();
    for (const std::uint32_t op : members_) {
      const auto length = static_cast<double>(end_[op] - start_[op]);
      if (length <= 0) continue;  // it shares nothing with anybody
      const double mix = weighted_ps_[op] / length;
      priced_.price_ps[op] = std::llround(static_cast<double>(priced_.isolated_ps[op]) * mix);
    }
    return std::move(priced_);
  }

 private:
  Status price_alone(std::int64_t coalesce_below_bytes) {
    std::vector<TimePs> moments;
    for (std::uint32_t op = 0; op < recording_.ops.size(); ++op) {
      const RecordedOp& recorded = recording_.ops[op];
      const Result<PriceBook::Answer> answer = book_.alone(recording_.op(op));
      if (!answer) return answer.error();
      priced_.isolated_ps.push_back(answer->total_ps);
      // What has another model's price, or too few bytes, meets nobody in the intervals.
      if (answer->is_fallback) ++priced_.fallbacks;
      else if (recorded.bytes < coalesce_below_bytes) ++priced_.coalesced;
      // What takes no time meets nobody.
      else if (answer->total_ps > 0) members_.push_back(op);
    }
    priced_.price_ps = priced_.isolated_ps;
    for (const std::uint32_t op : members_)
      moments.insert(moments.end(), {recording_.ops[op].start_ps, recording_.ops[op].end_ps});
    moments_ = merged_moments(std::move(moments), settings_.merge_ps);
    start_.resize(recording_.ops.size());
    end_.resize(recording_.ops.size());
    for (const std::uint32_t op : members_) {
      start_[op] = moment_of(moments_, recording_.ops[op].start_ps);
      end_[op] = moment_of(moments_, recording_.ops[op].end_ps);
    }
    return {};
  }

  Status walk() {
    std::vector<std::uint32_t> coming;
    for (const std::uint32_t op : members_) {
      if (start_[op] < end_[op]) coming.push_back(op);
    }
    // Who began first is asked for first, which decides whose turn it is on a rank that both are on.
    std::stable_sort(coming.begin(), coming.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return start_[a] < start_[b]; });
    std::vector<std::uint32_t> active;
    std::size_t next = 0;
    for (std::size_t k = 0; k + 1 < moments_.size(); ++k) {
      // Those that end first, so that who begins at this moment does not meet them.
      std::erase_if(active, [&](std::uint32_t op) { return end_[op] <= moments_[k]; });
      for (; next < coming.size() && start_[coming[next]] <= moments_[k]; ++next) active.push_back(coming[next]);
      if (active.empty()) continue;
      if (Status held = hold(active, {.start_ps = moments_[k], .end_ps = moments_[k + 1]}); !held) return held;
    }
    return {};
  }

  Status hold(const std::vector<std::uint32_t>& active, SnapshotInterval interval) {
    const Result<std::vector<Component>> components = components_of(active);
    if (!components) return components.error();
    const auto length = static_cast<double>(interval.end_ps - interval.start_ps);
    for (const Component& component : *components) {
      const Inflations& inflations = inflations_of(component);
      // Without an answer they count as alone, and the snapshot as failed.
      if (inflations.empty()) interval.failed = true;
      for (std::size_t i = 0; i < component.size(); ++i) {
        const double inflation = inflations.empty() ? 1 : inflations[i];
        weighted_ps_[component[i]] += length * inflation;
        interval.members.push_back({component[i], inflation});
      }
    }
    std::sort(interval.members.begin(), interval.members.end(),
              [](const SnapshotMember& a, const SnapshotMember& b) { return a.operation < b.operation; });
    priced_.intervals.push_back(std::move(interval));
    return {};
  }

  /// In the order of their first members; members in the order of `active`.
  Result<std::vector<Component>> components_of(const std::vector<std::uint32_t>& active) {
    std::vector<std::uint32_t> parent(active.size());
    std::iota(parent.begin(), parent.end(), 0);
    // Union-find, with paths halved on the way up.
    const auto root = [&](std::uint32_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    const auto fabric = [&](std::uint32_t i) {
      return settings_.fabric_of.empty() ? 0 : settings_.fabric_of[active[i]];
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> taken;  // by fabric and place: whom it belongs to
    for (std::uint32_t i = 0; i < active.size(); ++i) {
      const auto places = places_.of(active[i]);
      if (!places) return places.error();
      for (const std::uint32_t place : *places) {
        const auto [owner, fresh] = taken.try_emplace({fabric(i), place}, i);
        if (fresh) continue;
        const std::uint32_t a = root(owner->second), b = root(i);
        // The earlier is the root, so that components come in the order of their first members.
        parent[std::max(a, b)] = std::min(a, b);
      }
    }
    std::vector<Component> by_root(active.size());
    for (std::uint32_t i = 0; i < active.size(); ++i) by_root[root(i)].push_back(active[i]);
    std::erase_if(by_root, [](const Component& component) { return component.empty(); });
    return by_root;
  }

  using Inflations = std::vector<double>;

  /// Empty if the set could not be priced.
  const Inflations& inflations_of(const Component& component) {
    const auto [known, fresh] = inflations_.try_emplace(component);
    if (!fresh) return known->second;
    if (component.size() == 1) return known->second = {1.0};
    std::vector<CommOp> ops;
    for (const std::uint32_t op : component) ops.push_back(recording_.op(op));
    const Result<std::vector<TimePs>> together = book_.together(ops);
    if (!together) {
      if (priced_.first_failure.empty()) priced_.first_failure = together.error().to_string();
      return known->second;
    }
    for (std::size_t i = 0; i < component.size(); ++i) {
      const double inflation =
          static_cast<double>((*together)[i]) / static_cast<double>(priced_.isolated_ps[component[i]]);
      // A stretch this small is noise of the oracle, and would never let repeated runs settle.
      known->second.push_back(inflation <= 1 + settings_.threshold ? 1 : inflation);
    }
    return known->second;
  }

  const Recording& recording_;
  PriceBook& book_;
  const SnapshotSettings& settings_;
  MeetingPlaces places_;
  PricedOperations priced_;
  std::vector<std::uint32_t> members_;  // of snapshots
  std::vector<TimePs> moments_, start_, end_;
  std::vector<double> weighted_ps_;  // each moment counted as often as it was stretched
  std::map<Component, Inflations> inflations_;
};

}  // namespace

Result<PricedOperations> LinkSnapshotPricer::price(const Recording& recording, const SnapshotSettings& settings) {
  PricedOperations priced;
  slowdowns_.assign(recording.ops.size(), 1);
  std::vector<ScheduledPlan> schedule;
  std::vector<std::uint32_t> places, fabrics;  // of the schedule: of those that are not too small
  for (std::uint32_t i = 0; i < recording.ops.size(); ++i) {
    const RecordedOp& recorded = recording.ops[i];
    const CommOp op = recording.op(i);
    const auto plan = lowering_->plan(op);
    if (!plan) return plan.error();
    priced.isolated_ps.push_back(isolated_price(**plan, bytes_moved(op)).total_ps);
    if (recorded.bytes < coalesce_below_bytes_) {
      ++priced.coalesced;
      continue;
    }
    schedule.push_back({.plan = *plan, .bytes = bytes_moved(op), .interval = {recorded.start_ps, recorded.end_ps}});
    places.push_back(i);
    if (!settings.fabric_of.empty()) fabrics.push_back(settings.fabric_of[i]);
  }
  SnapshotSettings own = settings;
  own.fabric_of = fabrics;
  own.intervals = keeps_intervals_ ? &priced.intervals : nullptr;
  const std::vector<Price> prices = snapshot_prices(lowering_->network(), schedule, own);
  priced.price_ps = priced.isolated_ps;
  for (std::size_t i = 0; i < places.size(); ++i) {
    priced.price_ps[places[i]] = prices[i].total_ps;
    slowdowns_[places[i]] = prices[i].slowdown;
  }
  for (SnapshotInterval& interval : priced.intervals) {
    for (SnapshotMember& member : interval.members) member.operation = places[member.operation];
  }
  return priced;
}

void LinkSnapshotPricer::apply(const Recording& recording, const PricedOperations& /*priced*/) {
  std::unordered_map<OpId, double> slowdowns;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    if (slowdowns_[i] != 1) slowdowns.emplace(recording.ops[i].id, slowdowns_[i]);
  }
  model_.set_slowdowns(std::move(slowdowns));
}

BookSnapshotPricer::BookSnapshotPricer(PriceBook& book, Lowering& lowering, std::int64_t coalesce_below_bytes)
    : book_(book),
      lowering_(lowering),
      model_([this](const CommOp& op) -> Result<Price> {
        const Result<PriceBook::Answer> answer = book_.alone(op);
        if (!answer) return answer.error();
        return Price{answer->total_ps, 0, answer->total_ps};
      }),
      coalesce_below_bytes_(coalesce_below_bytes) {}

Result<PricedOperations> BookSnapshotPricer::price(const Recording& recording, const SnapshotSettings& settings) {
  return OracleSnapshots(recording, book_, lowering_, settings).price(coalesce_below_bytes_);
}

void BookSnapshotPricer::apply(const Recording& recording, const PricedOperations& priced) {
  std::unordered_map<OpId, TimePs> prices;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) prices.emplace(recording.ops[i].id, priced.price_ps[i]);
  model_.set_prices(std::move(prices));
}

}  // namespace orrery::simulate
