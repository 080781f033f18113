// Which of many ranges hold a moment, for many moments: the line is cut where ranges begin and end, and every piece has
// the set of those over it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"

namespace orrery::page {

/// Sets of numbers, each kept once. Set 0 is empty.
///
/// n ranges that all overlap have sets of n²/2 members together: a table has room for so many, and is full beyond.
/// Ranges of recorded jobs nest some ten deep.
class SetTable {
 public:
  using Set = std::vector<std::int64_t>;                          ///< ascending, each once
  static constexpr std::uint64_t kMostMembers = 4'000'000;        ///< of all sets together
  static constexpr std::uint64_t kMostMembersAsked = 64'000'000;  ///< of all sets that were asked for

  SetTable() { number_of({}); }
  /// 0 of a table that is full.
  std::uint32_t number_of(const Set& set);
  [[nodiscard]] bool is_full() const { return members_ > kMostMembers || members_asked_ > kMostMembersAsked; }
  /// By number.
  [[nodiscard]] std::vector<Set> sets() const;

 private:
  std::map<Set, std::uint32_t> numbers_;
  std::uint64_t members_ = 0, members_asked_ = 0;
};

class RangeSets {
 public:
  /// [begin, end) has the member; one may be given several times.
  void add(TimePs begin, TimePs end, std::int64_t member);
  /// After the last range and before the first question: O(ranges * (log ranges + the largest set)), or until the table
  /// is full.
  void close(SetTable& table);
  /// The number of the set of those that hold the moment. O(log ranges).
  [[nodiscard]] std::uint32_t at(TimePs moment) const;

 private:
  struct Border {
    TimePs at;
    std::int64_t member;
    int change;  // 1: begins, -1: ends
  };
  std::vector<Border> borders_;
  std::vector<TimePs> begins_;       // of the pieces
  std::vector<std::uint32_t> sets_;  // likewise
};

}  // namespace orrery::page
