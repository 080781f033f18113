#include "match/causal_order.h"

#include <algorithm>

#include "base/radix_sort.h"

namespace orrery::match {

PartTimes recorded_times(const Exchanges& exchanges) {
  PartTimes times{Column<TimePs>(exchanges.parts.size()), Column<TimePs>(exchanges.parts.size())};
  for (std::size_t i = 0; i < exchanges.parts.size(); ++i) {
    times.start[i] = exchanges.parts[i].start_ps;
    times.end[i] = exchanges.parts[i].end_ps;
  }
  return times;
}

CausalOrder::CausalOrder(const Exchanges& exchanges, const PartTimes& times,
                         std::span<const std::uint32_t> chain_of_part, std::uint32_t chains,
                         std::span<const std::uint8_t> skip)
    : collective_of_(exchanges.parts.size(), kNone), start_count_(exchanges.all.size(), 0) {
  Column<Moment> unsorted;
  for (std::uint32_t c = 0; c < exchanges.all.size(); ++c) {
    if (skip[c] != 0) continue;
    const auto note = [&](std::uint32_t part, std::uint32_t is_end) {
      collective_of_[part] = c;
      unsorted.push_back({part * 2 + is_end});
    };
    for_each_bound(
        exchanges.all[c], [&](std::uint32_t part) { note(part, 0), ++start_count_[c]; },
        [&](std::uint32_t part) { note(part, 1); });
  }
  chains_ = group_by_row<Moment>(chains, [&](auto&& add) {
    for (const Moment moment : unsorted) add(chain_of_part[moment.part()], moment);
  });

  // Twice the time, and one more for a start: readings lie within kMaxMomentPs, so there is room; what maps make of
  // them is cut to that.
  const auto key = [&](Moment moment) {
    const TimePs time = moment.is_end() ? times.end[moment.part()] : times.start[moment.part()];
    return radix_key(std::clamp(time, -trace::kMaxMomentPs, trace::kMaxMomentPs) * 2 + (moment.is_end() ? 0 : 1));
  };
  Column<KeyedIndex> keyed;
  for (std::uint32_t chain = 0; chain < chains; ++chain) {
    keyed.clear();
    for (const Moment moment : chains_[chain]) keyed.push_back({key(moment), moment.code});
    if (keyed.empty()) continue;
    radix_sort(keyed);
    for (std::size_t i = 0; i < keyed.size(); ++i) chains_[chain][i] = {keyed[i].index};
  }
}

}  // namespace orrery::match
