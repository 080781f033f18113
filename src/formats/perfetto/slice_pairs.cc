#include "formats/perfetto/slice_pairs.h"

#include <algorithm>

#include "formats/perfetto/diagnostics.h"

// A writer that records as things happen writes a track in order of time, and the order of the file tells what of one
// moment came first: "end a, begin b" or "begin b, end b". Exporters that write all begins and then all ends lose that:
// on their tracks, slices that began before a moment end before others begin at it, which is how calls follow one
// another.

namespace orrery::perfetto {

void SlicePairs::close(TimePs time, trace::RankTrace& rank, Diagnostics& diagnostics) {
  if (open_.empty()) return diagnostics.add(kEndWithoutBegin, [&] { return rank.source.path; });
  const trace::EventIndex row = open_.back().row;
  open_.pop_back();
  rank.duration[row] = time - rank.start[row];
  rank.flags[row] |= trace::kDurationFromPair;
}

void SlicePairs::take(const Moment& moment, trace::RankTrace& rank, Diagnostics& diagnostics) {
  if (moment.kind == Kind::end) return close(moment.time, rank, diagnostics);
  if (moment.kind == Kind::state && !open_.empty() && open_.back().kind == Kind::state)
    close(moment.time, rank, diagnostics);
  open_.push_back(moment);
}

void SlicePairs::pair_by_time(trace::RankTrace& rank, Diagnostics& diagnostics) {
  Column<Moment> begins, ends;
  for (const Moment& moment : moments_) (moment.kind == Kind::end ? ends : begins).push_back(moment);
  moments_ = {};
  // Each for itself is mostly in order as it is.
  for (Column<Moment>* const moments : {&begins, &ends}) {
    const auto by_time = [](const Moment& a, const Moment& b) { return a.time < b.time; };
    if (!std::is_sorted(moments->begin(), moments->end(), by_time))
      std::stable_sort(moments->begin(), moments->end(), by_time);
  }
  auto begin = begins.begin();
  for (auto end = ends.begin(); begin != begins.end() || end != ends.end();) {
    const bool is_end_next = begin == begins.end() || (end != ends.end() && end->time <= begin->time);
    const TimePs now = is_end_next ? end->time : begin->time;
    // What is open ends first; what ends beyond that is what begins now.
    for (; end != ends.end() && end->time == now && !open_.empty(); ++end) close(now, rank, diagnostics);
    for (; begin != begins.end() && begin->time == now; ++begin) take(*begin, rank, diagnostics);
    for (; end != ends.end() && end->time == now; ++end) close(now, rank, diagnostics);
  }
}

void SlicePairs::pair(trace::RankTrace& rank, Diagnostics& diagnostics) {
  if (is_sorted_) {
    for (const Moment& moment : moments_) take(moment, rank, diagnostics);
  } else {
    pair_by_time(rank, diagnostics);
  }
  const auto left = static_cast<std::uint64_t>(
      std::count_if(open_.begin(), open_.end(), [](const Moment& moment) { return moment.kind == Kind::begin; }));
  if (left > 0) diagnostics.add_many(kBeginWithoutEnd, left, rank.source.path);
  moments_ = {};
  open_ = {};
}

}  // namespace orrery::perfetto
