#include "match/contradictions.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/statistics.h"

// Events of a clock are a chain, collectives join chains, and what lies on a cycle contradicts happens-before. Tarjan's
// algorithm finds the cycles; of each, the collectives that lie furthest from where clocks put the others are taken
// out, and it begins anew until the order can be walked to its end.

namespace orrery::match {

// Strongly connected components: what lies on cycles.

/// Tarjan's algorithm without recursion. `edge(vertex, i)` is the i-th successor of a vertex, kNoVertex after the last
/// one. Calls `found(members)` for every component of two or more vertices. Vertices that cannot be reached from where
/// it is started are not looked at. O(vertices + edges) in all.
template <typename Edge, typename Found>
class ComponentSearch {
 public:
  static constexpr std::uint32_t kNoVertex = ~std::uint32_t{0};

  ComponentSearch(std::uint32_t vertices, Edge edge, Found found)
      : edge_(std::move(edge)), found_(std::move(found)), order_(vertices, 0), lowest_(vertices, 0) {}

  void from(std::uint32_t root) {
    if (order_[root] != 0) return;
    enter(root);
    while (!calls_.empty()) {
      const std::uint32_t vertex = calls_.back().vertex;
      const std::uint32_t to = edge_(vertex, calls_.back().next++);
      if (to != kNoVertex) {
        if (order_[to] == 0) enter(to);
        else if (order_[to] != kDone) lowest_[vertex] = std::min(lowest_[vertex], order_[to]);
        continue;
      }
      calls_.pop_back();
      if (!calls_.empty()) lowest_[calls_.back().vertex] = std::min(lowest_[calls_.back().vertex], lowest_[vertex]);
      if (lowest_[vertex] == order_[vertex]) close(vertex);
    }
  }

 private:
  static constexpr std::uint32_t kDone = ~std::uint32_t{0};
  struct Call {
    std::uint32_t vertex;
    std::uint32_t next;
  };

  void enter(std::uint32_t vertex) {
    order_[vertex] = lowest_[vertex] = ++entered_;
    open_.push_back(vertex);
    calls_.push_back({vertex, 0});
  }
  void close(std::uint32_t vertex) {
    members_.clear();
    do {
      members_.push_back(open_.back());
      order_[open_.back()] = kDone;
      open_.pop_back();
    } while (members_.back() != vertex);
    if (members_.size() > 1) found_(members_);
  }

  Edge edge_;
  Found found_;
  std::vector<std::uint32_t> order_, lowest_;  // order_: 0 not entered yet, kDone in a component already
  std::vector<std::uint32_t> open_, members_;
  std::vector<Call> calls_;
  std::uint32_t entered_ = 0;
};

namespace {

constexpr std::size_t kMostRounds = 64;

/// Readings may lie as far apart as TimePs can tell; a quarter of them leaves room for sums. Only their ratio matters
/// here.
TimePs quarter(TimePs time) { return time / 4; }

/// The collectives of one strongly connected component, and which of them to blame.
class Suspects {
 public:
  Suspects(const Exchanges& exchanges, const PartTimes& times, std::span<const std::uint32_t> chain_of_part,
           std::vector<std::uint32_t> suspects)
      : exchanges_(exchanges), times_(times), chain_of_(chain_of_part), suspects_(std::move(suspects)) {}

  /// Those that lie at least half as far off as the one that lies furthest off; at least one.
  std::vector<std::uint32_t> furthest_off() {
    // The first pass takes all clocks for equal, the second corrects it by what the first has found; more change
    // nothing that matters.
    for (int pass = 0; pass < 2; ++pass) estimate();
    std::vector<TimePs> off;
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      TimePs most = 0;
      for_parts(i, [&](std::uint32_t part) {
        const TimePs by = quarter(times_.end[part]) - offset_[chain_of_[part]] - moment_[i];
        most = std::max(most, by < 0 ? -by : by);
      });
      off.push_back(most);
    }
    // Several that are mispaired alike (all off by one step) go at once, instead of one in each round.
    const TimePs limit = *std::max_element(off.begin(), off.end()) / 2;
    std::vector<std::uint32_t> blamed;
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      if (off[i] >= limit) blamed.push_back(suspects_[i]);
    }
    return blamed;
  }

 private:
  template <typename Body>
  void for_parts(std::size_t suspect, Body&& body) const {
    const Exchange& collective = exchanges_.all[suspects_[suspect]];
    for (std::uint32_t part = collective.first; part < collective.first + collective.count; ++part) body(part);
  }

  /// When each ended, given what each chain shows more than the others; then that, given when each ended. Components
  /// are short, so drift does not matter.
  void estimate() {
    std::vector<TimePs> values;
    std::unordered_map<std::uint32_t, std::vector<TimePs>> shown;
    moment_.clear();
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      values.clear();
      for_parts(i, [&](std::uint32_t part) { values.push_back(quarter(times_.end[part]) - offset_[chain_of_[part]]); });
      // Of two nodes neither is more to blame than the other: the mean of both.
      moment_.push_back(median(values));
      for_parts(
          i, [&](std::uint32_t part) { shown[chain_of_[part]].push_back(quarter(times_.end[part]) - moment_.back()); });
    }
    for (auto& [chain, differences] : shown) offset_[chain] = median(differences);
  }

  const Exchanges& exchanges_;
  const PartTimes& times_;
  std::span<const std::uint32_t> chain_of_;
  std::vector<std::uint32_t> suspects_;
  std::vector<TimePs> moment_;
  std::unordered_map<std::uint32_t, TimePs> offset_;
};

/// Lists of collectives, one for each component that holds a cycle. Vertices are moments, then one per collective,
/// which stands between the starts and the ends that wait for them.
std::vector<std::vector<std::uint32_t>> cyclic_components(const Exchanges& exchanges, const CausalOrder& order) {
  const auto& moments = order.moments();
  const auto hubs = static_cast<std::uint32_t>(moments.size());
  Column<std::uint32_t> end_of_part(exchanges.parts.size(), CausalOrder::kNone);
  Column<std::uint8_t> is_last(moments.size(), 0);
  for (std::uint32_t i = 0; i < moments.size(); ++i) {
    if (moments[i].is_end()) end_of_part[moments[i].part()] = i;
  }
  for (std::size_t chain = 0; chain + 1 < order.chain_begin().size(); ++chain) {
    if (order.chain_begin()[chain + 1] > order.chain_begin()[chain]) is_last[order.chain_begin()[chain + 1] - 1] = 1;
  }
  const auto edge = [&](std::uint32_t vertex, std::uint32_t i) {
    if (vertex < hubs) {
      // The last of a chain has no successor; its first edge is then the one to the collective.
      if (is_last[vertex] != 0) ++i;
      if (i == 0) return vertex + 1;
      return i == 1 && !moments[vertex].is_end() ? hubs + order.collective_of(moments[vertex].part())
                                                 : CausalOrder::kNone;
    }
    const Exchange& collective = exchanges.all[vertex - hubs];
    if (i >= collective.count) return CausalOrder::kNone;
    const std::uint32_t end = end_of_part[collective.first + i];
    return end == CausalOrder::kNone ? vertex : end;  // an end that waits for nothing; a loop is no cycle of two
  };
  std::vector<std::vector<std::uint32_t>> components;
  const auto found = [&](const std::vector<std::uint32_t>& members) {
    std::vector<std::uint32_t> on_cycle;
    for (const std::uint32_t vertex : members) {
      if (vertex >= hubs) on_cycle.push_back(vertex - hubs);
    }
    std::sort(on_cycle.begin(), on_cycle.end());
    components.push_back(std::move(on_cycle));
  };
  ComponentSearch search(hubs + static_cast<std::uint32_t>(exchanges.all.size()), edge, found);
  for (std::size_t chain = 0; chain + 1 < order.chain_begin().size(); ++chain) {
    if (order.stopped_at()[chain] < order.chain_begin()[chain + 1]) search.from(order.stopped_at()[chain]);
  }
  return components;
}

}  // namespace

std::vector<std::uint32_t> find_contradictions(const Exchanges& exchanges, const PartTimes& times,
                                               std::span<const std::uint32_t> chain_of_part, std::uint32_t chains) {
  std::vector<std::uint8_t> skip(exchanges.all.size(), 0);
  for (std::size_t round = 0;; ++round) {
    CausalOrder order(exchanges, times, chain_of_part, chains, skip);
    if (order.walk([](CausalOrder::Moment, std::uint32_t) {})) break;
    for (std::vector<std::uint32_t>& component : cyclic_components(exchanges, order)) {
      // Each round takes out one at least and ends some day; beyond this, all of a component go, so that it ends soon.
      if (round < kMostRounds)
        component = Suspects(exchanges, times, chain_of_part, std::move(component)).furthest_off();
      for (const std::uint32_t blamed : component) skip[blamed] = 1;
    }
  }
  std::vector<std::uint32_t> blamed;
  for (std::uint32_t c = 0; c < skip.size(); ++c) {
    if (skip[c] != 0) blamed.push_back(c);
  }
  return blamed;
}

void set_mispaired_apart(Exchanges& exchanges) {
  std::uint32_t chains = 0;
  std::vector<std::uint32_t> chain_of_part;
  chain_of_part.reserve(exchanges.parts.size());
  for (const Participation& part : exchanges.parts) {
    // Host and device of a node have a clock each, and so an order of their own.
    chain_of_part.push_back(part.node * 2 + (part.clock == 0 ? 0 : 1));
    chains = std::max(chains, chain_of_part.back() + 1);
  }
  const std::vector<std::uint32_t> blamed =
      find_contradictions(exchanges, recorded_times(exchanges), chain_of_part, chains);
  if (blamed.empty()) return;
  std::vector<Exchange> kept;
  std::size_t next = 0;
  for (std::uint32_t c = 0; c < exchanges.all.size(); ++c) {
    const bool is_blamed = next < blamed.size() && blamed[next] == c;
    (is_blamed ? exchanges.mispaired : kept).push_back(exchanges.all[c]);
    next += is_blamed ? 1 : 0;
  }
  exchanges.all = std::move(kept);
}

}  // namespace orrery::match
