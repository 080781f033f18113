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

void SlicePairs::pair(trace::RankTrace& rank, Diagnostics& diagnostics) {
  if (is_sorted_) {
    for (const Moment& moment : moments_) take(moment, rank, diagnostics);
  } else {
    std::stable_sort(moments_.begin(), moments_.end(),
                     [](const Moment& a, const Moment& b) { return a.time < b.time; });
    for (std::size_t first = 0, last = 0; first < moments_.size(); first = last) {
      std::size_t ends = 0;
      for (; last < moments_.size() && moments_[last].time == moments_[first].time; ++last)
        ends += moments_[last].kind == Kind::end ? 1 : 0;
      std::size_t earlier = std::min(ends, open_.size());
      ends -= earlier;
      for (; earlier > 0; --earlier) close(moments_[first].time, rank, diagnostics);
      for (std::size_t i = first; i < last; ++i) {
        if (moments_[i].kind != Kind::end) take(moments_[i], rank, diagnostics);
      }
      for (; ends > 0; --ends) close(moments_[first].time, rank, diagnostics);
    }
  }
  const auto left = static_cast<std::uint64_t>(
      std::count_if(open_.begin(), open_.end(), [](const Moment& moment) { return moment.kind == Kind::begin; }));
  if (left > 0) diagnostics.add_many(kBeginWithoutEnd, left, rank.source.path);
  moments_ = {};
  open_ = {};
}

}  // namespace orrery::perfetto
