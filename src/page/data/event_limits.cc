#include "page/data/event_limits.h"

#include <algorithm>

namespace orrery::page {
namespace {

class Leaving {
 public:
  Leaving(const trace::Trace& trace, const EventLimits& limits) : trace_(trace), limits_(limits) {}

  /// Calls visit(rank, event, length) for every event that may go.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const trace::RankTrace& rank = trace_.ranks[r];
      const bool some_stay = !limits_.must_stay.empty() && !limits_.must_stay[r].empty();
      for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
        if (!some_stay || limits_.must_stay[r][e] == 0) visit(r, e, rank.duration[e]);
      }
    }
  }

  [[nodiscard]] std::uint64_t shorter_than(TimePs length) const {
    std::uint64_t count = 0;
    for_each([&](std::size_t, trace::EventIndex, TimePs duration) { count += duration < length ? 1 : 0; });
    return count;
  }

 private:
  const trace::Trace& trace_;
  const EventLimits& limits_;
};

}  // namespace

std::vector<Column<std::uint8_t>> chosen_events(const trace::Trace& trace, const EventLimits& limits) {
  std::uint64_t all = 0;
  for (const trace::RankTrace& rank : trace.ranks) all += rank.event_count();
  if (all <= limits.most_events) return {};
  const std::uint64_t excess = all - limits.most_events;
  const Leaving leaving(trace, limits);
  // The largest length of which all shorter ones may go. Counting again and again takes no memory, and such traces have
  // little to spare.
  TimePs low = 0, high = 1;
  leaving.for_each([&](std::size_t, trace::EventIndex, TimePs duration) { high = std::max(high, duration + 1); });
  while (low < high) {
    const TimePs middle = low + (high - low + 1) / 2;
    if (leaving.shorter_than(middle) <= excess) low = middle;
    else high = middle - 1;
  }
  std::uint64_t of_that_length = excess - leaving.shorter_than(low);
  std::vector<Column<std::uint8_t>> chosen;
  for (const trace::RankTrace& rank : trace.ranks) chosen.emplace_back(rank.event_count(), std::uint8_t{1});
  leaving.for_each([&](std::size_t r, trace::EventIndex e, TimePs duration) {
    if (duration > low || (duration == low && of_that_length == 0)) return;
    if (duration == low) --of_that_length;
    chosen[r][e] = 0;
  });
  return chosen;
}

}  // namespace orrery::page
