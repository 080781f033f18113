#include "simulate/trace_rank/rank_tracer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "trace/host_trace.h"
#include "workload/delays.h"

// Activities become the events that a profiler of a real run would have recorded, with the correlations by which
// readers find launches, event records and waits again. What the host did is made up where the program has none: one
// launch per piece of work, an event per cause on another lane, and a last call that waits for all.

namespace orrery::simulate {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

// Names of larger groups would fill the file.
constexpr std::size_t kMostRanksNamed = 64;

// As PyTorch's distributed package calls them.
std::string_view profiler_name(workload::Collective collective) {
  switch (collective) {
    case workload::Collective::all_reduce: return "allreduce";
    case workload::Collective::reduce: return "reduce";
    case workload::Collective::all_gather: return "allgather";
    case workload::Collective::gather: return "gather";
    case workload::Collective::scatter: return "scatter";
    case workload::Collective::broadcast: return "broadcast";
    case workload::Collective::all_to_all: return "all_to_all";
    case workload::Collective::reduce_scatter: return "reduce_scatter";
    case workload::Collective::barrier: return "barrier";
  }
  return "";
}

}  // namespace

RankTracer::RankTracer(const TracedSchedule& traced, std::uint32_t rank, Interner& strings)
    : traced_(traced),
      workload_(traced.workload()),
      plan_(traced.plan()),
      schedule_(traced.schedule()),
      rank_(rank),
      program_(workload_.program(rank)),
      program_plan_(plan_.of_rank(rank)),
      first_(plan_.first_activity[rank]),
      strings_(strings),
      is_delay_(workload::find_delays(program_, workload_.strings)),
      lanes_(assign_lanes(workload_, program_, program_plan_, schedule_, first_, is_delay_)),
      sources_(program_, lanes_, is_delay_),
      // Launches have the odd numbers up to here and records the even ones; all other correlations count on from this.
      next_correlation_(2 * static_cast<std::int64_t>(program_.size()) + 1) {
  for (std::uint32_t i = 0; i < program_.size(); ++i) finish_ = std::max(finish_, end_of(i));
}

TracedRank RankTracer::trace(TraceDetail detail) {
  describe_rank();
  if (detail == TraceDetail::timeline) {
    for (const std::uint32_t i : lanes_.order) {
      if (sources_.is_delay(i)) continue;
      add_activity(i, false);
      add_flow(i);
    }
    return std::move(out_);
  }
  std::vector<std::uint8_t> is_call(program_.size(), 0);
  for (std::uint32_t i = 0; i < program_.size(); ++i)
    is_call[i] = lanes_.on_host(i) && is_launch_call(workload_.strings.text(program_.names[i]));
  launches_ = place_launches(schedule_, first_, lanes_, sources_, is_call);
  find_records();
  add_step();
  for (const std::uint32_t i : lanes_.order) {
    if (sources_.is_delay(i)) continue;
    if (!lanes_.on_host(i)) {
      add_waits(i);
      add_launch(i);
    }
    add_activity(i, true);
  }
  add_host_waits();
  return std::move(out_);
}

void RankTracer::describe_rank() {
  trace::RankTrace& rank = out_.trace;
  rank.rank = rank_;
  rank.epoch_unix_ns = kPsPerSecond / kPsPerNs;
  rank.source.format = "simulated";
  rank.source.rank = rank_;
  rank.source.world_size = static_cast<std::int64_t>(workload_.rank_count());
  rank.source.backend = "orrery";
  rank.source.schema_version = 1;
  for (const auto& [text, activity] :
       {std::pair("kernel", Activity::kernel), std::pair("gpu_memcpy", Activity::memory_copy),
        std::pair("cpu_op", Activity::cpu_operator), std::pair("cuda_runtime", Activity::runtime_call),
        std::pair("cuda_sync", Activity::synchronization), std::pair("user_annotation", Activity::annotation),
        std::pair("message", Activity::other), std::pair("gpu_memset", Activity::memory_set)})
    rank.categories.push_back({strings_.intern(text), activity});
  const StringId process_name = strings_.intern(fmt::format("rank {}", rank_));
  for (std::uint32_t lane = 0; lane < lanes_.names.size(); ++lane)
    rank.lanes.push_back({{rank_, 0}, {stream_of(lane), 0}, process_name, strings_.intern(lanes_.names[lane])});
}

EventIndex RankTracer::add_event(std::string_view name, CategoryNumber category, std::uint32_t lane, Timing timing,
                                 std::uint32_t activity) {
  trace::RankTrace& rank = out_.trace;
  const EventIndex event = rank.append_event({.start = timing.start,
                                              .duration = timing.duration,
                                              .name = strings_.intern(name),
                                              .lane = lane,
                                              .category = category},
                                             {.ordinal = static_cast<std::uint32_t>(rank.event_count())});
  rank.source.entries = event + 1;
  out_.activity_of_event.push_back(activity);
  return event;
}

void RankTracer::set(EventIndex event, Field field, std::int64_t value) { out_.trace.field(field).push(event, value); }

std::string RankTracer::name_of(std::uint32_t activity) const {
  if (program_.names[activity] != 0) return std::string(workload_.strings.text(program_.names[activity]));
  switch (program_plan_.activities[activity].resource) {
    case Resource::collective: return std::string(to_string(program_.collectives[activity]));
    case Resource::send: return fmt::format("send to {}", workload_.peer_rank(rank_, activity));
    case Resource::recv: return fmt::format("recv from {}", workload_.peer_rank(rank_, activity));
    default: return std::string(to_string(program_.kinds[activity]));
  }
}

void RankTracer::add_activity(std::uint32_t activity, bool with_launch) {
  const Resource resource = program_plan_.activities[activity].resource;
  const std::uint32_t lane = lanes_.lane_of[activity];
  const std::string name = name_of(activity);
  // To a program a fill is a store like any other; by its name it is known for what it is ("Memset (Device)").
  const CategoryNumber memory = name.starts_with("Memset") ? kFill : kCopy;
  const bool is_call = with_launch && resource == Resource::host && launches_.call[activity] != kNone;
  const CategoryNumber host = is_call ? kRuntime : kOperator;
  const CategoryNumber category = resource == Resource::host ? host : resource == Resource::memory ? memory : kKernel;
  const EventIndex event =
      add_event(name, category, lane, {start_of(activity), end_of(activity) - start_of(activity)}, activity);
  if (is_call) set(event, Field::correlation, launch_correlation(activity));
  if (resource != Resource::host) {
    if (with_launch)
      set(event, Field::correlation,
          launch_correlation(launches_.call[activity] == kNone ? activity : launches_.call[activity]));
    set(event, Field::stream, stream_of(lane));
    set(event, Field::device, rank_);
  }
  if (program_.has(activity, workload::activity::kHasBytes)) set(event, Field::bytes, program_.bytes[activity]);
  if (program_.has(activity, workload::activity::kHasOperations))
    out_.trace.arguments.named("operations", trace::ValueType::integer).push(event, program_.operations[activity]);
  if (is_communication(resource)) add_communication_arguments(event, activity);
}

void RankTracer::add_communication_arguments(EventIndex event, std::uint32_t activity) {
  const Resource resource = program_plan_.activities[activity].resource;
  const std::int64_t bytes = program_.bytes[activity];
  set_text(event, Field::dtype_text, "Byte");
  if (resource != Resource::collective) {
    set_text(event, Field::collective_text, resource == Resource::send ? "send" : "recv");
    set(event, resource == Resource::send ? Field::in_elements : Field::out_elements, bytes);
    return;
  }
  const Communicator& communicator = plan_.matching.communicator(rank_, activity);
  const auto size = static_cast<std::int64_t>(communicator.ranks.size());
  const workload::Collective collective = program_.collectives[activity];
  const bool scatters =
      collective == workload::Collective::reduce_scatter || collective == workload::Collective::scatter;
  set_text(event, Field::collective_text, profiler_name(collective));
  set(event, Field::in_elements, bytes);
  set(event, Field::out_elements,
      scatters ? bytes / size : workload::whole_bytes(collective, bytes, communicator.ranks.size()));
  set(event, Field::group_size, size);
  set(event, Field::collective_sequence, program_plan_.activities[activity].place);
  set_text(event, Field::group_name_text, communicator.name == 0 ? "world" : workload_.strings.text(communicator.name));
  if (communicator.ranks.size() <= kMostRanksNamed)
    set_text(event, Field::group_ranks_text, fmt::format("[{}]", fmt::join(communicator.ranks, ", ")));
}

// An arrow from where the send starts to just before the recv ends: viewers look for the event around it.
void RankTracer::add_flow(std::uint32_t activity) {
  const std::optional<Message> message = traced_.message_of(rank_, activity);
  if (!message) return;
  const bool is_send = program_plan_.activities[activity].resource == Resource::send;
  trace::Flows& flows = out_.trace.flows;
  flows.id.push_back(static_cast<std::int64_t>(plan_.matching.message_number(message->source, message->send)));
  flows.time.push_back(is_send ? start_of(activity) : std::max(start_of(activity), end_of(activity) - kPsPerNs));
  flows.lane.push_back(lanes_.lane_of[activity]);
  flows.category.push_back(kMessage);
  flows.phase.push_back(is_send ? 's' : 'f');
}

// --- what the host did ---

// The activities that others wait for by name: those on other lanes, and the host.
void RankTracer::find_records() {
  place_.resize(program_.size());
  before_on_lane_.assign(program_.size(), kNone);
  std::vector<std::uint32_t> last(lanes_.names.size(), kNone);
  for (std::uint32_t place = 0; place < lanes_.order.size(); ++place) {
    const std::uint32_t i = lanes_.order[place];
    place_[i] = place;
    if (sources_.is_delay(i)) continue;
    before_on_lane_[i] = std::exchange(last[lanes_.lane_of[i]], i);
  }
  is_recorded_.assign(program_.size(), false);
  host_waits_for_.assign(program_.size(), kNone);
  for (std::uint32_t i = 0; i < program_.size(); ++i) {
    if (sources_.is_delay(i)) continue;
    if (lanes_.lane_of[i] == 0) {
      host_waits_for_[i] = released_by(i);
      if (host_waits_for_[i] != kNone) is_recorded_[host_waits_for_[i]] = true;
      continue;
    }
    sources_.for_each(i, [&](std::uint32_t source) {
      if (!lanes_.on_host(source) && lanes_.lane_of[source] != lanes_.lane_of[i]) is_recorded_[source] = true;
    });
  }
}

// The device work whose end let a host compute start, or kNone. Work that takes no time is passed over for what ended
// just before it: a call that waits is known to have been held only by work that has an extent. A delay that led here
// (the return of a call that waited) is seen through.
std::uint32_t RankTracer::released_by(std::uint32_t activity) const {
  TimePs moment = start_of(activity);
  const auto ends_now = [&](std::uint32_t i) {
    return i != kNone && (sources_.is_delay(i) || !lanes_.on_host(i)) && end_of(i) == moment;
  };
  for (std::uint32_t i = activity;;) {
    std::uint32_t cause = kNone;
    for (const graph::Slot slot : program_.dependencies.incoming(i)) {
      const std::uint32_t source = program_.dependencies.source(slot);
      if (ends_now(source) && (cause == kNone || start_of(source) < start_of(cause))) cause = source;
    }
    const bool is_first = i == activity;
    if (cause == kNone && !is_first && !sources_.is_delay(i) && ends_now(before_on_lane_[i]))
      cause = before_on_lane_[i];
    if (cause == kNone) return kNone;
    if (sources_.is_delay(cause)) moment = start_of(cause);
    else if (start_of(cause) < moment) return cause;
    i = cause;
  }
}

// One wait per lane that is waited for: what was launched there earlier has ended by then.
void RankTracer::add_waits(std::uint32_t activity) {
  std::vector<std::uint32_t> latest;
  sources_.for_each(activity, [&](std::uint32_t source) {
    if (lanes_.on_host(source) || lanes_.lane_of[source] == lanes_.lane_of[activity]) return;
    const auto same_lane = std::find_if(latest.begin(), latest.end(), [&](std::uint32_t other) {
      return lanes_.lane_of[other] == lanes_.lane_of[source];
    });
    if (same_lane == latest.end()) latest.push_back(source);
    else if (place_[source] > place_[*same_lane]) *same_lane = source;
  });
  // What ended last comes first: among waits that explain a start equally well, analyses take the first.
  std::sort(latest.begin(), latest.end(), [&](std::uint32_t a, std::uint32_t b) {
    return end_of(a) != end_of(b) ? end_of(a) > end_of(b) : place_[a] > place_[b];
  });
  // A picosecond before the launch and one after it: the order is all that counts.
  const Timing timing{launches_.time[activity] - 1, 0};
  for (const std::uint32_t source : latest) {
    const std::int64_t correlation = next_correlation();
    set(add_event("cudaStreamWaitEvent", kRuntime, launches_.lane[activity], timing, kNone), Field::correlation,
        correlation);
    const std::uint32_t lane = lanes_.lane_of[activity];
    const EventIndex wait = add_event("Stream Wait Event", kSync, lane, timing, kNone);
    set(wait, Field::correlation, correlation);
    set(wait, Field::stream, stream_of(lane));
    set(wait, Field::device, rank_);
    set(wait, Field::wait_on_stream, stream_of(lanes_.lane_of[source]));
    set(wait, Field::wait_on_record, record_correlation(source));
  }
}

void RankTracer::add_launch(std::uint32_t activity) {
  const char* const call =
      program_plan_.activities[activity].resource == Resource::memory ? "cudaMemcpyAsync" : "cudaLaunchKernel";
  const TimePs time = launches_.time[activity];
  // Made up, so that analyses can tell what came after what, where the program has no call of the host.
  if (launches_.call[activity] == kNone)
    set(add_event(call, kRuntime, launches_.lane[activity], {time, trace::kMadeUpCallPs}, kNone), Field::correlation,
        launch_correlation(activity));
  if (!is_recorded_[activity]) return;
  set(add_event("cudaEventRecord", kRuntime, launches_.lane[activity], {time + 1, 0}, kNone), Field::correlation,
      record_correlation(activity));
}

// The first host lane does nothing without a reason: before a compute that comes after device work it waits for that,
// and in the end for all.
void RankTracer::add_host_waits() {
  TimePs free_at = 0;
  for (const std::uint32_t i : lanes_.order) {
    if (sources_.is_delay(i) || lanes_.lane_of[i] != 0) continue;
    const TimePs start = start_of(i);
    if (host_waits_for_[i] != kNone && start > free_at)
      add_sync_call("cudaEventSynchronize", "Event Sync", {free_at, start - free_at}, host_waits_for_[i]);
    free_at = std::max(free_at, end_of(i));
  }
  add_sync_call("cudaDeviceSynchronize", "Context Sync", {free_at, finish_ + 1 - free_at}, kNone);
}

void RankTracer::add_sync_call(std::string_view call, std::string_view record, Timing timing,
                               std::uint32_t waited_for) {
  const std::int64_t correlation = next_correlation();
  set(add_event(call, kRuntime, 0, timing, kNone), Field::correlation, correlation);
  const EventIndex sync = add_event(record, kSync, 0, timing, kNone);
  set(sync, Field::correlation, correlation);
  set(sync, Field::device, rank_);
  if (waited_for == kNone) return;
  set(sync, Field::wait_on_stream, stream_of(lanes_.lane_of[waited_for]));
  set(sync, Field::wait_on_record, record_correlation(waited_for));
}

void RankTracer::add_step() {
  add_event("ProfilerStep#0", kAnnotation, 0, {launches_.begin, finish_ + 1 - launches_.begin}, kNone);
}

}  // namespace orrery::simulate
