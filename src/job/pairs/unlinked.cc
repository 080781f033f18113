#include "job/pairs/unlinked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "formats/kineto/format.h"
#include "formats/kineto/reader.h"
#include "formats/pytorch_et/format.h"
#include "formats/pytorch_et/profiler_part.h"
#include "formats/pytorch_et/reader.h"
#include "match/communication.h"
#include "trace/names/category_names.h"

// Rows of the host become events on the lanes of their threads, by start; rows of the device become work on its stream,
// each with a launch that is put into the own time of the operator that is its parent. So both recordings can be linked
// again as if they had been read from their files.

namespace orrery::job {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;
using trace::HostCollective;
using trace::HostTrace;
using trace::MeasuredRow;

constexpr DiagnosticKind kUnusableTime{
    "C311", Severity::warning, "row of a linked trace whose time cannot be used",
    "it counts as not measured: its time is more than 26 days from the first one, or no number"};

constexpr DiagnosticKind kRowsOnly{
    "C317", Severity::note, "linked trace without the calls of the device's runtime, and with device work",
    "waits for the device count as work of the host; link -o FILE.et, or .json without --compat, keeps them"};

constexpr std::int64_t kUserScope = 7;
constexpr std::int64_t kFirstWorker = 1'000'000;  // beyond the threads that the framework numbers
// Times of linked traces are JSON numbers in microseconds: a Unix time in a double is good to a quarter of one.
constexpr TimePs kRoundingPs = kPsPerUs;
// A time in microseconds beyond this is no moment on any clock: in nanoseconds it does not fit 64 bits.
constexpr double kMostUs = 9e15;

bool is_usable_time(double us) { return std::isfinite(us) && std::fabs(us) < kMostUs; }

/// The microsecond in which the first of all rows starts.
std::int64_t earliest_us(const std::vector<HostTrace>& traces) {
  std::optional<double> earliest;
  for (const HostTrace& host : traces) {
    for (const MeasuredRow& row : host.measured) {
      if (row.measured && row.has_ts && is_usable_time(row.ts) && (!earliest || row.ts < *earliest)) earliest = row.ts;
    }
  }
  return earliest ? static_cast<std::int64_t>(std::floor(*earliest)) : 0;
}

class RankUnlinker {
 public:
  RankUnlinker(const HostTrace& linked, std::int64_t epoch_us, Interner& strings, Diagnostics& diagnostics)
      : linked_(linked), epoch_us_(epoch_us), strings_(strings), diagnostics_(diagnostics) {}

  trace::RankTrace unlink() {
    order_rows();
    for (const std::uint32_t row : order_) take_interval(row);
    describe_source();
    std::vector<std::uint32_t> by_start = order_;
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return starts_before(a, b); });
    lane_of_row_.resize(linked_.size());
    for (const std::uint32_t row : by_start) {
      if (interval_[row] && !is_device(row)) add_host_row(row);
    }
    for (const std::uint32_t row : order_) {
      if (interval_[row] && is_device(row)) add_device_row(row);
    }
    rank_.source.entries = rank_.event_count();
    return std::move(rank_);
  }

 private:
  struct Interval {
    TimePs start, end;
  };

  [[nodiscard]] bool is_device(std::uint32_t row) const { return linked_.measured[row].category != 0; }

  // Those around others before them.
  [[nodiscard]] bool starts_before(std::uint32_t a, std::uint32_t b) const {
    if (!interval_[a] || !interval_[b]) return interval_[a].has_value() && !interval_[b].has_value();
    return interval_[a]->start != interval_[b]->start ? interval_[a]->start < interval_[b]->start
                                                      : interval_[a]->end > interval_[b]->end;
  }

  void order_rows() {
    order_.resize(linked_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return linked_.id[a] < linked_.id[b]; });
    row_of_id_.reserve(order_.size());
    for (const std::uint32_t row : order_) row_of_id_.emplace(linked_.id[row], row);
    for (std::uint32_t i = 0; i < linked_.collectives.size(); ++i)
      collective_of_row_.emplace(linked_.collectives[i].row, i);
    interval_.resize(linked_.size());
  }

  // The row that called `row`, or of device work the operator that launched it; nothing of the outermost.
  [[nodiscard]] std::optional<std::uint32_t> caller_of(std::uint32_t row) const {
    const auto found = row_of_id_.find(linked_.parent[row]);
    return found == row_of_id_.end() || found->second == row ? std::nullopt : std::optional(found->second);
  }

  void take_interval(std::uint32_t row) {
    const MeasuredRow& times = linked_.measured[row];
    if (!times.measured || !times.has_ts || !times.has_inclusive) return;
    // Half of the range, so that start and length together stay within it.
    const double most_us = to_us(trace::kMaxMomentPs) / 2;
    const double since_us = times.ts - static_cast<double>(epoch_us_);
    if (!is_usable_time(times.ts) || !(since_us >= 0 && since_us < most_us) ||
        !(times.inclusive_dur >= 0 && times.inclusive_dur < most_us)) {
      diagnostics_.add(kUnusableTime, [&] { return fmt::format("{}: row {}", linked_.path, linked_.id[row]); });
      return;
    }
    const auto ps = [](double us) { return static_cast<TimePs>(std::llround(us * static_cast<double>(kPsPerUs))); };
    Interval interval{ps(since_us), ps(since_us) + ps(times.inclusive_dur)};
    if (!is_device(row)) fit_into_caller(row, interval);
    interval_[row] = interval;
  }

  // What was called lies within its caller. Where it does not by no more than the rounding of times, it is the
  // rounding.
  void fit_into_caller(std::uint32_t row, Interval& interval) const {
    const std::optional<std::uint32_t> caller = caller_of(row);
    // A caller on another thread need not contain what it called.
    if (!caller || !interval_[*caller] || linked_.thread[*caller] != linked_.thread[row]) return;
    const Interval& around = *interval_[*caller];
    if (interval.start < around.start - kRoundingPs || interval.end > around.end + kRoundingPs) return;
    interval.start = std::clamp(interval.start, around.start, around.end);
    interval.end = std::clamp(interval.end, interval.start, around.end);
  }

  void describe_source() {
    rank_.epoch_unix_ns = epoch_us_ * 1000;
    trace::SourceInfo& source = rank_.source;
    source.path = linked_.path;
    source.format = "host";
    source.file_bytes = linked_.file_bytes;
    source.text_bytes = linked_.content.size();
    source.fractional_timestamps = true;
    std::int64_t world = 0;
    for (const pytorch_et::ProcessGroup& group : pytorch_et::process_groups(linked_, strings_)) {
      world = std::max(world, group.size);
      for (const std::uint32_t member : group.ranks) world = std::max<std::int64_t>(world, std::int64_t{member} + 1);
    }
    for (const HostCollective& collective : linked_.collectives) world = std::max(world, collective.group_size);
    if (world > 0) source.world_size = world;
  }

  std::uint16_t category(std::string_view text) {
    const StringId id = strings_.intern(text);
    for (std::size_t i = 0; i < rank_.categories.size(); ++i) {
      if (rank_.categories[i].text == id) return static_cast<std::uint16_t>(i);
    }
    // Beyond the most there may be, a category says nothing.
    if (rank_.categories.size() > trace::kMaxCategories) return 0;
    rank_.categories.push_back({id, trace::activity_of_category(text)});
    return static_cast<std::uint16_t>(rank_.categories.size() - 1);
  }

  trace::LaneIndex lane(std::int64_t process, std::int64_t thread) {
    const auto [found, is_new] =
        lanes_.try_emplace(std::pair(process, thread), static_cast<trace::LaneIndex>(rank_.lanes.size()));
    if (is_new) rank_.lanes.push_back({{process, 0}, {thread, 0}, 0, 0});
    return found->second;
  }

  // Where a row of the host ran. Communication that the host does itself (gloo:all_reduce) is begun on the thread that
  // asks for it, whose number its row has, and done on a worker's, beside what that thread does then: it goes to the
  // first worker that is free.
  trace::LaneIndex host_lane(std::uint32_t row) {
    // Devices are processes with small numbers in profiler traces.
    const std::int64_t process = linked_.pid == trace::kNoNumber ? -1 : linked_.pid;
    if (!match::is_host_communication(strings_.text(linked_.name[row])))
      return lane(process, linked_.thread[row] == trace::kNoNumber ? 0 : linked_.thread[row]);
    const auto is_free = [&](TimePs free_at) { return free_at <= interval_[row]->start; };
    const auto worker = std::find_if(worker_free_at_.begin(), worker_free_at_.end(), is_free);
    const auto number = static_cast<std::int64_t>(worker - worker_free_at_.begin());
    if (worker == worker_free_at_.end()) worker_free_at_.push_back(0);
    worker_free_at_[static_cast<std::size_t>(number)] = interval_[row]->end;
    return lane(process, kFirstWorker + number);
  }

  EventIndex add_event(std::uint32_t row, StringId name, std::string_view category_text, trace::LaneIndex lane,
                       Interval interval) {
    return rank_.append_event(
        {.start = interval.start,
         .duration = interval.end - interval.start,
         .name = name,
         .lane = lane,
         .category = category(category_text)},
        {.ordinal = static_cast<std::uint32_t>(rank_.event_count()), .offset = linked_.object[row].begin});
  }

  void add_host_row(std::uint32_t row) {
    const bool is_annotation = linked_.scope[row] == kUserScope;
    lane_of_row_[row] = host_lane(row);
    if (rows_of_lane_.size() < rank_.lanes.size()) rows_of_lane_.resize(rank_.lanes.size());
    rows_of_lane_[lane_of_row_[row]].push_back(row);
    const EventIndex event = add_event(row, linked_.name[row], is_annotation ? "user_annotation" : "cpu_op",
                                       lane_of_row_[row], *interval_[row]);
    const auto set = [&](Field field, std::int64_t value, std::int64_t least) {
      if (value != trace::kNoNumber && value >= least) rank_.field(field).push(event, value);
    };
    set(Field::record_function, linked_.record_function[row], 0);
    if (is_annotation) return;
    set(Field::sequence_number, linked_.sequence_number[row], 0);
    set(Field::forward_thread, linked_.forward_thread[row], 1);
  }

  // When the operator did something itself, and nothing that ran inside of it on its thread: what such an operator
  // launched is not its own.
  const std::vector<Interval>& own_times(std::uint32_t op) {
    const auto [found, is_new] = own_times_.try_emplace(op);
    std::vector<Interval>& own = found->second;
    if (!is_new) return own;
    const std::vector<std::uint32_t>& rows = rows_of_lane_[lane_of_row_[op]];
    const Interval& around = *interval_[op];
    auto at = std::lower_bound(rows.begin(), rows.end(), op,
                               [&](std::uint32_t a, std::uint32_t b) { return starts_before(a, b); });
    TimePs since = around.start;
    for (; at != rows.end() && interval_[*at]->start < around.end; ++at) {
      const Interval& inside = *interval_[*at];
      // Of rows that lie alike the one that was called later, which has the higher id, is inside.
      const bool is_around = inside.end > around.end || (inside.start == around.start && inside.end == around.end &&
                                                         linked_.id[*at] <= linked_.id[op]);
      if (is_around) continue;
      if (inside.start > since) own.push_back({since, inside.start});
      since = std::max(since, inside.end);
    }
    if (since < around.end) own.push_back({since, around.end});
    return own;
  }

  // The last moment of the operator's own time at or before `latest`.
  TimePs launch_moment(std::uint32_t op, TimePs latest) {
    const std::vector<Interval>& own = own_times(op);
    const auto after = std::lower_bound(own.begin(), own.end(), latest,
                                        [](const Interval& of, TimePs time) { return of.start < time; });
    const TimePs moment = after == own.begin() ? interval_[op]->start + 1 : std::min(latest, (after - 1)->end);
    // A launch takes a picosecond, so it ends one after the operator's start at the earliest.
    return std::max(moment, interval_[op]->start + 1);
  }

  void add_device_row(std::uint32_t row) {
    const MeasuredRow& times = linked_.measured[row];
    const std::optional<std::uint32_t> op = caller_of(row);
    // Any number will do that only these two events share; 0 would mean none.
    const std::int64_t correlation = static_cast<std::int64_t>(row) + 1;
    if (op && interval_[*op]) {
      const TimePs moment = launch_moment(*op, interval_[row]->start);
      const EventIndex call =
          add_event(row, strings_.intern("[launch]"), "cuda_runtime", lane_of_row_[*op], {moment - 1, moment});
      rank_.field(Field::correlation).push(call, correlation);
    }
    const std::int64_t stream = times.stream == trace::kNoNumber ? 0 : times.stream;
    const EventIndex work =
        add_event(row, linked_.name[row], strings_.text(times.category), lane(0, stream), *interval_[row]);
    rank_.field(Field::correlation).push(work, correlation);
    rank_.field(Field::stream).push(work, stream);
    rank_.field(Field::device).push(work, 0);
    const bool is_library = rank_.activity(work) == Activity::kernel &&
                            match::library_kernel(strings_.text(linked_.name[row])) == match::LibraryKernel::entry;
    if (is_library) add_communication(row, work);
    else if (times.has_group_name) rank_.field(Field::group_name_text).push(work, times.group_name);
  }

  // Rows of device work share the attributes of the row that launched them.
  void add_communication(std::uint32_t row, EventIndex work) {
    const auto found = collective_of_row_.find(row);
    const HostCollective said =
        found == collective_of_row_.end() ? HostCollective{} : linked_.collectives[found->second];
    const auto set_number = [&](Field field, std::int64_t value) {
      if (value != trace::kNoNumber) rank_.field(field).push(work, value);
    };
    const auto set_text = [&](Field field, StringId text) {
      if (text != 0) rank_.field(field).push(work, text);
    };
    set_text(Field::collective_text, said.collective_name);
    set_text(Field::dtype_text, said.dtype);
    set_number(Field::in_elements, said.in_elements);
    set_number(Field::out_elements, said.out_elements);
    set_number(Field::group_size, said.group_size);
    const MeasuredRow& times = linked_.measured[row];
    set_text(Field::group_name_text, times.has_group_name ? times.group_name : said.group_name);
  }

  struct PairHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& of) const {
      return static_cast<std::size_t>(static_cast<std::uint64_t>(of.first) * 0x9E3779B97F4A7C15u ^
                                      static_cast<std::uint64_t>(of.second));
    }
  };

  const HostTrace& linked_;
  std::int64_t epoch_us_;
  Interner& strings_;
  Diagnostics& diagnostics_;
  trace::RankTrace rank_;
  std::vector<std::uint32_t> order_;  // rows by id: callers before what they call
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_id_, collective_of_row_;
  std::vector<std::optional<Interval>> interval_;         // per row
  std::vector<trace::LaneIndex> lane_of_row_;             // per row of the host with times
  std::vector<std::vector<std::uint32_t>> rows_of_lane_;  // by start, those around others first
  std::unordered_map<std::uint32_t, std::vector<Interval>>
      own_times_;                       // by row, of those that launched work; only looked up
  std::vector<TimePs> worker_free_at_;  // by worker
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, trace::LaneIndex, PairHash> lanes_;
};

}  // namespace

HostTrace host_part(const HostTrace& linked) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < linked.size(); ++row) {
    if (!linked.is_linked() || linked.measured[row].category == 0) rows.push_back(row);
  }
  HostTrace host;
  trace::copy_rows(linked, rows, host);
  for (const std::uint32_t row : rows) {
    host.id.push_back(linked.id[row]);
    host.parent.push_back(linked.parent[row]);
  }
  trace::copy_head(linked, host);
  return host;
}

namespace {

/// The profiler traces inside of the files, joined to a job.
Result<trace::Trace> read_profiler_parts(const HostFiles& linked, Diagnostics& diagnostics) {
  std::vector<std::string> paths;
  std::vector<trace::ReadRank> ranks;
  for (std::size_t i = 0; i < linked.traces.size(); ++i) {
    paths.push_back(linked.traces[i].path);
    Result<trace::ReadRank> rank = kineto::kFormat.read_rank(paths.back(), {.record_functions = true});
    if (!rank) return rank.error();
    trace::SourceInfo& source = rank->rank.source;
    source.format = pytorch_et::kFormat.name;
    // What the profiler does not say the names of the files do, or their order.
    if (!source.rank && linked.traces.size() > 1) source.rank = static_cast<std::int64_t>(linked.rank_numbers[i]);
    ranks.push_back(std::move(*rank));
  }
  return kineto::join_ranks(paths, std::move(ranks), diagnostics);
}

Result<LinkedJob> split_files(HostFiles linked, Diagnostics& diagnostics) {
  Result<trace::Trace> trace = read_profiler_parts(linked, diagnostics);
  if (!trace) return trace.error();
  LinkedJob job;
  job.trace = std::move(*trace);
  for (const trace::RankTrace& rank : job.trace.ranks) {
    const auto file = std::find_if(linked.traces.begin(), linked.traces.end(),
                                   [&](const HostTrace& of) { return of.path == rank.source.path; });
    HostTrace& host = job.hosts.emplace_back(host_part(*file));
    trace::move_texts(host, linked.strings, job.trace.strings);
  }
  return job;
}

bool has_device_work(const HostTrace& linked) {
  return std::any_of(linked.measured.begin(), linked.measured.end(),
                     [](const MeasuredRow& row) { return row.category != 0; });
}

}  // namespace

Result<LinkedJob> unlink(HostFiles linked, Diagnostics& diagnostics) {
  // Ranks of one job are taken alike: beside one of which only the rows are there, the others' are as good as those.
  if (std::all_of(linked.traces.begin(), linked.traces.end(), pytorch_et::has_profiler_part))
    return split_files(std::move(linked), diagnostics);
  LinkedJob job;
  job.trace.strings = std::move(linked.strings);
  const std::int64_t epoch_us = earliest_us(linked.traces);
  job.trace.epoch_unix_ns = epoch_us * 1000;
  for (std::size_t i = 0; i < linked.traces.size(); ++i) {
    if (has_device_work(linked.traces[i])) diagnostics.add(kRowsOnly, [&] { return linked.traces[i].path; });
    job.trace.ranks.push_back(RankUnlinker(linked.traces[i], epoch_us, job.trace.strings, diagnostics).unlink());
    job.trace.ranks.back().rank = static_cast<std::int64_t>(linked.rank_numbers[i]);
    job.hosts.push_back(host_part(linked.traces[i]));
  }
  return job;
}

}  // namespace orrery::job
