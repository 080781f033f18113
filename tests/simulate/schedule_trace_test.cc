#include "simulate/schedule_trace.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "simulate/engine/engine.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

using trace::EventIndex;
using trace::Field;

/// A run and the trace of one of its ranks.
struct Traced {
  workload::Workload job;
  Schedule schedule;
  Interner strings;
  ScheduleTracer::Rank rank;

  Traced(workload::Workload workload, std::uint32_t number, TraceDetail detail, EngineOptions options = {})
      : job(std::move(workload)) {
    FixedNetwork network(100, 1);
    Result<Schedule> executed = execute(job, network, options);
    if (!executed) throw std::runtime_error(executed.error().message);
    schedule = std::move(*executed);
    rank = ScheduleTracer::make(job, schedule)->trace_rank(number, detail, strings);
  }

  [[nodiscard]] std::vector<std::string> lane_names() const {
    std::vector<std::string> names;
    for (const trace::Lane& lane : rank.trace.lanes) names.emplace_back(strings.text(lane.thread_name));
    return names;
  }
  [[nodiscard]] EventIndex event_of(std::uint32_t activity) const {
    const auto at = std::find(rank.activity_of_event.begin(), rank.activity_of_event.end(), activity);
    return static_cast<EventIndex>(at - rank.activity_of_event.begin());
  }
  [[nodiscard]] std::string lane_of(std::uint32_t activity) const {
    return lane_names()[rank.trace.lane[event_of(activity)]];
  }
  [[nodiscard]] std::int64_t value(std::uint32_t activity, Field field) const {
    return rank.trace.field(field).find(event_of(activity)).value_or(-1);
  }
  [[nodiscard]] std::string text(std::uint32_t activity, Field field) const {
    return std::string(strings.text(static_cast<StringId>(value(activity, field))));
  }
  [[nodiscard]] std::size_t count(std::string_view name) const {
    const StringId id = strings.find(name);
    return static_cast<std::size_t>(std::count(rank.trace.name.begin(), rank.trace.name.end(), id));
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("lanes: host, compute, memory, communicators, messages, control") {
  std::vector<Node> nodes = {compute(5), on_host(5), all_reduce(8), all_reduce(8, {}, "pair"),
                             send(1, 9), recv(1, 9), nothing({4})};
  nodes.push_back({.kind = ActivityKind::memory_load, .duration = 3});
  std::vector<Node> other = {all_reduce(8), all_reduce(8, {}, "pair"), recv(0, 9), send(0, 9)};
  EngineOptions rendezvous;
  rendezvous.eager_limit_bytes = -1;  // so that the messages overlap
  const Traced traced(make_job({nodes, other}, {{"pair", {0, 1}}}), 0, TraceDetail::timeline, rendezvous);
  CHECK(traced.lane_names() ==
        Names{"host", "compute", "memory", "comm world", "comm pair", "messages", "messages 2", "control"});
  CHECK(traced.lane_of(0) == "compute");
  CHECK(traced.lane_of(1) == "host");
  CHECK(traced.lane_of(2) == "comm world");
  CHECK(traced.lane_of(3) == "comm pair");
  CHECK(traced.lane_of(6) == "control");
  CHECK(traced.lane_of(7) == "memory");
  CHECK(traced.rank.trace.event_count() == nodes.size());
  CHECK(traced.strings.text(traced.rank.trace.lanes[0].process_name) == "rank 0");
}

TEST_CASE("delays are no events: what comes after them comes after what they follow") {
  for (const TraceDetail detail : {TraceDetail::timeline, TraceDetail::causes}) {
    // host 0 to 5, [launch delay] to 8, kernel to 18, [return from sync] to 20, host to 21
    workload::Workload job =
        make_job({{on_host(5), compute(3, {0}), compute(10, {1}), on_host(2, {2}), on_host(1, {3})}});
    job.programs[0].names[1] = job.strings.intern("[launch delay]");
    job.programs[0].names[3] = job.strings.intern("[return from sync]");
    const Traced traced(std::move(job), 0, detail);
    CHECK(traced.count("[launch delay]") == 0);
    CHECK(traced.count("[return from sync]") == 0);
    CHECK(traced.lane_names() == Names{"host", "compute"});
    CHECK(traced.rank.trace.start[traced.event_of(2)] == 8);
    if (detail == TraceDetail::timeline) continue;
    // Launched at the end of the host compute, and the host waits for it until the delay is over.
    CHECK(traced.count("cudaLaunchKernel") == 1);
    CHECK(traced.count("cudaEventSynchronize") == 1);
    for (EventIndex e = 0; e < traced.rank.trace.event_count(); ++e) {
      const std::string_view name = traced.strings.text(traced.rank.trace.name[e]);
      if (name == "cudaLaunchKernel") CHECK(traced.rank.trace.start[e] == 3);
      if (name == "cudaEventSynchronize") CHECK(traced.rank.trace.end(e) == 20);
    }
  }
}

TEST_CASE("fills are told from copies by their names") {
  const Node store{.kind = ActivityKind::memory_store, .duration = 3};
  workload::Workload job = make_job({{store, store}});
  job.programs[0].names[0] = job.strings.intern("Memset (Device)");
  job.programs[0].names[1] = job.strings.intern("Memcpy DtoH (Device -> Pinned)");
  const Traced traced(std::move(job), 0, TraceDetail::causes);
  CHECK(traced.rank.trace.activity(traced.event_of(0)) == trace::Activity::memory_set);
  CHECK(traced.rank.trace.activity(traced.event_of(1)) == trace::Activity::memory_copy);
}

TEST_CASE("activities that overlap go to different lanes, one that waited for a slot to the lane of that slot") {
  EngineOptions two;
  two.compute_slots = 2;
  // 0 and 1 start together; 1 ends first, so 2 follows it; 3 follows 0.
  const Traced traced(make_job({{compute(10), compute(4), compute(20), compute(5)}}), 0, TraceDetail::timeline, two);
  CHECK(traced.lane_names() == Names{"host", "compute", "compute 2"});
  CHECK(traced.lane_of(0) == "compute");
  CHECK(traced.lane_of(1) == "compute 2");
  CHECK(traced.lane_of(2) == "compute 2");
  CHECK(traced.lane_of(3) == "compute");
}

TEST_CASE("collectives and messages say what a profiler would") {
  Node gather = all_reduce(400, {}, "pair");
  gather.collective = Collective::all_gather;
  const Traced traced(make_job({{}, {gather, send(2, 40)}, {gather, recv(1, 40)}}, {{"pair", {2, 1}}}), 1,
                      TraceDetail::timeline);
  CHECK(traced.text(0, Field::collective_text) == "allgather");
  CHECK(traced.value(0, Field::in_elements) == 400);
  CHECK(traced.value(0, Field::out_elements) == 800);
  CHECK(traced.value(0, Field::bytes) == 400);
  CHECK(traced.text(0, Field::dtype_text) == "Byte");
  CHECK(traced.value(0, Field::group_size) == 2);
  CHECK(traced.value(0, Field::collective_sequence) == 0);
  CHECK(traced.text(0, Field::group_name_text) == "pair");
  CHECK(traced.text(0, Field::group_ranks_text) == "[2, 1]");
  CHECK(traced.text(1, Field::collective_text) == "send");
  CHECK(traced.strings.text(traced.rank.trace.name[traced.event_of(1)]) == "send to 2");
  REQUIRE(traced.rank.trace.flows.size() == 1);
  CHECK(traced.rank.trace.flows.phase[0] == 's');
  CHECK(traced.rank.trace.source.world_size == 3);

  const auto tracer = ScheduleTracer::make(traced.job, traced.schedule);
  REQUIRE(tracer.ok());
  REQUIRE(tracer->collective_of(1, 0) != nullptr);
  CHECK(tracer->collective_of(1, 0)->end_ps == 900);
  CHECK(tracer->collective_of(1, 1) == nullptr);
  CHECK_FALSE(tracer->message_of(1, 0).has_value());
  REQUIRE(tracer->message_of(1, 1).has_value());
  CHECK(tracer->message_of(1, 1)->target == 2);
}

TEST_CASE("what the host did: launches before time 0, waits between lanes, one wait for all in the end") {
  const std::vector<Node> nodes = {compute(10), all_reduce(8, {0}), compute(10, {0}), compute(5, {1, 2})};
  const Traced traced(make_job({nodes, nodes}), 0, TraceDetail::causes);
  const trace::RankTrace& rank = traced.rank.trace;
  CHECK(traced.count("cudaLaunchKernel") == 4);
  CHECK(traced.count("cudaEventRecord") == 2);      // 0 and 1 are waited for by another lane
  CHECK(traced.count("cudaStreamWaitEvent") == 2);  // 1 waits for 0, 3 for 1
  CHECK(traced.count("Stream Wait Event") == 2);
  CHECK(traced.count("cudaDeviceSynchronize") == 1);
  CHECK(traced.count("ProfilerStep#0") == 1);
  CHECK(rank.start[0] == -9);  // two picoseconds for each of four, and one
  CHECK(rank.end(0) == traced.schedule.makespan_ps() + 1);
  for (EventIndex e = 1; e < rank.event_count(); ++e) {
    CHECK(rank.start[e] > rank.start[0]);
    if (traced.strings.text(rank.name[e]) == "cudaLaunchKernel") CHECK(rank.end(e) < 0);
  }
}

TEST_CASE(
    "work that comes after a host compute is launched at its end, and a host compute waits for the device before it") {
  const Traced traced(make_job({{on_host(100), compute(50, {0}), on_host(30, {1})}}), 0, TraceDetail::causes);
  const trace::RankTrace& rank = traced.rank.trace;
  CHECK(rank.start[0] == 0);
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const std::string_view name = traced.strings.text(rank.name[e]);
    if (name == "cudaLaunchKernel") CHECK(rank.start[e] == 98);
    if (name == "cudaEventSynchronize") {
      CHECK(rank.start[e] == 100);
      CHECK(rank.end(e) == 150);
    }
  }
  CHECK(traced.count("cudaEventSynchronize") == 1);
  CHECK(traced.count("Event Sync") == 1);
}

TEST_CASE("work that comes after a recorded launch call is launched by that, and no launch is made up") {
  // Two calls with a kernel each; a graph of two kernels, whose launches are made up.
  workload::Workload job = make_job({{on_host(10), compute(50, {0}), on_host(10, {0}), compute(50, {2}),
                                      on_host(10, {2}), compute(5, {4}), compute(5, {4})}});
  for (const std::uint32_t call : {0, 2}) job.programs[0].names[call] = job.strings.intern("cuLaunchKernelEx");
  job.programs[0].names[4] = job.strings.intern("cudaGraphLaunch");
  const Traced traced(std::move(job), 0, TraceDetail::causes);
  for (const std::uint32_t call : {0U, 2U}) {
    CHECK(traced.rank.trace.activity(traced.event_of(call)) == trace::Activity::runtime_call);
    CHECK(traced.value(call, Field::correlation) == traced.value(call + 1, Field::correlation));
  }
  CHECK(traced.count("cuLaunchKernelEx") == 2);
  CHECK(traced.count("cudaLaunchKernel") == 2);
  CHECK(traced.rank.trace.activity(traced.event_of(4)) == trace::Activity::cpu_operator);
}

TEST_CASE("a schedule of another workload is refused") {
  const workload::Workload job = make_job({{compute(1)}});
  CHECK_FALSE(ScheduleTracer::make(job, Schedule(2, 0)).ok());
  CHECK(ScheduleTracer::make(job, Schedule(1, 0)).ok());
}

}  // namespace orrery::simulate::testing
