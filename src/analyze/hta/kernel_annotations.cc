#include "analyze/hta/kernel_annotations.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analyze/path/hta_summary.h"

// HTA gives every device row the shortest annotation of its lane that overlaps it, by letting shorter ones overwrite
// longer ones, in quadratic time. Here the shortest takes its rows first and rows that have an owner are skipped by a
// union-find over the lane, which gives the same owners.

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::kNoRow;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

constexpr const char* kCategory = "gpu_user_annotation";
using Span = std::pair<TimePs, TimePs>;

trace::LaneIndex lane_of(const Rows& rows, RowIndex r) { return rows.rank->lane[rows.event[r]]; }

/// The device rows of a lane by start. The ends of those so far never fall, so that a search finds where overlaps may
/// begin.
class LaneWork {
 public:
  LaneWork(const Rows& rows, std::vector<RowIndex> work)
      : rows_(rows), work_(std::move(work)), owner_(work_.size(), kNoRow) {
    std::stable_sort(work_.begin(), work_.end(), [&](RowIndex a, RowIndex b) { return rows_.ts[a] < rows_.ts[b]; });
    for (const RowIndex r : work_)
      latest_end_.push_back(latest_end_.empty() ? rows_.end(r) : std::max(latest_end_.back(), rows_.end(r)));
    for (std::size_t i = 0; i <= work_.size(); ++i) next_free_.push_back(i);
  }

  /// To be called with the annotation that counts most first: who has an owner keeps it.
  void give(RowIndex mark) {
    const TimePs begin = rows_.ts[mark], end = rows_.end(mark);
    const auto first = std::upper_bound(latest_end_.begin(), latest_end_.end(), begin);
    for (std::size_t i = free_from(static_cast<std::size_t>(first - latest_end_.begin()));
         i < work_.size() && rows_.ts[work_[i]] < end; i = free_from(i + 1)) {
      if (begin >= rows_.end(work_[i])) continue;
      owner_[i] = mark;
      next_free_[i] = i + 1;
    }
  }

  template <typename Visit>
  void for_each_owned(Visit&& visit) const {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (owner_[i] != kNoRow) visit(work_[i], owner_[i]);
    }
  }

 private:
  // Path halving: rows that have an owner are jumped over.
  std::size_t free_from(std::size_t i) {
    while (next_free_[i] != i) i = next_free_[i] = next_free_[next_free_[i]];
    return i;
  }

  const Rows& rows_;
  std::vector<RowIndex> work_;
  std::vector<RowIndex> owner_;
  std::vector<TimePs> latest_end_;
  std::vector<std::size_t> next_free_;
};

std::map<Span, RowIndex> owners_by_span(const Rows& rows, const std::vector<RowIndex>& device,
                                        std::vector<RowIndex> marks) {
  std::stable_sort(marks.begin(), marks.end(), [&](RowIndex a, RowIndex b) { return rows.dur[a] > rows.dur[b]; });
  std::vector<trace::LaneIndex> lanes;  // in order of the first mark: later lanes overwrite spans of earlier ones
  std::map<trace::LaneIndex, std::vector<RowIndex>> marks_of, work_of;
  for (const RowIndex mark : marks) {
    std::vector<RowIndex>& mine = marks_of[lane_of(rows, mark)];
    if (mine.empty()) lanes.push_back(lane_of(rows, mark));
    mine.push_back(mark);
  }
  for (const RowIndex r : device) {
    if (marks_of.contains(lane_of(rows, r))) work_of[lane_of(rows, r)].push_back(r);
  }
  std::map<Span, RowIndex> owners;
  for (const trace::LaneIndex lane : lanes) {
    LaneWork work(rows, std::move(work_of[lane]));
    const std::vector<RowIndex>& mine = marks_of[lane];
    // HTA lets later, shorter ones overwrite.
    for (auto mark = mine.rbegin(); mark != mine.rend(); ++mark) work.give(*mark);
    work.for_each_owned([&](RowIndex r, RowIndex mark) { owners[{rows.ts[r], rows.end(r)}] = mark; });
  }
  return owners;
}

struct AnnotationSum {
  std::size_t kernels = 0;
  TimePs sum = 0;
};

}  // namespace

Result<std::vector<AnnotatedRow>> annotated_device_rows(const RankRows& rank) {
  const Rows& rows = rank.rows;
  const StringId category = rows.trace->strings.find(kCategory);
  std::vector<RowIndex> device, marks;
  for (const RowIndex r : rows.frame) {
    const bool is_mark = rows.category(r) == category;
    if (rank.is_device[r] != 0) device.push_back(r);
    if (is_mark) marks.push_back(r);
    if ((rank.is_device[r] != 0 || is_mark) && rows.dur[r] < 0)
      return Error{"a device row or annotation has a negative duration"};
  }
  const std::map<Span, RowIndex> owners = owners_by_span(rows, device, std::move(marks));
  std::vector<AnnotatedRow> annotated;
  annotated.reserve(device.size());
  for (const RowIndex r : device) {
    const auto owner = owners.find({rows.ts[r], rows.end(r)});
    annotated.push_back({r, owner == owners.end() ? kNoRow : owner->second});
  }
  return annotated;
}

Result<report::Sheet> kernel_annotations_sheet(const JobRows& job) {
  using report::Type;
  if (!has_symbol(job, kCategory)) return Error{std::string("no ") + kCategory + " in the trace"};
  report::Sheet sheet("by_annotation");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "annotation", .title = "annotation"})
      .add({.name = "kernels", .type = Type::integer, .title = "kernels"})
      .add({.name = "sum", .type = Type::time, .unit = report::Unit::us, .title = "sum"});
  for (const RankRows& rank : job) {
    const Rows& rows = rank.rows;
    const Result<std::vector<AnnotatedRow>> annotated = annotated_device_rows(rank);
    if (!annotated) return annotated.error();
    std::map<std::string, AnnotationSum> sums;
    std::map<StringId, std::string> short_names;
    for (const AnnotatedRow& row : *annotated) {
      AnnotationSum* sum = nullptr;
      if (row.annotation == kNoRow) sum = &sums[""];
      else {
        const auto [name, is_new] = short_names.try_emplace(rows.name(row.annotation));
        if (is_new) name->second = shorten_name(rows.name_text(row.annotation));
        sum = &sums[name->second];
      }
      ++sum->kernels;
      sum->sum += rows.dur[row.device];
    }
    for (const auto& [name, sum] : sums) sheet.add_row({rank.number, name, sum.kernels, sum.sum});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
