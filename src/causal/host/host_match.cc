#include "causal/host/host_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "base/radix_sort.h"
#include "causal/device/device_timeline.h"

// First by the number of the record function, then by external id; what is left by name and order, thread by thread.
// Threads are paired by how many of their rows were already found in each other, then by common names, the best pairs
// first.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

bool may_have_row(Activity activity) { return activity == Activity::cpu_operator || activity == Activity::annotation; }

/// What is left of one thread: (name, number of the row or event), by name, within a name in order.
using NamedItems = std::vector<std::pair<StringId, std::uint32_t>>;

std::size_t common_names(const NamedItems& a, const NamedItems& b) {
  std::size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->first == y->first) ++common, ++x, ++y;
    else if (x->first < y->first) ++x;
    else ++y;
  }
  return common;
}

class HostMatcher {
 public:
  HostMatcher(const trace::RankTrace& rank, const trace::HostTrace& host, const Interner& strings)
      : rank_(rank), host_(host) {
    match_.row_of_event.assign(rank.event_count(), kNoRow);
    match_.event_of_row.assign(host.size(), kNoEvent);
    Column<std::uint8_t> is_operator(strings.size());
    for (StringId id = 0; id < is_operator.size(); ++id) is_operator[id] = is_operator_row(strings.text(id));
    is_operator_row_.resize_uninitialized(host.size());
    for (std::size_t row = 0; row < host.size(); ++row) {
      is_operator_row_[row] = is_operator[host.name[row]];
      match_.coverage.host_rows += is_operator_row_[row];
    }
    has_record_function_.assign(rank.event_count(), 0);
    for (const EventIndex e : rank.field(Field::record_function).event) has_record_function_[e] = 1;
  }

  HostMatch run() {
    // From the surest to the least sure; what one has found is closed to the next.
    match_.coverage.by_record_function = match_numbers(Field::record_function);
    match_.coverage.by_external_id = match_numbers(Field::external_id);
    match_.coverage.by_name_and_order = match_names();
    return std::move(match_);
  }

 private:
  void join(std::uint32_t row, EventIndex event) {
    match_.row_of_event[event] = row;
    match_.event_of_row[row] = event;
  }

  [[nodiscard]] bool is_open(EventIndex e) const {
    return match_.row_of_event[e] == kNoRow && may_have_row(rank_.activity(e));
  }
  [[nodiscard]] bool is_open_row(std::size_t row) const {
    return is_operator_row_[row] != 0 && match_.event_of_row[row] == kNoEvent;
  }

  std::size_t match_numbers(Field field) {
    const trace::SparseColumn& numbers = rank_.field(field);
    Column<KeyedIndex> events;
    for (std::size_t i = 0; i < numbers.event.size(); ++i) {
      const EventIndex e = numbers.event[i];
      // External ids count something else in events that also have the number of a record function.
      if (is_open(e) && (field == Field::record_function || has_record_function_[e] == 0))
        events.push_back({radix_key(numbers.value[i]), e});
    }
    radix_sort(events);
    std::size_t found = 0;
    for (std::uint32_t row = 0; row < host_.size() && !events.empty(); ++row) {
      if (!is_open_row(row) || host_.record_function[row] == trace::kNoNumber) continue;
      const std::uint64_t key = radix_key(host_.record_function[row]);
      const auto* at = std::lower_bound(events.begin(), events.end(), key,
                                        [](const KeyedIndex& item, std::uint64_t wanted) { return item.key < wanted; });
      // Several events may have one number: the name tells which of them the row is.
      while (at != events.end() && at->key == key && (!is_open(at->index) || rank_.name[at->index] != host_.name[row]))
        ++at;
      if (at == events.end() || at->key != key) continue;
      join(row, at->index);
      ++found;
    }
    return found;
  }

  std::size_t match_names() {
    std::map<std::int64_t, NamedItems> rows_of_thread;
    for (const std::uint32_t row : rows_by_id()) {
      if (is_open_row(row)) rows_of_thread[host_.thread[row]].emplace_back(host_.name[row], row);
    }
    if (rows_of_thread.empty()) return 0;
    std::map<trace::LaneIndex, NamedItems> events_of_lane;
    for (const EventIndex e : events_by_start()) events_of_lane[rank_.lane[e]].emplace_back(rank_.name[e], e);
    if (events_of_lane.empty()) return 0;
    const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
    for (auto& [thread, items] : rows_of_thread) std::stable_sort(items.begin(), items.end(), by_name);
    for (auto& [lane, items] : events_of_lane) std::stable_sort(items.begin(), items.end(), by_name);
    std::size_t found = 0;
    for (const auto& [thread, lane] : pair_threads(rows_of_thread, events_of_lane))
      found += match_in_order(rows_of_thread[thread], events_of_lane[lane]);
    return found;
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_by_id() const {
    std::vector<std::uint32_t> rows(host_.size());
    for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return host_.id[a] < host_.id[b]; });
    return rows;
  }

  [[nodiscard]] std::vector<EventIndex> events_by_start() const {
    std::vector<EventIndex> events;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (is_open(e) && has_record_function_[e] == 0) events.push_back(e);
    }
    std::stable_sort(events.begin(), events.end(), [&](EventIndex a, EventIndex b) {
      // The one around another was entered first, and has the lower id in the host trace.
      return rank_.start[a] != rank_.start[b] ? rank_.start[a] < rank_.start[b] : rank_.duration[a] > rank_.duration[b];
    });
    return events;
  }

  using ThreadPairs = std::vector<std::pair<std::int64_t, trace::LaneIndex>>;

  [[nodiscard]] ThreadPairs pair_threads(const std::map<std::int64_t, NamedItems>& threads,
                                         const std::map<trace::LaneIndex, NamedItems>& lanes) const {
    std::map<std::pair<std::int64_t, trace::LaneIndex>, std::size_t> votes;
    for (std::size_t row = 0; row < host_.size(); ++row) {
      if (const EventIndex e = match_.event_of_row[row]; e != kNoEvent) ++votes[{host_.thread[row], rank_.lane[e]}];
    }
    struct Score {
      std::size_t votes, names;
      std::int64_t thread;
      trace::LaneIndex lane;
    };
    std::vector<Score> scores;
    for (const auto& [thread, rows] : threads) {
      for (const auto& [lane, events] : lanes) {
        const auto found = votes.find({thread, lane});
        const std::size_t names = common_names(rows, events);
        // The two traces number threads differently. Threads whose operators were found in each other by number belong
        // together; else those with the most names in common.
        if (names > 0) scores.push_back({found == votes.end() ? 0 : found->second, names, thread, lane});
      }
    }
    // The stable sort leaves equals in the order of thread and lane: the result does not depend on how they came.
    std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
      return std::tie(a.votes, a.names) > std::tie(b.votes, b.names);
    });
    ThreadPairs pairs;
    for (const Score& score : scores) {
      const bool is_taken = std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return pair.first == score.thread || pair.second == score.lane;
      });
      if (!is_taken) pairs.emplace_back(score.thread, score.lane);
    }
    return pairs;
  }

  std::size_t match_in_order(const NamedItems& rows, const NamedItems& events) {
    std::size_t found = 0;
    for (auto row = rows.begin(), event = events.begin(); row != rows.end() && event != events.end();) {
      if (row->first < event->first) ++row;
      else if (event->first < row->first) ++event;
      else join((row++)->second, (event++)->second), ++found;
    }
    return found;
  }

  const trace::RankTrace& rank_;
  const trace::HostTrace& host_;
  Column<std::uint8_t> is_operator_row_;
  Column<std::uint8_t> has_record_function_;
  HostMatch match_;
};

}  // namespace

bool is_operator_row(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  // Rows that frame the trace: no event stands for them.
  return !has("execution_trace|process") && !has("execution_trace|thread") && !has("execution_graph|process") &&
         !has("execution_graph|thread") && !has("process_group:init");
}

HostMatch match_host(const trace::RankTrace& rank, const trace::HostTrace& host, const Interner& strings) {
  return HostMatcher(rank, host, strings).run();
}

Status check_same_run(const Coverage& coverage, const trace::RankTrace& rank, const trace::HostTrace& host,
                      double least_percent) {
  const std::size_t found = coverage.by_record_function + coverage.by_external_id + coverage.by_name_and_order;
  const double percent = coverage_percent(found, coverage.host_rows);
  if (percent >= least_percent) return {};
  return Error{
      fmt::format("the host trace is of another run: {} of its {} operators ({:.1f} %) were found in {}", found,
                  coverage.host_rows, percent, rank.source.path),
      host.path, Error::kNoOffset,
      fmt::format("at least {:g} % are expected; pair the files of one rank and run, or expect less", least_percent)};
}

}  // namespace orrery::causal
