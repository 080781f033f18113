// The moments of collectives in an order in which causes come before effects.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/sparse_rows.h"
#include "match/exchange.h"

namespace orrery::match {

/// Starts and ends of participations on some clock, by place in Exchanges::parts.
struct PartTimes {
  Column<TimePs> start;
  Column<TimePs> end;
};

/// As the nodes' own clocks showed them.
PartTimes recorded_times(const Exchanges& exchanges);

/// What each end has to wait for: calls starts(part) for the participations whose start others wait for, ends(part) for
/// those whose end waits for all of these. Nothing where that is not recorded.
template <typename Starts, typename Ends>
void for_each_bound(const Exchange& collective, Starts&& starts, Ends&& ends) {
  const std::uint32_t begin = collective.first, end = collective.first + collective.count;
  switch (collective.ordering) {
    case Ordering::everybody_waits:
      for (std::uint32_t part = begin; part < end; ++part) starts(part), ends(part);
      return;
    case Ordering::message: starts(begin), ends(begin + 1); return;
    case Ordering::root_first:
    case Ordering::root_last: {
      if (collective.root == kUnknownRoot) return;
      const bool is_first = collective.ordering == Ordering::root_first;
      for (std::uint32_t part = begin; part < end; ++part) {
        const bool is_root = part == collective.root;
        if (is_root == is_first) starts(part);
        else ends(part);
      }
      return;
    }
    case Ordering::neighbours: return;
  }
}

/// Starts and ends, chain by chain. A chain is a clock: its moments are in the order of its readings, and of equal
/// readings ends come first, since whatever travels between nodes takes some time. Memory: 12 bytes per moment and 4
/// per participation.
class CausalOrder {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Moment {
    std::uint32_t code;  ///< part * 2 + 1 for ends
    [[nodiscard]] std::uint32_t part() const { return code >> 1; }
    [[nodiscard]] bool is_end() const { return (code & 1) != 0; }
  };

  /// `chain_of_part` < `chains`. Collectives with skip[c] != 0 are left out. O(moments).
  CausalOrder(const Exchanges& exchanges, const PartTimes& times, std::span<const std::uint32_t> chain_of_part,
              std::uint32_t chains, std::span<const std::uint8_t> skip);

  /// Calls visit(moment, place in moments()) for every moment after all that come before it: earlier ones of its chain
  /// and, for an end, the starts it waits for. Returns whether all were visited; if not, the rest holds a cycle, and
  /// stopped_at() says where each chain stands.
  template <typename Visit>
  bool walk(Visit&& visit);

  [[nodiscard]] std::span<const Moment> moments() const { return chains_.entries(); }
  /// The moments of chain i: [chain_begin()[i], chain_begin()[i + 1]).
  [[nodiscard]] std::span<const std::uint32_t> chain_begin() const { return chains_.firsts(); }
  [[nodiscard]] const std::vector<std::uint32_t>& stopped_at() const { return next_; }
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t part) const { return collective_of_[part]; }

 private:
  SparseRows<Moment> chains_;
  Column<std::uint32_t> collective_of_;     // by part
  std::vector<std::uint32_t> start_count_;  // by collective
  std::vector<std::uint32_t> next_;         // by chain
};

template <typename Visit>
bool CausalOrder::walk(Visit&& visit) {
  std::vector<std::uint32_t> missing = start_count_;                     // starts of a collective not visited yet
  std::vector<std::uint32_t> first_waiting(start_count_.size(), kNone);  // chains that wait for it: a list by chain
  std::vector<std::uint32_t> next_waiting(chains_.row_count(), kNone);
  std::vector<std::uint32_t> ready;
  next_.assign(chain_begin().begin(), chain_begin().end() - 1);
  for (auto chain = static_cast<std::uint32_t>(chains_.row_count()); chain-- > 0;) ready.push_back(chain);
  std::size_t visited = 0;
  while (!ready.empty()) {
    const std::uint32_t chain = ready.back();
    ready.pop_back();
    for (std::uint32_t& at = next_[chain]; at < chains_.first(chain + 1); ++at, ++visited) {
      const Moment moment = moments()[at];
      const std::uint32_t collective = collective_of_[moment.part()];
      if (moment.is_end() && missing[collective] > 0) {
        next_waiting[chain] = first_waiting[collective];
        first_waiting[collective] = chain;
        break;
      }
      visit(moment, at);
      if (moment.is_end() || --missing[collective] > 0) continue;
      for (std::uint32_t waiting = first_waiting[collective]; waiting != kNone; waiting = next_waiting[waiting])
        ready.push_back(waiting);
    }
  }
  return visited == moments().size();
}

}  // namespace orrery::match
