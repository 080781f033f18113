#include "replay/torch/source/pair_source.h"

#include <algorithm>
#include <map>

#include "causal/device/device_timeline.h"
#include "causal/host/call_index.h"
#include "causal/host/host_match.h"
#include "causal/host/host_waits.h"
#include "causal/host/operator_index.h"
#include "match/communication.h"
#include "replay/torch/build/communication_hints.h"
#include "replay/torch/source/row_times.h"

// Rows and events are matched before. Device work gets the moment of its launch (the row around the call, and between
// which rows it lies); recorded synchronizations become waits, and an event that is waited for becomes a record where
// its call was. Both lists are then sorted by that place.

namespace orrery::replay::torch {
namespace {

using causal::kNoEvent;
using trace::Activity;
using trace::EventIndex;
using trace::Field;

constexpr std::int64_t kLeastProcess = 64;  // below are devices

class PairSource {
 public:
  PairSource(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace& host,
             causal::HostMatch match, Diagnostics& diagnostics)
      : trace_(trace),
        rank_(rank),
        match_(std::move(match)),
        operators_(causal::make_operator_index(trace, rank)),
        content_(trace, rank),
        calls_(rank, content_),
        queues_(trace, rank),
        timeline_(causal::make_device_timeline(trace, rank, content_, diagnostics)),
        waits_(causal::find_host_waits(trace, rank, timeline_, content_, diagnostics)) {
    source_.rank = rank.rank;
    source_.host = &host;
    source_.strings = &trace.strings;
    source_.order = order_rows(host, trace.strings);
  }

  RankSource run(const PairOptions& options) {
    const RowTimes times(rank_, match_, source_);
    for (const causal::Queue& queue : timeline_.queues) source_.streams.push_back(queue.stream);
    find_rows_aside();
    take_works(times);
    take_actions(times);
    const auto by_place = [](const HostMoment& a, const HostMoment& b) {
      return std::pair(a.before, a.begin) < std::pair(b.before, b.begin);
    };
    std::stable_sort(source_.works.begin(), source_.works.end(),
                     [&](const LaunchedWork& a, const LaunchedWork& b) { return by_place(a.launch, b.launch); });
    std::stable_sort(source_.actions.begin(), source_.actions.end(),
                     [&](const StreamAction& a, const StreamAction& b) { return by_place(a.moment, b.moment); });
    find_communication_hints(rank_, match_, options.works, options.world_size, times, source_);
    return std::move(source_);
  }

 private:
  // What worker threads of gloo call is around no row of the host trace: only times tell that they do it to
  // communicate. A thread that asks for communication is none of them, though what it asked for may be shown as going
  // on around what it does next.
  void find_rows_aside() {
    std::vector<std::uint8_t> asks(rank_.lanes.size(), 0);
    for (std::uint32_t row = 0; row < source_.host->size(); ++row) {
      const EventIndex e = match_.event_of_row[row];
      if (e != kNoEvent && match::is_call_of_communication(trace_.name(rank_, e))) asks[rank_.lane[e]] = 1;
    }
    source_.is_aside.assign(source_.host->size(), 0);
    for (std::uint32_t row = 0; row < source_.is_aside.size(); ++row) {
      EventIndex e = match_.event_of_row[row];
      if (e == kNoEvent || asks[rank_.lane[e]] != 0) continue;
      for (; e != kNoEvent && source_.is_aside[row] == 0; e = operators_.operator_of[e])
        source_.is_aside[row] = match::is_host_communication(trace_.name(rank_, e));
    }
  }

  // The innermost operator around an event that the host trace has too.
  [[nodiscard]] std::uint32_t row_of(EventIndex event) const {
    for (EventIndex e = operators_.operator_of[event]; e != kNoEvent; e = operators_.operator_of[e]) {
      if (match_.row_of_event[e] != causal::kNoRow) return match_.row_of_event[e];
    }
    return causal::kNoRow;
  }

  [[nodiscard]] HostMoment moment_of(EventIndex call, const RowTimes& times) const {
    return {row_of(call), times.visit_after(rank_.lane[call], rank_.start[call]), times.thread_of(rank_.lane[call]),
            rank_.start[call], rank_.end(call)};
  }

  void take_works(const RowTimes& times) {
    // By when they were launched, so that streams get their work in the order in which the host gave it.
    std::vector<std::uint32_t> by_launch(timeline_.works.size());
    for (std::uint32_t w = 0; w < by_launch.size(); ++w) by_launch[w] = w;
    std::stable_sort(by_launch.begin(), by_launch.end(), [&](std::uint32_t a, std::uint32_t b) {
      return causal::attributed_at(timeline_.works[a]) < causal::attributed_at(timeline_.works[b]);
    });
    for (const std::uint32_t w : by_launch) {
      const causal::DeviceWork& work = timeline_.works[w];
      LaunchedWork& launched = source_.works.emplace_back();
      if (work.call != kNoEvent) {
        launched.launch = moment_of(work.call, times);
        launched.call = work.call;
      } else {
        // Its launch was not recorded: no later than it started, by a thread that is not known.
        const trace::LaneIndex lane = rank_.lane[work.event];
        launched.launch = {row_of(work.event), times.visit_after(lane, work.start), times.thread_of(lane), work.start,
                           work.start};
      }
      launched.launch.row = row_of(work.event);
      launched.event = work.event;
      launched.stream = work.queue;
      launched.name = rank_.name[work.event];
      launched.duration = work.end - work.start;
      const Activity activity = rank_.activity(work.event);
      launched.kind = activity == Activity::kernel       ? causal::EdgeKind::kernel
                      : activity == Activity::memory_set ? causal::EdgeKind::memory_set
                                                         : causal::EdgeKind::memory_copy;
    }
  }

  void take_actions(const RowTimes& times) {
    bool any_recorded = false;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) != Activity::synchronization) continue;
      any_recorded = true;
      take_recorded(e, times);
    }
    // Without recorded waits their names tell which calls wait, though not for which stream.
    for (EventIndex e = 0; e < rank_.event_count() && !any_recorded; ++e) {
      if (rank_.activity(e) == Activity::runtime_call && is_synchronization(trace_.name(rank_, e)))
        source_.actions.push_back({StreamAction::Kind::sync, moment_of(e, times), 0, 0});
    }
    // What comes after the last row is the profiler's.
    std::erase_if(source_.actions, [&](const StreamAction& action) { return action.moment.begin > times.last_end(); });
  }

  static bool is_synchronization(std::string_view call) {
    return call.ends_with("DeviceSynchronize") || call.ends_with("StreamSynchronize") ||
           call.ends_with("EventSynchronize") || call.ends_with("CtxSynchronize");
  }

  void take_recorded(EventIndex e, const RowTimes& times) {
    using Kind = StreamAction::Kind;
    const auto correlation = rank_.field(Field::correlation).find(e);
    const EventIndex call = correlation ? calls_.find(*correlation) : kNoEvent;
    if (call == kNoEvent) return;
    const std::string_view kind = trace_.name(rank_, e), name = trace_.name(rank_, call);
    const HostMoment moment = moment_of(call, times);
    const causal::Queue queue = queues_.of(e);
    const std::uint32_t stream = causal::find_queue(timeline_, queue);
    // Names are those that Kineto gives: "Context Sync", "Stream Sync", "Stream Wait Event", "Event Sync".
    if (kind.find("Context") != std::string_view::npos) {
      source_.actions.push_back({Kind::sync, moment, 0, 0});
    } else if (kind.find("Stream Sync") != std::string_view::npos) {
      if (stream != causal::kNoWork) source_.actions.push_back({Kind::sync_stream, moment, stream, 0});
    } else if (kind.find("Wait") != std::string_view::npos) {
      const auto event = recorded_event(e, queue.device, times);
      if (!event) ++source_.unknown_waits;
      else if (stream != causal::kNoWork) source_.actions.push_back({Kind::wait, moment, stream, *event});
    } else if (is_synchronization(name)) {  // others only ask whether an event has come
      const auto event = recorded_event(e, queue.device, times);
      if (event) source_.actions.push_back({Kind::sync_event, moment, 0, *event});
      else if (const auto waited = waited_stream(call))
        source_.actions.push_back({Kind::sync_stream, moment, *waited, 0});
    }
  }

  // The stream whose work a call really waited for; nothing if all was over when it was entered.
  [[nodiscard]] std::optional<std::uint32_t> waited_stream(EventIndex call) const {
    const auto first =
        std::find_if(waits_.begin(), waits_.end(), [&](const causal::HostWait& wait) { return wait.call == call; });
    std::optional<std::uint32_t> stream;
    TimePs latest = rank_.start[call];
    for (auto wait = first; wait != waits_.end() && wait->call == call; ++wait) {
      const causal::DeviceWork& work = timeline_.works[wait->work];
      if (work.end > latest) latest = work.end, stream = work.queue;
    }
    return stream;
  }

  // The event that a wait waits for, recorded where its call did that. Nothing if the recording does not say which.
  std::optional<std::uint32_t> recorded_event(EventIndex wait, std::int64_t device, const RowTimes& times) {
    const auto record = rank_.field(Field::wait_on_record).find(wait);
    const auto on_stream = rank_.field(Field::wait_on_stream).find(wait);
    if (!record || !on_stream || *record < 0) return std::nullopt;
    // One recorded event may be waited for by several.
    if (const auto known = events_.find(*record); known != events_.end()) return known->second;
    const EventIndex call = calls_.find(*record);
    const std::uint32_t stream = causal::find_queue(timeline_, {device, *on_stream});
    if (call == kNoEvent || stream == causal::kNoWork) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(events_.size());
    events_[*record] = number;
    source_.actions.push_back({StreamAction::Kind::record, moment_of(call, times), stream, number});
    return number;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  causal::HostMatch match_;
  causal::OperatorIndex operators_;
  trace::ContentOrder content_;
  causal::CallIndex calls_;
  causal::QueueIndex queues_;
  causal::DeviceTimeline timeline_;
  std::vector<causal::HostWait> waits_;
  std::map<std::int64_t, std::uint32_t> events_;  // by the correlation of the call that records them
  RankSource source_;
};

// Ranks of one job do the same: nothing but the number of the process tells a host trace of another rank.
Status check_same_process(const trace::RankTrace& rank, const trace::HostTrace& host) {
  if (host.pid == trace::kNoNumber) return {};
  bool any = false;
  for (const trace::Lane& lane : rank.lanes) {
    if (lane.process.text == 0 && lane.process.number == host.pid) return {};
    // Devices are numbered as processes, too.
    any |= lane.process.text == 0 && lane.process.number >= kLeastProcess;
  }
  if (!any) return {};
  return Error{"the profiler trace beside this host trace is of another process: " + rank.source.path, host.path,
               Error::kNoOffset, "the two have to be recorded by one rank in one run"};
}

}  // namespace

Result<RankSource> source_of_pair(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace& host,
                                  const PairOptions& options, Diagnostics& diagnostics) {
  if (const Status same = check_same_process(rank, host); !same) return same.error();
  causal::HostMatch match = causal::match_host(rank, host, trace.strings);
  if (const Status same = causal::check_same_run(match.coverage, rank, host, options.least_coverage_percent); !same)
    return same.error();
  return PairSource(trace, rank, host, std::move(match), diagnostics).run(options);
}

}  // namespace orrery::replay::torch
