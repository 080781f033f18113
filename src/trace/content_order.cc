#include "trace/content_order.h"

#include <algorithm>
#include <compare>
#include <utility>

namespace orrery::trace {
namespace {

std::strong_ordering compare_keys(const Interner& strings, LaneKey a, LaneKey b) {
  if ((a.text == 0) != (b.text == 0)) return a.text == 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.text == 0 ? a.number <=> b.number : strings.text(a.text) <=> strings.text(b.text);
}

}  // namespace

ContentOrder::ContentOrder(const Trace& trace, const RankTrace& rank) : trace_(trace), rank_(rank) {
  lanes_.resize(rank.lanes.size());
  for (LaneIndex l = 0; l < lanes_.size(); ++l) lanes_[l] = l;
  std::stable_sort(lanes_.begin(), lanes_.end(), [&](LaneIndex a, LaneIndex b) {
    const Lane &x = rank.lanes[a], &y = rank.lanes[b];
    if (const auto order = compare_keys(trace.strings, x.process, y.process); order != 0) return order < 0;
    return compare_keys(trace.strings, x.thread, y.thread) < 0;
  });
  place_.resize(lanes_.size());
  for (std::uint32_t p = 0; p < lanes_.size(); ++p) place_[lanes_[p]] = p;
}

bool ContentOrder::before(EventIndex a, EventIndex b) const {
  if (a == b) return false;
  // Nearly always this decides, and the other columns need not be looked at.
  if (rank_.start[a] != rank_.start[b]) return rank_.start[a] < rank_.start[b];
  const auto lane_and_length = [&](EventIndex e) { return std::pair(place_[rank_.lane[e]], -rank_.duration[e]); };
  if (lane_and_length(a) != lane_and_length(b)) return lane_and_length(a) < lane_and_length(b);
  if (rank_.name[a] != rank_.name[b]) return trace_.name(rank_, a) < trace_.name(rank_, b);
  const auto category = [&](EventIndex e) { return trace_.strings.text(rank_.categories[rank_.category[e]].text); };
  if (rank_.category[a] != rank_.category[b] && category(a) != category(b)) return category(a) < category(b);
  if (rank_.phase[a] != rank_.phase[b]) return rank_.phase[a] < rank_.phase[b];
  return compare_fields(a, b) < 0;
}

int ContentOrder::compare_fields(EventIndex a, EventIndex b) const {
  for (const FieldInfo& info : kFields) {
    const auto x = rank_.field(info.field).find(a), y = rank_.field(info.field).find(b);
    if (x == y) continue;
    if (!x || !y) return x ? 1 : -1;
    // Numbers of texts follow the file's order; the texts themselves do not.
    if (info.type == ValueType::text) {
      return trace_.strings.text(static_cast<StringId>(*x)) < trace_.strings.text(static_cast<StringId>(*y)) ? -1 : 1;
    }
    return *x < *y ? -1 : 1;
  }
  return 0;
}

}  // namespace orrery::trace
