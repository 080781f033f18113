// What must hold of every breakdown and table: parts are sums, and neither the time of day, the order of events nor a
// cut changes them.
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "analyze/check/trace_info.h"
#include "analyze/device/breakdown_sheets.h"
#include "analyze/device/kernels.h"
#include "analyze/device/launches.h"
#include "analyze/small_devices.h"
#include "report/sheet_csv.h"
#include "support/simulated_job.h"

namespace orrery::analyze::testing {

using causal::testing::SmallTrace;
using orrery::testing::all_actions;
using orrery::testing::programs;
using orrery::testing::simulate;

namespace {

/// Every table of all four verbs, as text: what must not change with the order of events or the time of day.
std::string everything(const trace::Trace& trace) {
  const std::vector<DeviceRank> ranks = look(trace);
  const KernelRequest request{.top = 3, .order = KernelOrder::time, .with_memory = true};
  const std::vector<RankBreakdown> times = break_down(ranks);
  const std::vector<RankKernels> kernels = sum_kernels(ranks, request);
  const std::vector<RankLaunches> launches = measure_launches(ranks, {});
  const std::vector<RankQueues> queues = measure_queues(ranks, 2, true);
  std::string text;
  for (const report::Sheet& sheet : {parts_sheet(sum_of(times)),
                                     temporal_sheet(times),
                                     idle_sheet(times),
                                     idle_intervals_sheet(times),
                                     stream_idle_sheet(times),
                                     host_waits_sheet(times, 2),
                                     overlap_sheet(times),
                                     device_annotations_sheet(times, 2),
                                     host_annotations_sheet(times, 2),
                                     types_sheet(kernels),
                                     type_totals_sheet(kernels),
                                     kernels_sheet(kernels),
                                     kernels_over_ranks_sheet(trace.strings, sum_over_ranks(ranks, request)),
                                     by_annotation_sheet(kernels),
                                     launches_sheet(launches),
                                     launch_counts_sheet(launches),
                                     launch_calls_sheet(launches),
                                     queue_sheet(queues),
                                     full_queue_sheet(queues),
                                     operators_sheet(measure_operators(ranks), true),
                                     nested_operators_sheet(nest_operators(ranks, true)),
                                     sequences_sheet(trace.strings, kernel_sequences(ranks, "aten::*", 1), true)})
    text += report::to_csv(sheet);
  return text;
}

std::string shifted(std::string_view lines, std::int64_t by) {
  std::istringstream in{std::string(lines)};
  std::string out, line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string lane, rest;
    std::int64_t start = 0;
    if (!(words >> lane >> start)) continue;
    std::getline(words, rest);
    out += lane + " " + std::to_string(start + by) + rest + "\n";
  }
  return out;
}

std::string shuffled(std::string_view lines, unsigned seed) {
  std::istringstream in{std::string(lines)};
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  std::mt19937 random(seed);
  std::shuffle(all.begin(), all.end(), random);
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

const trace::Trace& shipped(const std::string& name) {
  static std::map<std::string, trace::Trace> traces;
  if (traces.count(name) == 0) {
    Diagnostics diagnostics;
    auto job = kineto::read_job({ORRERY_SOURCE_DIR "/data/" + name}, diagnostics);
    REQUIRE(job.ok());
    traces.emplace(name, std::move(*job));
  }
  return traces.at(name);
}

}  // namespace

TEST_CASE("answers do not depend on the time of day or the order of events") {
  const std::string expected = everything(SmallTrace(kMixed).trace());
  CHECK(everything(SmallTrace(shifted(kMixed, 123456789)).trace()) == expected);
  for (unsigned seed = 1; seed <= 8; ++seed) CHECK(everything(SmallTrace(shuffled(kMixed, seed)).trace()) == expected);
}

TEST_CASE("a rank cut in two by time gives the same sums") {
  // Cut at 58: what starts later is in the second file.
  const SmallDevices whole(kMixed);
  std::istringstream in{std::string(kMixed)};
  std::string early, late, line, lane;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    double start = 0;
    if (words >> lane >> start) (start < 58 ? early : late) += line + "\n";
  }
  const SmallDevices first(early), second(late);
  for (std::size_t t = 0; t < kWorkTypes; ++t) {
    CHECK(first.kernels().works[t] + second.kernels().works[t] == whole.kernels().works[t]);
    CHECK(first.kernels().time[t] + second.kernels().time[t] == whole.kernels().time[t]);
  }
}

TEST_CASE("random jobs: sums hold, and every answer is the same for shifted times and shuffled events") {
  CHECK(rc::check([] {
    const auto job = simulate(*programs(3, 2, 3, all_actions()));
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    const std::vector<DeviceRank> ranks = look(small.trace());
    const std::vector<RankBreakdown> breakdown = break_down(ranks);
    for (const DeviceTime& time : breakdown.front().times) {
      RC_ASSERT(time.busy_time() + time.idle_time() == time.window);
      RC_ASSERT(time.idle.total() == time.idle_time());
      RC_ASSERT(time.leading + time.work_span + time.trailing == time.window);
      TimePs host = 0;
      for (const HostWaitCause& cause : time.host_waits) host += cause.time;
      RC_ASSERT(host == time.idle.time[static_cast<std::size_t>(IdleReason::host_wait)]);
    }
    TimePs launched = 0, all = 0;
    const RankKernels kernels = sum_kernels(ranks, {}).front();
    for (const AnnotationKernels& sum : kernels.by_annotation) launched += sum.time;
    for (const TimePs time : kernels.time) all += time;
    RC_ASSERT(launched == all);
    RC_ASSERT(everything(small.trace()) == everything(SmallTrace(shuffled(job.lines, 1)).trace()));
  }));
}

TEST_CASE("random jobs: a file cut in two by time, and two ranks in one job, give the same sums") {
  CHECK(rc::check([] {
    const auto job = simulate(*programs(3, 2, 3, all_actions()));
    RC_PRE(job.span > 0);
    const auto sums = [](const std::vector<DeviceRank>& ranks, std::map<std::string, TimePs>& into) {
      for (const KernelSum& sum : sum_over_ranks(ranks, {.top = 0, .order = KernelOrder::time, .with_memory = true})) {
        const std::string name = std::string(ranks.front().trace->strings.text(sum.name)) + " " + identifier(sum.type);
        into[name] += sum.calls.sum;
        into[name + " calls"] += static_cast<TimePs>(sum.calls.count);
      }
    };
    const SmallTrace whole(job.lines);
    std::map<std::string, TimePs> expected;
    const std::vector<DeviceRank> looked = look(whole.trace());
    sums(looked, expected);

    // Events may be cut away from what they belong to: a launch is in one file, its work in the other.
    const double cut = *rc::gen::inRange<int>(0, 1000) / 1000.0;
    std::vector<double> starts;
    const auto start_of = [](const std::string& line) {
      std::istringstream words(line);
      std::string lane;
      double start = 0;
      words >> lane >> start;
      return start;
    };
    std::istringstream in(job.lines);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      lines.push_back(line);
      starts.push_back(start_of(line));
    }
    std::sort(starts.begin(), starts.end());
    const double at = starts[static_cast<std::size_t>(cut * static_cast<double>(starts.size() - 1))];
    std::string parts[2];
    for (const std::string& line : lines) parts[start_of(line) < at ? 0 : 1] += line + "\n";
    std::map<std::string, TimePs> of_parts;
    for (const std::string& part : parts) {
      if (part.empty()) continue;
      const SmallTrace small(part);
      Diagnostics diagnostics;
      // A part of host threads' idle ends only may hold no work at all.
      const auto ranks = look_at_devices(small.trace(), causal::testing::whole(), false, diagnostics);
      if (ranks.ok()) sums(*ranks, of_parts);
    }
    RC_ASSERT(of_parts == expected);

    orrery::testing::TempDir dir;
    Diagnostics diagnostics;
    const std::string file = orrery::testing::kineto_json(job.lines);
    const trace::Trace both = orrery::testing::read_ranks(dir, {file, file}, diagnostics);
    const std::vector<RankBreakdown> one = break_down(looked);
    const std::vector<DeviceRank> two_ranks = look(both);
    const DeviceTime single = sum_of(one), twice = sum_of(break_down(two_ranks));
    RC_ASSERT(twice.window == 2 * single.window);
    for (std::size_t set = 0; set < kTypeSets; ++set) RC_ASSERT(twice.busy[set] == 2 * single.busy[set]);
    for (std::size_t r = 0; r < kIdleReasons; ++r) RC_ASSERT(twice.idle.time[r] == 2 * single.idle.time[r]);
  }));
}

TEST_CASE("negative and huge durations stay sums") {
  const SmallDevices small(R"trace(
    gpu0/7  0    -5             kernel  backwards
    gpu0/7  10   1900000000000  kernel  huge
    gpu0/9  10   1900000000000  kernel  huge
    gpu0/8  10   1900000000000  kernel  huge
    gpu0/6  10   1900000000000  kernel  huge
    gpu0/5  10   1900000000000  kernel  huge
    gpu0/4  10   1900000000000  kernel  huge
    gpu0/4  1900000000010  -1   kernel  backwards
  )trace");
  check_sums(small.breakdown);
  CHECK(small.kernels().works[0] == 8);
  CHECK(small.kernels().time[0] > 0);
}

TEST_CASE("real traces: the sums hold and agree with path and info") {
  for (const std::string name : {"gpt_small.kineto.json.gz", "ddp4.rank0.kineto.json.gz"}) {
    CAPTURE(name);
    const trace::Trace& trace = shipped(name);
    for (const causal::WindowRequest& request : {causal::testing::whole(), causal::WindowRequest{}}) {
      const std::vector<DeviceRank> ranks = look(trace, request);
      check_sums(break_down(ranks));
      Diagnostics diagnostics;
      const auto step = causal::make_rank_graph(trace, trace.ranks.front(), request, diagnostics);
      REQUIRE(step.ok());
      CHECK(step->window.span() == ranks.front().window.span());
      std::map<causal::EdgeKind, TimePs> of_path;
      for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
        // Collectives that the host does (gloo) are communication on a path, too, but no device works for them.
        const std::uint32_t tag = step->graph.edge_tag(slot);
        if (!causal::is_device(step->kind(slot)) ||
            !is_device_work(trace.ranks.front().activity(step->owner_events[tag])))
          continue;
        of_path[step->kind(slot)] += step->graph.weight(slot);
      }
      const RankKernels kernels = sum_kernels(ranks, {}).front();
      constexpr causal::EdgeKind kKinds[] = {causal::EdgeKind::kernel, causal::EdgeKind::communication,
                                             causal::EdgeKind::memory_copy, causal::EdgeKind::memory_set};
      for (std::size_t t = 0; t < kWorkTypes; ++t) {
        CHECK(kernels.time[t] == of_path[kKinds[t]]);
      }
    }
    const RankKernels kernels = sum_kernels(look(trace), {}).front();
    std::uint64_t works = 0;
    TimePs of_info = 0, of_kernels = 0;
    for (const CategoryCount& category : describe(trace, trace.ranks.front()).categories) {
      if (!is_device_work(category.activity)) continue;
      works += category.events;
      of_info += category.time;
    }
    for (std::size_t t = 0; t < kWorkTypes; ++t) works -= kernels.works[t], of_kernels += kernels.time[t];
    CHECK(works == 0);
    CHECK(of_kernels == of_info);
  }
}

}  // namespace orrery::analyze::testing
