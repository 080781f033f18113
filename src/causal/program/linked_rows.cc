#include "causal/program/linked_rows.h"

#include <algorithm>
#include <vector>

#include "base/radix_sort.h"
#include "base/sparse_rows.h"

// Rows are placed in the order of their ids, each followed by the device work of its operator, and numbered anew by
// their places. Then columns are copied, parents translated, and times filled in from the events that rows were matched
// with.

namespace orrery::causal {
namespace {

using trace::EventIndex;
using trace::Field;
using trace::HostTrace;
using trace::MeasuredRow;

class RowLinker {
 public:
  RowLinker(const HostTrace& host, const trace::Trace& trace, const trace::RankTrace& rank, const HostMatch& match,
            const OperatorIndex& operators)
      : host_(host), trace_(trace), rank_(rank), match_(match), operators_(operators) {}

  HostTrace link() {
    place_rows();
    copy_rows();
    measure_rows();
    trace::copy_head(host_, result_);
    return std::move(result_);
  }

 private:
  // Device work by the row of its operator, then by start.
  [[nodiscard]] SparseRows<EventIndex> work_by_row() const {
    Column<KeyedIndex> by_start;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (is_device_work(rank_.activity(e)) && rank_.has_duration(e) && row_of_work(e) != kNoRow)
        by_start.push_back({radix_key(rank_.start[e]), e});
    }
    radix_sort(by_start);
    return group_by_row<EventIndex>(host_.size(), [&](auto&& add) {
      for (const KeyedIndex& work : by_start) add(row_of_work(work.index), work.index);
    });
  }

  [[nodiscard]] std::uint32_t row_of_work(EventIndex e) const {
    const EventIndex launcher = operators_.operator_of[e];
    return launcher == kNoEvent ? kNoRow : match_.row_of_event[launcher];
  }

  void place_rows() {
    const SparseRows<EventIndex> work = work_by_row();
    for (std::uint32_t row = 0; row < host_.size(); ++row) by_id_.push_back({host_.id[row], row});
    radix_sort(by_id_);
    new_id_.resize_uninitialized(host_.size());
    for (const KeyedIndex& item : by_id_) {
      new_id_[item.index] = source_.size();
      source_.push_back(item.index);
      work_.push_back(kNoEvent);
      for (const EventIndex event : work[item.index]) {
        source_.push_back(item.index);
        work_.push_back(event);
      }
    }
  }

  void copy_rows() {
    trace::copy_rows(host_, source_, result_);
    result_.id.resize_uninitialized(source_.size());
    result_.parent.resize_uninitialized(source_.size());
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const bool is_work = work_[i] != kNoEvent;
      result_.id[i] = i;
      result_.parent[i] = is_work ? new_id_[source_[i]] : new_id_of(host_.parent[source_[i]]);
      if (is_work) result_.name[i] = rank_.name[work_[i]];
    }
  }

  // A row that does not exist gets a number that no row has.
  [[nodiscard]] std::uint64_t new_id_of(std::uint64_t id) const {
    const auto* const at =
        std::lower_bound(by_id_.begin(), by_id_.end(), id,
                         [](const KeyedIndex& item, std::uint64_t wanted) { return item.key < wanted; });
    return at == by_id_.end() || at->key != id ? source_.size() + id : new_id_[at->index];
  }

  [[nodiscard]] double file_time(TimePs time) const {
    const std::int64_t epoch_us = (trace_.epoch_unix_ns - rank_.source.base_time_ns.value_or(0)) / 1000;  // whole ones
    return static_cast<double>(epoch_us) + to_us(time);
  }

  // Time inside of operators and calls that the operator made itself.
  [[nodiscard]] Column<TimePs> exclusive_times() const {
    Column<TimePs> exclusive(rank_.event_count());
    for (EventIndex e = 0; e < rank_.event_count(); ++e) exclusive[e] = rank_.duration[e];
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      const bool counts =
          rank_.activity(e) == trace::Activity::cpu_operator || rank_.activity(e) == trace::Activity::runtime_call;
      if (counts && operators_.operator_of[e] != kNoEvent) exclusive[operators_.operator_of[e]] -= rank_.duration[e];
    }
    return exclusive;
  }

  void measure_rows() {
    result_.measured.resize(source_.size());
    const Column<TimePs> exclusive = exclusive_times();
    const Column<std::int64_t> stream = rank_.field(Field::stream).dense(rank_.event_count(), trace::kNoNumber);
    const StringId complete = trace_.strings.find("X");
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const EventIndex e = work_[i] != kNoEvent ? work_[i] : match_.event_of_row[source_[i]];
      if (e == kNoEvent) continue;
      MeasuredRow& measured = result_.measured[i];
      measured.measured = measured.has_ts = measured.has_inclusive = measured.has_exclusive = true;
      measured.ts = file_time(rank_.start[e]);
      measured.inclusive_dur = measured.exclusive_dur = to_us(rank_.duration[e]);
      if (work_[i] == kNoEvent) {
        measured.exclusive_dur = to_us(std::max<TimePs>(0, exclusive[e]));
        continue;
      }
      measured.category = rank_.categories[rank_.category[e]].text;
      measured.phase = complete == Interner::kMissing ? 0 : complete;
      measured.stream = stream[e];
      if (const auto group = rank_.field(Field::group_name_text).find(e)) {
        measured.has_group_name = true;
        measured.group_name = static_cast<StringId>(*group);
      }
    }
    set_forward_rows();
  }

  // Backward operators on another thread than their forward operators.
  void set_forward_rows() {
    Column<KeyedIndex> forward;
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      // Scope 1 is PyTorch's BACKWARD_FUNCTION.
      if (host_.scope[row] != 1 && host_.sequence_number[row] >= 0 && host_.forward_thread[row] <= 0)
        forward.push_back({radix_key(host_.sequence_number[row]), row});
    }
    radix_sort(forward);
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const std::uint32_t row = source_[i];
      if (work_[i] != kNoEvent || host_.forward_thread[row] <= 0 || host_.sequence_number[row] < 0) continue;
      const std::uint64_t key = radix_key(host_.sequence_number[row]);
      const auto* const after =
          std::upper_bound(forward.begin(), forward.end(), key,
                           [](std::uint64_t wanted, const KeyedIndex& item) { return wanted < item.key; });
      if (after != forward.begin() && (after - 1)->key == key &&
          host_.thread[(after - 1)->index] == host_.forward_thread[row])
        result_.measured[i].inter_thread_dep = static_cast<std::int64_t>(new_id_[(after - 1)->index]);
    }
  }

  const HostTrace& host_;
  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const HostMatch& match_;
  const OperatorIndex& operators_;
  Column<KeyedIndex> by_id_;      // rows by their ids
  Column<std::uint64_t> new_id_;  // per row of the host trace
  Column<std::uint32_t> source_;  // per new row: the row of the host trace,
  Column<EventIndex> work_;       // and the device work that it is; kNoEvent: that row itself
  HostTrace result_;
};

}  // namespace

HostTrace make_linked_rows(const HostTrace& host, const trace::Trace& trace, const trace::RankTrace& rank,
                           const HostMatch& match, const OperatorIndex& operators) {
  return RowLinker(host, trace, rank, match, operators).link();
}

HostTrace make_linked_rows(const HostTrace& host, const trace::Trace& trace, const trace::RankTrace& rank) {
  return make_linked_rows(host, trace, rank, match_host(rank, host, trace.strings), make_operator_index(trace, rank));
}

}  // namespace orrery::causal
