// What activities waited for, added up: a few rows by kind of cause, and per rank how long others waited for it,
// however many activities there were.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/int128.h"
#include "base/units.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// Activities of one kind whose start, or end if it is last_arrival, has one kind of cause.
struct WaitKind {
  CauseKind cause = CauseKind::begin;
  workload::ActivityKind kind = workload::ActivityKind::compute;
  workload::Collective collective = workload::Collective::all_reduce;  ///< of collectives, else always the same

  /// Of an activity of `program`.
  static WaitKind of(CauseKind cause, const workload::Program& program, std::size_t activity);
  auto operator<=>(const WaitKind&) const = default;
};

/// Of starts: from when everything they depend on was done, so that a start which follows its last dependency has not
/// waited. Of ends: from when it was ready until the last partner was.
struct WaitSum {
  std::uint64_t activities = 0;
  Int128 waited_ps = 0;
  TimePs longest_ps = 0;

  void add(TimePs waited, std::uint64_t count);
  /// Rounded down.
  [[nodiscard]] TimePs mean_ps() const {
    return activities == 0 ? 0 : static_cast<TimePs>(waited_ps / static_cast<Int128>(activities));
  }
  friend bool operator==(const WaitSum&, const WaitSum&) = default;
};

class WaitSums {
 public:
  /// `ranks`: how many do the same at the same time.
  void add(const WaitKind& kind, TimePs waited, std::uint64_t ranks) { rows_[kind].add(waited, ranks); }
  /// One rank waited for another.
  void add_late(std::uint32_t late_rank, TimePs waited) { late_[late_rank].add(waited, 1); }

  /// The ranks of a class waited, each for the rank at `place` of its own group, or on the other end of its own
  /// channel.
  struct LateKey {
    std::uint32_t rank_class = 0;
    bool is_collective = false;
    std::uint32_t line = 0, place = 0;

    auto operator<=>(const LateKey&) const = default;
  };
  /// `late_ranks()`: whom they waited for, per rank of the class. Asked for once per key.
  template <typename LateRanks>
  void add_late(const LateKey& key, TimePs waited, const LateRanks& late_ranks) {
    const auto [found, fresh] = late_of_classes_.try_emplace(key);
    if (fresh) found->second.ranks = late_ranks();
    found->second.sum.add(waited, 1);
  }

  [[nodiscard]] const std::map<WaitKind, WaitSum>& rows() const { return rows_; }
  /// By rank that others waited for, as the last of their partners. O(ranks).
  [[nodiscard]] std::map<std::uint32_t, WaitSum> late_ranks() const;

 private:
  struct LateOfClass {
    std::vector<std::uint32_t> ranks;
    WaitSum sum;  // of each
  };
  std::map<WaitKind, WaitSum> rows_;
  std::map<std::uint32_t, WaitSum> late_;
  std::map<LateKey, LateOfClass> late_of_classes_;
};

}  // namespace orrery::simulate
