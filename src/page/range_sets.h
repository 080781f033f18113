// Which of many ranges hold a moment, for many moments: the line is cut where ranges begin and end, and every piece has the set of those over it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"

namespace orrery::page {

/// Sets of numbers, each kept once. Set 0 is empty.
class SetTable {
 public:
  using Set = std::vector<std::int64_t>;  ///< ascending, each once

  SetTable() { number_of({}); }
  std::uint32_t number_of(const Set& set);
  /// By number.
  [[nodiscard]] std::vector<Set> sets() const;

 private:
  std::map<Set, std::uint32_t> numbers_;
};

class RangeSets {
 public:
  /// [begin, end) has the member; one may be given several times.
  void add(TimePs begin, TimePs end, std::int64_t member);
  /// After the last range and before the first question: O(ranges * (log ranges + the largest set)).
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
