#include "causal/hta/event_waits.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/radix_sort.h"

namespace orrery::causal::hta {
namespace {

constexpr std::array<std::string_view, 12> kLaunchNames = {
    "cudaLaunchKernel", "cudaLaunchKernelExC",      "cuLaunchKernel",
    "cuLaunchKernelEx", "cudaMemcpyAsync",          "cudaMemsetAsync",
    "hipLaunchKernel",  "hipExtModuleLaunchKernel", "hipMemcpyAsync",
    "hipMemsetAsync",   "hipMemcpyWithStream",      "runFunction - job_prep_and_submit_for_execution"};

}  // namespace

Launches::Launches(const Rows& rows) : frame_(rows) {
  // By number of the text, so that no names are compared row by row.
  Column<std::uint8_t> is_launch(rows.trace->strings.size(), 0);
  for (const std::string_view name : kLaunchNames) {
    if (const StringId id = rows.trace->strings.find(name); id != Interner::kMissing) is_launch[id] = 1;
  }
  Column<KeyedIndex> in_time;
  for (const RowIndex r : rows.frame) {
    if (is_launch[rows.name(r)] == 0 || rows.partner[r] <= 0) continue;
    rows_.push_back(r);
    const RowIndex kernel = rows.find(rows.partner[r]);
    // The partner must be of a device and know of the call, or it is no launch.
    if (kernel == kNoRow || rows.stream[kernel] == -1 || rows.partner[kernel] <= 0) continue;
    in_time.push_back({radix_key(rows.ts[r]), r});
  }
  radix_sort(in_time);
  for (const KeyedIndex& item : in_time) {
    const RowIndex r = item.index;
    const RowIndex kernel = rows.find(rows.partner[r]);
    onto_[{rows.stream[kernel], rows.lane(kernel).process}].push_back(r);
    by_thread_[{rows.lane(r).process, rows.lane(r).thread, rows.stream[kernel]}].push_back(r);
  }
}

RowIndex Launches::last_until(TimePs time, std::int64_t stream, trace::LaneKey process) const {
  const auto on = onto_.find({stream, process});
  if (on == onto_.end()) return kNoRow;
  const auto after = std::upper_bound(on->second.begin(), on->second.end(), time,
                                      [&](TimePs t, RowIndex l) { return t < frame_.ts[l]; });
  // Launches are by time: the last one that is not after.
  return after == on->second.begin() ? kNoRow : *(after - 1);
}

RowIndex Launches::first_after(TimePs time, const trace::Lane& thread, std::int64_t stream) const {
  const auto by = by_thread_.find({thread.process, thread.thread, stream});
  if (by == by_thread_.end()) return kNoRow;
  const auto after = std::upper_bound(by->second.begin(), by->second.end(), time,
                                      [&](TimePs t, RowIndex l) { return t < frame_.ts[l]; });
  return after == by->second.end() ? kNoRow : *after;
}

std::vector<EventRecord> find_event_records(const Rows& rows, const Launches& launches) {
  // A wait tells which stream its event was recorded on; the record itself does not.
  std::unordered_map<std::int64_t, std::pair<std::int64_t, trace::LaneKey>>
      recorded_on;  // stream and pid, by correlation of the record
  for (const RowIndex r : rows.frame) {
    if (rows.wait_stream[r] > -1) recorded_on[rows.wait_record[r]] = {rows.wait_stream[r], rows.lane(r).process};
  }
  const StringId record = rows.trace->strings.find("cudaEventRecord");
  Column<KeyedIndex> in_time;
  for (const RowIndex r : rows.frame) {
    // Events that nobody waits for hold up nothing.
    if (rows.name(r) == record && recorded_on.contains(rows.correlation[r]))
      in_time.push_back({radix_key(rows.ts[r]), r});
  }
  radix_sort(in_time);
  std::vector<EventRecord> records;
  for (const KeyedIndex& item : in_time) {
    const auto& [stream, process] = recorded_on.at(rows.correlation[item.index]);
    records.push_back({item.index, stream, process, launches.last_until(rows.ts[item.index], stream, process)});
  }
  return records;
}

std::vector<StreamWait> find_stream_waits(const Rows& rows, const Launches& launches) {
  const StringId call = rows.trace->strings.find("cudaStreamWaitEvent");
  std::vector<StreamWait> waits;
  for (const RowIndex r : rows.frame) {
    if (rows.name(r) != call || rows.partner[r] <= 0) continue;
    const RowIndex wait = rows.find(rows.partner[r]);
    if (wait == kNoRow || rows.stream[wait] == -1) continue;
    waits.push_back({r, wait, launches.first_after(rows.ts[r], rows.lane(r), rows.stream[wait])});
  }
  return waits;
}

}  // namespace orrery::causal::hta
