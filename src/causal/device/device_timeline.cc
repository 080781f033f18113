#include "causal/device/device_timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "base/radix_sort.h"
#include "causal/diagnostics.h"
#include "match/communication.h"
#include "trace/names/rules.h"

// Device work is sorted by start, bound to its call by correlation and dealt out to its queue. Three orders are kept:
// by queue (in which a stream worked), by launch (in which it was told to) and by end (for whoever asks what ended
// last). Waits between streams become pairs of works at the end, when the order of launches is known.

namespace orrery::causal {

using trace::Field;

QueueIndex::QueueIndex(const trace::Trace& trace, const trace::RankTrace& rank) : rank_(rank) {
  std::vector<std::string_view> texts;
  for (const trace::Lane& lane : rank.lanes) {
    for (const trace::LaneKey key : {lane.process, lane.thread}) {
      if (key.text != 0) texts.push_back(trace.strings.text(key.text));
    }
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  // -1 means "none" in the files, so texts count from -2 downwards.
  const auto number = [&](trace::LaneKey key) {
    if (key.text == 0) return key.number;
    return -2 - static_cast<std::int64_t>(std::lower_bound(texts.begin(), texts.end(), trace.strings.text(key.text)) -
                                          texts.begin());
  };
  for (const trace::Lane& lane : rank.lanes) of_lane_.push_back({number(lane.process), number(lane.thread)});
}

Queue QueueIndex::of(trace::EventIndex event) const {
  Queue queue = of_lane_[rank_.lane[event]];
  if (const auto device = rank_.field(Field::device).find(event); device && *device >= 0) queue.device = *device;
  if (const auto stream = rank_.field(Field::stream).find(event); stream && *stream >= 0) queue.stream = *stream;
  return queue;
}

namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

/// Finds, for a wait of a stream whose record does not say what for, the event record it most likely means: CUDA 12.9
/// and later write -1.
class RecordCalls {
 public:
  RecordCalls(const trace::Trace& trace, const trace::RankTrace& rank) : rank_(rank) {
    const StringId cuda = trace.strings.find("cudaEventRecord");
    const StringId hip = trace.strings.find("hipEventRecord");
    const StringId flagged = trace.strings.find("cudaEventRecordWithFlags");
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const StringId name = rank.name[e];
      if ((name == cuda || name == hip || name == flagged) && rank.activity(e) == Activity::runtime_call)
        records_.push_back(e);
    }
    std::stable_sort(records_.begin(), records_.end(),
                     [&](EventIndex a, EventIndex b) { return rank.start[a] < rank.start[b]; });
  }

  /// The last record of the same thread before `call`.
  [[nodiscard]] EventIndex last_before(EventIndex call) const {
    auto at = std::lower_bound(records_.begin(), records_.end(), rank_.start[call],
                               [&](EventIndex e, TimePs time) { return rank_.start[e] < time; });
    while (at != records_.begin()) {
      if (rank_.lane[*--at] == rank_.lane[call]) return *at;
    }
    return kNoEvent;
  }

 private:
  const trace::RankTrace& rank_;
  std::vector<EventIndex> records_;
};

// A copy of ordinary memory passes through buffers; the last of them is still under way when the call returns. Seen: 7
// to 25 us.
constexpr TimePs kLongestLastPart = 100 * kPsPerUs;

Submission submission_of(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceWork& work,
                         bool is_alone) {
  // A call with several works (a graph) does not tell when each was submitted: they count from its entry.
  if (work.call == kNoEvent || !is_alone || work.call_start > work.start) return Submission::at_entry;
  if (work.start >= work.call_end) return Submission::at_return;
  const bool is_copy = rank.activity(work.event) == Activity::memory_copy;
  // The call itself moves pageable memory, and only the last buffer outlasts it.
  if (is_copy && work.end > work.call_end && work.end - work.call_end <= kLongestLastPart &&
      work.call_end - work.start > kLongestLead &&
      trace.name(rank, work.event).find("Pageable") != std::string_view::npos)
    return Submission::within;
  // A call that waits for its copy was not done when the copy began.
  const bool is_waited_for = is_copy && work.end <= work.call_end;
  return !is_waited_for && work.start >= work.call_end - kLongestLead ? Submission::before_return : Submission::inside;
}

/// Whether works are kernels that compute, each name looked at once.
class ComputingKernels {
 public:
  ComputingKernels(const trace::Trace& trace, const trace::RankTrace& rank)
      : trace_(trace),
        rank_(rank),
        ruled_(trace.rules.get(), trace.strings),
        known_(trace.strings.size(), kNotLookedAt) {}

  bool contains(EventIndex event) {
    if (rank_.activity(event) != Activity::kernel) return false;
    std::uint8_t& known = known_[rank_.name[event]];
    if (known == kNotLookedAt) known = communicates(event) ? 0 : 1;
    return known == 1;
  }

 private:
  static constexpr std::uint8_t kNotLookedAt = 2;

  bool communicates(EventIndex event) {
    const std::uint32_t reading = ruled_.find(rank_.name[event]);
    if (reading == trace::RuledNames::kNoReading)
      return match::library_kernel(trace_.name(rank_, event)) != match::LibraryKernel::none;
    return ruled_.rule(reading).communicates && ruled_.rule(reading).role != trace::CommunicationRole::setup;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  trace::RuledNames ruled_;
  Column<std::uint8_t> known_;
};

// The last work launched before `time` on any other queue of the same device.
std::uint32_t last_launched_elsewhere(const DeviceTimeline& timeline, std::uint32_t queue, TimePs time) {
  std::uint32_t latest = kNoWork;
  for (std::uint32_t other = 0; other < timeline.queues.size(); ++other) {
    if (other == queue || timeline.queues[other].device != timeline.queues[queue].device) continue;
    const std::uint32_t work = last_launched_before(timeline, other, time);
    if (work != kNoWork && (latest == kNoWork || timeline.works[work].call_start > timeline.works[latest].call_start))
      latest = work;
  }
  return latest;
}

// Recorded waits between streams: "Stream Wait Event" says which recorded event is waited for; the call that recorded
// it and the call that waits are found by their correlation.
void add_stream_waits(const trace::Trace& trace, const trace::RankTrace& rank, const CallIndex& calls,
                      const QueueIndex& queues, DeviceTimeline& timeline, Diagnostics& diagnostics) {
  const StringId wait_name = trace.strings.find("Stream Wait Event");
  if (wait_name == Interner::kMissing) return;
  const RecordCalls records(trace, rank);
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.name[e] != wait_name || rank.activity(e) != Activity::synchronization) continue;
    const Queue waiting = queues.of(e);
    const std::uint32_t target = find_queue(timeline, waiting);
    const auto correlation = rank.field(Field::correlation).find(e);
    const EventIndex wait_call = correlation ? calls.find(*correlation) : kNoEvent;
    if (wait_call == kNoEvent || target == kNoWork) continue;

    const std::int64_t record = rank.field(Field::wait_on_record).find(e).value_or(-1);
    const std::int64_t source_stream = rank.field(Field::wait_on_stream).find(e).value_or(-1);
    std::uint32_t after = kNoWork;
    if (record >= 0 && source_stream >= 0) {
      if (source_stream == waiting.stream) continue;  // a stream need not wait for itself
      const EventIndex record_call = calls.find(record);
      const std::uint32_t source = find_queue(timeline, {waiting.device, source_stream});
      if (record_call != kNoEvent && source != kNoWork)
        after = last_launched_before(timeline, source, rank.start[record_call]);
    } else {
      diagnostics.add(kWaitWithoutSource, [&] { return std::string(trace.name(rank, wait_call)); });
      const EventIndex record_call = records.last_before(wait_call);
      if (record_call != kNoEvent) after = last_launched_elsewhere(timeline, target, rank.start[record_call]);
    }
    const auto& launched = timeline.by_launch[target];
    const auto next =
        std::upper_bound(launched.begin(), launched.end(), rank.start[wait_call],
                         [&](TimePs time, std::uint32_t work) { return time < timeline.works[work].call_start; });
    if (after != kNoWork && next != launched.end()) timeline.stream_waits.push_back({*next, after});
  }
  std::sort(timeline.stream_waits.begin(), timeline.stream_waits.end());
}

// A stream works in order, but a kernel may be set up while the one before it ends (programmatic dependent launch), and
// time stamps are only so fine: what begins in the last tenth or microsecond of the work before it waited for that,
// which then counts until the next has begun. Seen in profiles of XLA: 0.1 to 1.6 us, and 5 to 10 us of 220.
void end_where_next_begins(DeviceWork& work, TimePs next) {
  const TimePs length = work.end - work.start, overlap = work.end - next;
  if (next <= work.start || overlap <= 0 || overlap > std::max(kPsPerUs, length / 10) || overlap >= length / 2) return;
  work.end = next;
}

/// The queues of works, numbered as they come. There are few of them, and works of one come in a row.
class QueueFinder {
 public:
  QueueFinder(const trace::RankTrace& rank, const QueueIndex& queues)
      : queues_(queues), devices_(rank.field(Field::device)), streams_(rank.field(Field::stream)) {}

  /// Of works in order of start.
  std::uint32_t find(EventIndex event) {
    Queue queue{devices_.find(event, -1), streams_.find(event, -1)};
    if (queue.device < 0 || queue.stream < 0) queue = queues_.of(event);
    if (last_ >= found_.size() || found_[last_] != queue) {
      last_ = places_.try_emplace(queue, static_cast<std::uint32_t>(found_.size())).first->second;
      if (last_ == found_.size()) found_.push_back(queue), sizes_.push_back(0);
    }
    ++sizes_[last_];
    return last_;
  }

  /// Gives the queues of works their numbers in order, and lists the queues and what runs on each.
  void deal_out(DeviceTimeline& timeline) const {
    timeline.queues = found_;
    std::sort(timeline.queues.begin(), timeline.queues.end());
    timeline.by_queue.resize(found_.size());
    std::vector<std::uint32_t> number;
    for (const Queue& queue : found_) {
      const std::uint32_t own = find_queue(timeline, queue);
      timeline.by_queue[own].reserve(sizes_[number.size()]);
      number.push_back(own);
    }
    for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
      DeviceWork& work = timeline.works[w];
      work.queue = number[work.queue];
      std::vector<std::uint32_t>& queue = timeline.by_queue[work.queue];
      if (!queue.empty()) end_where_next_begins(timeline.works[queue.back()], work.start);
      queue.push_back(w);
    }
  }

 private:
  const QueueIndex& queues_;
  trace::InOrder devices_, streams_;
  std::vector<Queue> found_;
  std::vector<std::uint32_t> sizes_;  // works of each
  std::map<Queue, std::uint32_t> places_;
  std::uint32_t last_ = 0;
};

void sort_by_start(const trace::RankTrace& rank, Column<EventIndex>& events) {
  Column<KeyedIndex> keyed;
  keyed.reserve(events.size());
  for (const EventIndex e : events) keyed.push_back({radix_key(rank.start[e]), e});
  radix_sort(keyed);
  for (std::size_t i = 0; i < events.size(); ++i) events[i] = keyed[i].index;
}

/// When the works of one call ran; several calls of a device may be under way at once.
struct RunOfCall {
  std::int64_t device = 0;
  TimePs begin = 0, end = 0;
  EventIndex call = kNoEvent;
  std::uint32_t works = 0;
  TimePs latest_before =
      std::numeric_limits<TimePs>::min();  ///< the latest end of runs of the device that began earlier
};

/// By device and begin; calls with several works alone, which launched graphs.
std::vector<RunOfCall> runs_of_graphs(const trace::RankTrace& rank, const DeviceTimeline& timeline) {
  Column<std::uint32_t> run_of(rank.event_count(), kNoWork);
  std::vector<RunOfCall> runs;
  for (const DeviceWork& work : timeline.works) {
    if (work.call == kNoEvent) continue;
    std::uint32_t& number = run_of[work.call];
    if (number == kNoWork) {
      number = static_cast<std::uint32_t>(runs.size());
      runs.push_back({timeline.queues[work.queue].device, work.start, work.end, work.call});
    }
    runs[number].end = std::max(runs[number].end, work.end);
    ++runs[number].works;
  }
  std::erase_if(runs, [](const RunOfCall& run) { return run.works < 2; });
  std::stable_sort(runs.begin(), runs.end(), [](const RunOfCall& a, const RunOfCall& b) {
    return std::pair(a.device, a.begin) < std::pair(b.device, b.begin);
  });
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const RunOfCall& before = runs[i - 1];
    if (before.device == runs[i].device) runs[i].latest_before = std::max(before.end, before.latest_before);
  }
  return runs;
}

/// Gives work that the device launched the call of the graph around it.
void find_works_of_devices(const trace::RankTrace& rank, DeviceTimeline& timeline) {
  std::vector<RunOfCall> runs;
  trace::InOrder correlation(rank.field(Field::correlation));
  for (const std::vector<std::uint32_t>& queue : timeline.by_queue) {
    const bool is_of_device = std::all_of(queue.begin(), queue.end(), [&](std::uint32_t w) {
      return timeline.works[w].call == kNoEvent && correlation.find(timeline.works[w].event, -1) == 0;
    });
    if (!is_of_device || queue.empty()) continue;
    if (runs.empty()) runs = runs_of_graphs(rank, timeline);
    for (const std::uint32_t w : queue) {
      DeviceWork& work = timeline.works[w];
      const std::pair at(timeline.queues[work.queue].device, work.start);
      auto run = std::upper_bound(runs.begin(), runs.end(), at, [](const auto& moment, const RunOfCall& one) {
        return moment < std::pair(one.device, one.begin);
      });
      if (run == runs.begin()) continue;
      --run;
      // Two graphs around it: nobody can tell whose it is.
      if (run->device != at.first || run->end < work.end || run->latest_before > work.start) continue;
      work.call = run->call, work.call_start = rank.start[run->call], work.call_end = rank.end(run->call);
      work.by_device = true;
    }
  }
}

}  // namespace

std::uint32_t find_queue(const DeviceTimeline& timeline, const Queue& queue) {
  const auto at = std::lower_bound(timeline.queues.begin(), timeline.queues.end(), queue);
  return at == timeline.queues.end() || *at != queue ? kNoWork
                                                     : static_cast<std::uint32_t>(at - timeline.queues.begin());
}

std::uint32_t last_launched_before(const DeviceTimeline& timeline, std::uint32_t queue, TimePs time) {
  const auto& launched = timeline.by_launch[queue];
  const auto after = std::lower_bound(launched.begin(), launched.end(), time, [&](std::uint32_t work, TimePs t) {
    return timeline.works[work].call_start < t;
  });
  return after == launched.begin() ? kNoWork : *(after - 1);
}

DeviceTimeline make_device_timeline(const trace::Trace& trace, const trace::RankTrace& rank,
                                    const trace::ContentOrder& content, Diagnostics& diagnostics) {
  DeviceTimeline timeline;
  const CallIndex calls(rank, content);
  const QueueIndex queues(trace, rank);
  Column<EventIndex> order;
  bool is_sorted = true;  // as recorders of one stream write it
  TimePs recorded_from = std::numeric_limits<TimePs>::max();
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const bool is_device = is_device_work(rank.activity(e));
    if ((is_device || is_host_work(rank.activity(e))) && rank.has_duration(e))
      recorded_from = std::min(recorded_from, rank.start[e]);
    if (!is_device || !rank.has_duration(e)) continue;
    is_sorted &= order.empty() || rank.start[order.back()] <= rank.start[e];
    order.push_back(e);
  }
  timeline.recorded_from = recorded_from;
  if (!is_sorted) sort_by_start(rank, order);
  trace::InOrder correlations(rank.field(Field::correlation));
  const auto launched_at = [&](EventIndex e) {
    const std::int64_t correlation = correlations.find(e, -1);
    const EventIndex call = correlation >= 0 ? calls.find(correlation) : kNoEvent;
    return rank.start[call == kNoEvent ? e : call];
  };
  // Of two that start together on a stream the one that ended first came first, then the one that was launched first.
  trace::sort_each_run(
      order, [&](EventIndex a, EventIndex b) { return rank.start[a] == rank.start[b]; },
      [&](EventIndex a, EventIndex b) {
        if (rank.duration[a] != rank.duration[b]) return rank.duration[a] < rank.duration[b];
        if (launched_at(a) != launched_at(b)) return launched_at(a) < launched_at(b);
        return content.before(a, b);
      });

  timeline.works.resize_uninitialized(order.size());
  Column<std::uint8_t> works_of_call(order.empty() ? 0 : rank.event_count(), 0);  // none, one, or more
  std::int64_t last_correlation = -1;
  EventIndex last_call = kNoEvent;
  QueueFinder queue_finder(rank, queues);
  for (std::size_t w = 0; w < order.size(); ++w) {
    const EventIndex e = order[w];
    const TimePs start = rank.start[e];
    // Works of a graph have one call, and mostly come in a row.
    if (const std::int64_t correlation = correlations.find(e, -1); correlation != last_correlation)
      last_correlation = correlation, last_call = correlation >= 0 ? calls.find(correlation) : kNoEvent;
    DeviceWork& work = timeline.works[w];  // written where it stays: it is larger than what it is made of
    work = {};
    work.event = e, work.queue = queue_finder.find(e);
    work.start = work.call_start = work.call_end = start;
    work.end = std::max(start, rank.end(e));
    work.call = last_call;
    if (work.call == kNoEvent) continue;
    work.call_start = rank.start[work.call], work.call_end = rank.end(work.call);
    // Two stands for many: only a call with a single work says when that was submitted.
    works_of_call[work.call] = works_of_call[work.call] == 0 ? 1 : 2;
  }
  queue_finder.deal_out(timeline);
  find_works_of_devices(rank, timeline);
  ComputingKernels computing(trace, rank);
  Column<std::uint32_t> before(timeline.queues.size(), kNoWork);  // per queue: the work before
  // Mostly works end in the order in which they start, and start in that of their calls.
  Column<std::uint8_t> starts_as_launched(timeline.queues.size(), 1);
  bool ends_in_order = true;
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
    DeviceWork& work = timeline.works[w];
    std::uint32_t& before_it = before[work.queue];
    if (work.call == kNoEvent) {
      diagnostics.add(kWorkWithoutCall, [&] { return std::string(trace.name(rank, work.event)); });
      // A stream works in the order of its launches: work without a recorded launch was launched no earlier than the
      // work before it.
      if (before_it != kNoWork) work.call_start = std::min(work.start, timeline.works[before_it].call_start);
    }
    if (before_it != kNoWork && work.call_start < timeline.works[before_it].call_start)
      starts_as_launched[work.queue] = 0;
    ends_in_order &= w == 0 || timeline.works[w - 1].end <= work.end;
    before_it = w;
    work.submission = submission_of(trace, rank, work, work.call != kNoEvent && works_of_call[work.call] == 1);
    work.may_fill_device = computing.contains(work.event);
  }
  timeline.by_launch = timeline.by_queue;
  for (std::uint32_t queue = 0; queue < timeline.queues.size(); ++queue) {
    if (starts_as_launched[queue] != 0) continue;
    std::vector<std::uint32_t>& launched = timeline.by_launch[queue];
    std::stable_sort(launched.begin(), launched.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline.works[a].call_start < timeline.works[b].call_start;
    });
  }
  timeline.by_end.resize_uninitialized(timeline.works.size());
  std::iota(timeline.by_end.begin(), timeline.by_end.end(), 0U);
  if (!ends_in_order)
    std::stable_sort(timeline.by_end.begin(), timeline.by_end.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return timeline.works[a].end < timeline.works[b].end; });
  add_stream_waits(trace, rank, calls, queues, timeline, diagnostics);
  return timeline;
}

}  // namespace orrery::causal
