#include "link/content_order.h"

#include <algorithm>
#include <compare>
#include <tuple>

namespace orrery::link {
namespace {

using trace::EventIndex;
using trace::LaneIndex;

std::strong_ordering compare_keys(const Interner& strings, trace::LaneKey a, trace::LaneKey b) {
  if ((a.text == 0) != (b.text == 0)) return a.text == 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.text == 0 ? a.number <=> b.number : strings.text(a.text) <=> strings.text(b.text);
}

}  // namespace

ContentOrder::ContentOrder(const trace::Trace& trace, const trace::RankTrace& rank) : trace_(trace), rank_(rank) {
  lanes_.resize(rank.lanes.size());
  for (LaneIndex l = 0; l < lanes_.size(); ++l) lanes_[l] = l;
  std::stable_sort(lanes_.begin(), lanes_.end(), [&](LaneIndex a, LaneIndex b) {
    const trace::Lane &x = rank.lanes[a], &y = rank.lanes[b];
    if (const auto order = compare_keys(trace.strings, x.process, y.process); order != 0) return order < 0;
    return compare_keys(trace.strings, x.thread, y.thread) < 0;
  });
  place_.resize(lanes_.size());
  for (std::uint32_t p = 0; p < lanes_.size(); ++p) place_[lanes_[p]] = p;
}

bool ContentOrder::before(EventIndex a, EventIndex b) const {
  if (a == b) return false;
  const auto times = [&](EventIndex e) { return std::tuple(rank_.start[e], place_[rank_.lane[e]], -rank_.duration[e]); };
  if (times(a) != times(b)) return times(a) < times(b);
  if (rank_.name[a] != rank_.name[b]) return trace_.name(rank_, a) < trace_.name(rank_, b);
  const auto category = [&](EventIndex e) { return trace_.strings.text(rank_.categories[rank_.category[e]].text); };
  if (rank_.category[a] != rank_.category[b] && category(a) != category(b)) return category(a) < category(b);
  if (rank_.phase[a] != rank_.phase[b]) return rank_.phase[a] < rank_.phase[b];
  return compare_fields(a, b) < 0;
}

int ContentOrder::compare_fields(EventIndex a, EventIndex b) const {
  for (const trace::FieldInfo& info : trace::kFields) {
    const auto x = rank_.field(info.field).find(a), y = rank_.field(info.field).find(b);
    if (x == y) continue;
    if (!x || !y) return x ? 1 : -1;
    // Numbers of texts follow the file's order; the texts themselves do not.
    if (info.type == trace::ValueType::text) {
      return trace_.strings.text(static_cast<StringId>(*x)) < trace_.strings.text(static_cast<StringId>(*y)) ? -1 : 1;
    }
    return *x < *y ? -1 : 1;
  }
  return 0;
}

}  // namespace orrery::link
