// Where the time of devices goes, on small traces whose answer can be written down, and on real ones whose sums must hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "analyze/breakdown_sheets.h"
#include "analyze/copy_rates.h"
#include "analyze/kernel_counters.h"
#include "analyze/kernel_sequences.h"
#include "analyze/kernel_sheets.h"
#include "analyze/kernel_sums.h"
#include "analyze/launch_sheets.h"
#include "analyze/trace_info.h"
#include "link/step_path_text.h"
#include "report/sheet_csv.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::analyze;
using link::testing::SmallTrace;
using orrery::testing::all_actions;
using orrery::testing::programs;
using orrery::testing::simulate;

namespace {

constexpr TimePs us = kPsPerUs;

std::vector<DeviceRank> look(const trace::Trace& trace, const link::WindowRequest& request = link::testing::whole()) {
  Diagnostics diagnostics;
  auto ranks = look_at_devices(trace, request, true, diagnostics);
  REQUIRE_MESSAGE(ranks.ok(), (ranks.ok() ? "" : ranks.error().message));
  return std::move(*ranks);
}

/// A small trace and what the devices did in it.
struct SmallDevices {
  explicit SmallDevices(std::string_view lines, const link::WindowRequest& request = link::testing::whole())
      : small(lines), ranks(look(small.trace(), request)), breakdown(break_down(ranks)) {}

  [[nodiscard]] const DeviceTime& device(std::size_t d = 0) const { return breakdown.front().times.at(d); }
  [[nodiscard]] TimePs idle(IdleReason reason, std::size_t d = 0) const { return device(d).idle.time[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::string name(StringId id) const { return std::string(small.trace().strings.text(id)); }
  [[nodiscard]] RankKernels kernels(std::size_t top = 0) const {
    return sum_kernels(ranks, {.top = top, .order = KernelOrder::time, .with_memory = true}).front();
  }

  SmallTrace small;
  std::vector<DeviceRank> ranks;
  std::vector<RankBreakdown> breakdown;
};

/// Every table of all four verbs, as text: what must not change with the order of events or the time of day.
std::string everything(const trace::Trace& trace) {
  const std::vector<DeviceRank> ranks = look(trace);
  const KernelRequest request{.top = 3, .order = KernelOrder::time, .with_memory = true};
  return report::to_csv(breakdown_sheets(break_down(ranks), 2)) +
         report::to_csv(kernel_sheets(sum_kernels(ranks, request), sum_over_ranks(ranks, request))) +
         report::to_csv(launch_sheets(measure_launches(ranks, {}), measure_queues(ranks, 2, true))) +
         report::to_csv(operators_sheet(measure_operators(ranks), true)) +
         report::to_csv(nested_operators_sheet(nest_operators(ranks, true))) +
         report::to_csv(sequences_sheet(trace.strings, kernel_sequences(ranks, "aten::*", 1), true));
}

constexpr const char* kMixed = R"trace(
    1       0    200  user_annotation  ProfilerStep#1
    1       5    60   cpu_op           aten::mm
    1       10   10   cuda_runtime     cudaLaunchKernel       correlation=1
    1       30   10   cuda_runtime     cudaLaunchKernel       correlation=2
    2       40   10   cuda_driver      cuLaunchKernel         correlation=3
    1       70   20   cpu_op           aten::copy_
    1       75   10   cuda_runtime     cudaMemcpyAsync        correlation=4
    gpu0/7  20   50   kernel           gemm                   correlation=1
    gpu0/7  71   20   kernel           relu                   correlation=2
    gpu0/9  50   30   kernel           ncclDevKernel_AllReduce_Sum correlation=3
    gpu0/7  95   10   gpu_memcpy       "Memcpy HtoD (Pageable -> Device)" correlation=4 bytes=1000
    gpu1/7  60   10   kernel           gemm
)trace";

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

void check_sums(const std::vector<RankBreakdown>& ranks) {
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& time : rank.times) {
      CHECK(time.busy_time() + time.idle_time() == time.window);
      CHECK(time.computing() + time.exposed_communication() + time.exposed_memory() == time.busy_time());
      CHECK(time.idle.total() == time.idle_time());
      for (std::size_t r = 0; r < kIdleReasons; ++r) {
        TimePs pieces = 0;
        for (const TimePs piece : time.idle.pieces[r]) pieces += piece;
        CHECK(pieces == time.idle.time[r]);
      }
    }
    for (const StreamTime& stream : rank.streams) CHECK(stream.busy + stream.idle.total() == rank.devices->window.span());
  }
  const report::Sheet parts = parts_sheet(sum_of(ranks));
  double percent = 0;
  for (std::size_t row = 0; row < parts.rows(); ++row) percent += parts.number(parts.find("share"), row);
  CHECK(percent == doctest::Approx(100));
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

TEST_CASE("two streams that overlap fully count once") {
  const SmallDevices small(R"trace(
    1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
    1       10   10   cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  20   60   kernel        a                 correlation=1
    gpu0/9  20   60   kernel        b                 correlation=2
    1       20   80   cpu_op        aten::other
  )trace");
  CHECK(small.device().window == 100 * us);
  CHECK(small.device().busy_time() == 60 * us);
  CHECK(small.device().leading == 20 * us);
  CHECK(small.device().trailing == 20 * us);
  CHECK(small.kernels().time[0] == 120 * us);  // sums of calls are of calls
}

TEST_CASE("a gap is the host's until the launch call, and then what bound the start") {
  const SmallDevices small(R"trace(
    1       0    5    cuda_runtime  cudaLaunchKernel  correlation=1
    gpu0/7  10   20   kernel        a                 correlation=1
    1       50   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  60   10   kernel        b                 correlation=2
    1       61   2    cuda_runtime  cudaLaunchKernel  correlation=3
    gpu0/7  73   10   kernel        c                 correlation=3
    gpu0/7  283  10   kernel        "launched by nobody"
    1       300  1    cpu_op        aten::end
  )trace");
  // 30 to 50 before the second call and 293 to 301 after the last work; 0 to 10 and 50 to 60 of launching; 70 to 73 queued; 83 to 283 not known.
  CHECK(small.idle(IdleReason::host_wait) == 28 * us);
  CHECK(small.idle(IdleReason::launch_latency) == 20 * us);
  CHECK(small.idle(IdleReason::kernel_gap) == 3 * us);
  CHECK(small.idle(IdleReason::unknown) == 200 * us);
  CHECK(small.idle(IdleReason::stream_wait) == 0);
  check_sums(small.breakdown);
}

TEST_CASE("while a device waits for a launch call: what the thread ran that launches, to the picosecond") {
  const SmallDevices small(R"trace(
    1       0    90   user_annotation  ProfilerStep#7
    1       0    5    cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  5    5    kernel           a                      correlation=1
    1       12   20   cpu_op           aten::linear
    1       15   10   cpu_op           aten::empty
    1       40   8    cuda_runtime     cudaStreamSynchronize
    1       60   2    python_function  "train.py(7): step"
    1       70   5    cuda_runtime     cudaLaunchKernel       correlation=2
    gpu0/7  75   15   kernel           b                      correlation=2
  )trace");
  std::map<std::string, TimePs> rows;
  for (const HostWaitCause& cause : small.device().host_waits) rows[std::string(identifier(cause.kind)) + " " + cause.name] += cause.time;
  CHECK(rows == std::map<std::string, TimePs>{{"cpu_operator aten::linear", 10 * us},
                                              {"cpu_operator aten::empty", 10 * us},
                                              {"cpu_runtime cudaStreamSynchronize", 8 * us},
                                              {"cpu_python train.py(7): step", 2 * us},
                                              {"cpu_untraced ProfilerStep#", 30 * us}});
  CHECK(small.idle(IdleReason::host_wait) == 60 * us);
}

TEST_CASE("while a device waits for a launch of another thread: what that one was given it by") {
  // The main thread stands in its backward pass while autograd's thread works; before that it is the main thread that keeps the device waiting.
  const SmallDevices small(R"trace(
    1       0     5     cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  5     5     kernel           a                      correlation=1
    1       10    90    cpu_op           aten::prepare
    1       100   900   user_annotation  backward
    2       110   880   cpu_op           "autograd::engine::evaluate_function: MulBackward0"
    2       600   5     cuda_runtime     cudaLaunchKernel       correlation=2
    gpu0/7  610   5     kernel           b                      correlation=2
    1       1000  5     cuda_runtime     cudaLaunchKernel       correlation=3
    gpu0/7  1005  5     kernel           c                      correlation=3
  )trace");
  std::map<std::string, TimePs> rows;
  TimePs all = 0;
  for (const HostWaitCause& cause : small.device().host_waits) {
    rows[std::string(identifier(cause.kind)) + " " + cause.name] += cause.time;
    all += cause.time;
  }
  CHECK(all == small.idle(IdleReason::host_wait));
  CHECK(rows["cpu_operator aten::prepare"] == 90 * us);
  CHECK(rows["cpu_operator autograd::engine::evaluate_function: MulBackward0"] == (490 + 375) * us);
  CHECK(rows["handoff "] == 20 * us);  // 100 to 110 and 990 to 1000
}

TEST_CASE("a stream waits for another; the device does not while that one works") {
  const SmallDevices small(R"trace(
    1       0    2    cuda_runtime  cudaLaunchKernel       correlation=1
    1       3    1    cuda_runtime  cudaEventRecord        correlation=2
    1       5    1    cuda_runtime  cudaStreamWaitEvent    correlation=3
    1       7    2    cuda_runtime  cudaLaunchKernel       correlation=4
    gpu0/7  10   60   kernel        first                  correlation=1
    gpu0/9  5    1    cuda_sync     "Stream Wait Event"    correlation=3 wait_on_stream=7 wait_on_cuda_event_record_corr_id=2
    gpu0/9  74   10   kernel        second                 correlation=4
  )trace");
  CHECK(small.idle(IdleReason::stream_wait) == 4 * us);
  const StreamTime& waiting = small.breakdown.front().streams.at(1);
  CHECK(waiting.queue.stream == 9);
  CHECK(waiting.idle.time[static_cast<std::size_t>(IdleReason::stream_wait)] == 67 * us);
  check_sums(small.breakdown);
}

TEST_CASE("what work is for is told by its category, its collective and its launching operator") {
  const SmallDevices small(R"trace(
    1       0    20   cpu_op        c10d::allreduce_
    1       5    5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       30   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  10   10   kernel        cross_device_reduce_1stage  correlation=1
    gpu0/7  40   10   kernel        MemcpySyncdma     correlation=2
    gpu0/7  60   10   gpu_memset    ncclInit
    gpu0/7  80   10   kernel        ncclKernel_Broadcast
  )trace");
  const std::vector<WorkType> expected = {WorkType::communication, WorkType::computation, WorkType::memory_set, WorkType::communication};
  CHECK(small.ranks.front().types == expected);
}

TEST_CASE("synchronisations and operators with a stream are no device work") {
  const SmallDevices small(R"trace(
    1       0    50   cpu_op        triton_poi  stream=7
    gpu0/7  0    90   cuda_sync     "Stream Sync"
    gpu0/7  10   1    kernel        triton_poi
  )trace");
  CHECK(small.device().busy_time() == 1 * us);
}

TEST_CASE("kernels: statistics are of calls, also of the rest") {
  const SmallDevices small(R"trace(
    gpu0/7  0    10   kernel  a
    gpu0/7  20   30   kernel  a
    gpu0/7  60   5    kernel  b
    gpu0/7  70   7    kernel  c
    gpu0/7  80   1    kernel  c
  )trace");
  const RankKernels kernels = small.kernels(1);
  REQUIRE(kernels.sums.size() == 2);
  CHECK(small.name(kernels.sums[0].name) == "a");
  CHECK(kernels.sums[0].calls.count == 2);
  CHECK(kernels.sums[0].calls.most == 30 * us);
  CHECK(kernels.sums[0].calls.mean == 20 * us);
  CHECK(kernels.sums[1].is_rest);
  CHECK(kernels.sums[1].names == 2);
  CHECK(kernels.sums[1].calls.count == 3);
  CHECK(kernels.sums[1].calls.sum == 13 * us);
  CHECK(kernels.sums[1].calls.least == 1 * us);
}

TEST_CASE("annotations: nested and overlapping ranges are split, work goes to the one that launched it") {
  const SmallDevices small(R"trace(
    1       0    100  user_annotation  outer
    1       20   30   user_annotation  inner
    1       90   30   user_annotation  late
    1       25   5    cuda_runtime     cudaLaunchKernel  correlation=1
    1       95   5    cuda_runtime     cudaLaunchKernel  correlation=2
    gpu0/7  60   10   kernel           a                 correlation=1
    gpu0/9  60   10   kernel           a                 correlation=2
    gpu0/7  80   3    kernel           b
    gpu0/7  79   9    gpu_user_annotation  drawn
  )trace");
  std::map<std::string, TimePs> self, launched;
  for (const AnnotationTime& time : small.breakdown.front().host_annotations) self[small.name(time.name)] = time.self;
  CHECK(self == std::map<std::string, TimePs>{{"outer", 60 * us}, {"inner", 30 * us}, {"late", 30 * us}});
  for (const AnnotationKernels& sum : small.kernels().by_annotation) launched[small.name(sum.annotation)] = sum.time;
  CHECK(launched == std::map<std::string, TimePs>{{"inner", 10 * us}, {"late", 10 * us}, {"drawn", 3 * us}});
}

TEST_CASE("launches: of every runtime, of graphs, with signed delays") {
  const SmallDevices small(R"trace(
    1       0    5    cuda_driver   cuLaunchKernelEx  correlation=1
    1       10   5    hip_runtime   hipLaunchKernel   correlation=2
    1       20   5    cuda_runtime  cudaGraphLaunch   correlation=3
    1       40   5    cuda_runtime  cudaLaunchKernel  correlation=4
    gpu0/7  2    3    kernel        a                 correlation=1
    gpu0/7  9    3    kernel        b                 correlation=2
    gpu0/7  30   3    kernel        c                 correlation=3
    gpu0/9  31   3    kernel        d                 correlation=3
    gpu0/7  36   3    kernel        e
  )trace");
  const RankLaunches launches = measure_launches(small.ranks, {}).front();
  CHECK(launches.host.count == 3);
  CHECK(launches.work.count == 4);
  CHECK(launches.graph_calls == 1);
  CHECK(launches.works_without_call == 1);
  CHECK(launches.calls_without_work == 1);
  CHECK(launches.delay.least == -1 * us);
  CHECK(launches.delay.most == 11 * us);
  CHECK(launches.short_kernels == 4);
}

TEST_CASE("queues: until the end and until the start, each stream of each device") {
  const SmallDevices small(R"trace(
    1       0    1    cuda_runtime  cudaLaunchKernel  correlation=1
    1       1    1    cuda_runtime  cudaLaunchKernel  correlation=2
    1       2    9    cuda_runtime  cudaLaunchKernel  correlation=3
    gpu0/7  10   40   kernel        a                 correlation=1
    gpu0/7  50   50   kernel        b                 correlation=2
    gpu1/7  20   80   kernel        c                 correlation=3
  )trace");
  const RankQueues queues = measure_queues(small.ranks, 1, true).front();
  REQUIRE(queues.queues.size() == 4);
  const QueueTimes& stream = queues.queues[1];
  CHECK(stream.device == 0);
  CHECK(*stream.stream == 7);
  CHECK(stream.until_end.most == 2);
  CHECK(stream.until_end.mean == doctest::Approx((100 + 49) / 100.0));
  CHECK(stream.until_start.mean == doctest::Approx((10 + 49) / 100.0));
  CHECK(stream.full_calls == 1);  // the second was entered while the first waited
  CHECK(stream.blocked == 0);     // and took no longer than usual
  CHECK(queues.queues[3].works == 1);
}

TEST_CASE("operators: the innermost of the same thread") {
  const SmallDevices small(R"trace(
    1       0    100  cpu_op        aten::linear
    1       0    50   cpu_op        aten::addmm
    2       5    20   cpu_op        aten::elsewhere
    1       10   5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       60   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/0  20   10   kernel        gemm              correlation=1
    gpu0/0  70   10   kernel        bias              correlation=2
  )trace");
  const RankOperators operators = measure_operators(small.ranks).front();
  REQUIRE(operators.operators.size() == 2);
  CHECK(small.name(operators.operators[0].op) == "aten::addmm");
  CHECK(operators.operators[0].launch_delay == 10 * us);
  CHECK(operators.operators[0].runtime_delay == 10 * us);
  CHECK(small.name(operators.operators[1].op) == "aten::linear");

  const auto sequences = kernel_sequences(small.ranks, "aten::*", 2);
  REQUIRE(sequences.size() == 1);  // the outermost, with the kernels of stream 0
  CHECK(small.name(sequences[0].op) == "aten::linear");
  CHECK(sequences[0].kernels.size() == 2);
  CHECK(sequences[0].host_time == 100 * us);
  CHECK(kernel_sequences(small.ranks, "linear", 1).empty());  // a name, not a part of one
}

TEST_CASE("operators inside operators: each launch is its innermost one's own, and all around it have it in their sums") {
  const SmallDevices small(R"trace(
    1       0    100  cpu_op        aten::linear
    1       5    50   cpu_op        aten::addmm
    1       10   5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       60   5    cuda_runtime  cudaLaunchKernel  correlation=2
    1       120  30   cpu_op        aten::addmm
    1       125  5    cuda_runtime  cudaMemcpyAsync   correlation=3
    gpu0/0  20   10   kernel        gemm              correlation=1
    gpu0/0  70   20   kernel        bias              correlation=2
    gpu0/0  140  40   gpu_memcpy    "Memcpy HtoD"     correlation=3
  )trace");
  const auto lines = [&](bool with_memory) {
    std::vector<std::string> text;
    const std::vector<RankOperatorTree> trees = nest_operators(small.ranks, with_memory);
    for (const OperatorNode& node : trees.front().nodes)
      text.push_back(std::to_string(node.depth) + " " + small.name(node.op) + " " + std::to_string(node.own_works) + "/" +
                     std::to_string(node.works) + " " + std::to_string(node.own_device_time / us) + "/" +
                     std::to_string(node.device_time / us) + " " + std::to_string(node.host_time / us));
    return text;
  };
  CHECK(lines(true) ==
        std::vector<std::string>{"0 aten::addmm 1/1 40/40 30", "0 aten::linear 1/2 20/30 100", "1 aten::addmm 1/1 10/10 50"});
  CHECK(lines(false) == std::vector<std::string>{"0 aten::linear 1/2 20/30 100", "1 aten::addmm 1/1 10/10 50"});
  CHECK(measure_operators(small.ranks, false).front().operators.size() == 2);
  CHECK(measure_operators(small.ranks, true).front().operators.size() == 3);
}

TEST_CASE("without memory: no table has copies or sets") {
  const SmallDevices small(kMixed);
  const RankKernels kernels = sum_kernels(small.ranks, {.top = 0, .order = KernelOrder::time, .with_memory = false}).front();
  const RankKernels all = small.kernels();
  CHECK(kernels.works[static_cast<std::size_t>(WorkType::memory_copy)] == 0);
  CHECK(all.works[static_cast<std::size_t>(WorkType::memory_copy)] == 1);
  for (std::size_t d = 0; d < kernels.times.size(); ++d) {
    CHECK(kernels.times[d].time_of(WorkType::memory_copy) == 0);
    CHECK(kernels.times[d].busy_time() == all.times[d].busy_time() - all.times[d].exposed_memory());
    CHECK(kernels.times[d].busy_time() + kernels.times[d].idle_time() == kernels.times[d].window);
  }
}

TEST_CASE("counters: the n-th range is of the n-th launch; where their numbers differ nobody can tell") {
  constexpr const char* kCounted = R"trace(
    1       0    100  cpu_op               aten::linear
    1       5    50   cpu_op               aten::addmm
    1       10   5    cuda_runtime         cudaLaunchKernel     correlation=1
    1       60   5    cuda_driver          cuLaunchKernelEx     correlation=2
    gpu0/0  0    50   cuda_profiler_range  gemm
    gpu0/0  50   50   cuda_profiler_range  bias
  )trace";
  const SmallDevices small(kCounted);
  const auto ranges = counted_ranges(small.ranks.front());
  REQUIRE(ranges.size() == 2);
  const auto rows = kernel_counters(small.ranks.front(), ranges, {{{"flops", "7"}}, {{"flops", "8"}}});
  REQUIRE(rows.size() == 2);
  CHECK(small.name(rows[0].kernel) == "gemm");
  REQUIRE(rows[0].operators.has_value());
  CHECK(rows[0].operators->size() == 2);
  CHECK(small.name(rows[0].operators->back()) == "aten::addmm");
  CHECK(rows[1].operators->size() == 1);
  CHECK(rows[1].counters.at("flops") == "8");

  const SmallDevices more(std::string(kCounted) + "1 70 5 cuda_runtime cudaLaunchKernel correlation=3\n");
  const auto open = kernel_counters(more.ranks.front(), counted_ranges(more.ranks.front()), {{{"flops", "7"}}, {}});
  REQUIRE(open.size() == 2);
  CHECK_FALSE(open[0].operators.has_value());
  CHECK(open[0].counters.at("flops") == "7");
}

TEST_CASE("copies: bytes over time, and two that only meet are not one that is twice as fast") {
  const SmallDevices small(R"trace(
    gpu0/7  0    10   gpu_memcpy  "Memcpy HtoD (Pinned -> Device)"    bytes=10000
    gpu0/9  10   10   gpu_memcpy  "Memcpy HtoD (Pageable -> Device)"  bytes=30000
    gpu0/7  40   10   gpu_memcpy  "Memcpy DtoH (Device -> Pinned)"    bytes=10000
    gpu0/9  45   10   gpu_memcpy  "Memcpy DtoH (Device -> Pinned)"    bytes=20000
    gpu0/7  60   4    gpu_memset  "Memset (Device)"
  )trace");
  const RankCopies copies = measure_copies(small.ranks).front();
  REQUIRE(copies.kinds.size() == 3);
  const CopyRates &out = copies.kinds[0], &in = copies.kinds[1], &set = copies.kinds[2];
  CHECK(in.kind == "Memcpy HtoD");
  CHECK(*in.rate == doctest::Approx(2));
  CHECK(in.per_copy->most == doctest::Approx(3));
  CHECK(*in.concurrent_most == doctest::Approx(3));
  CHECK(out.any_time == 15 * us);
  CHECK(*out.concurrent == doctest::Approx(2));
  CHECK(*out.concurrent_most == doctest::Approx(3));
  CHECK(set.without_bytes == 1);
  CHECK_FALSE(set.rate.has_value());
}

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
      const auto ranks = look_at_devices(small.trace(), link::testing::whole(), false, diagnostics);
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
    for (const link::WindowRequest& request : {link::testing::whole(), link::WindowRequest{}}) {
      const std::vector<DeviceRank> ranks = look(trace, request);
      check_sums(break_down(ranks));
      Diagnostics diagnostics;
      const auto step = link::make_step_graph(trace, trace.ranks.front(), request, diagnostics);
      REQUIRE(step.ok());
      CHECK(step->window.span() == ranks.front().window.span());
      std::map<link::EdgeKind, TimePs> of_path;
      for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
        // Collectives that the host does (gloo) are communication on a path, too, but no device works for them.
        const std::uint32_t tag = step->graph.edge_tag(slot);
        if (!link::is_device(step->kind(slot)) || !is_device_work(trace.ranks.front().activity(step->owner_events[tag]))) continue;
        of_path[step->kind(slot)] += step->graph.weight(slot);
      }
      const RankKernels kernels = sum_kernels(ranks, {}).front();
      constexpr link::EdgeKind kKinds[] = {link::EdgeKind::kernel, link::EdgeKind::communication, link::EdgeKind::memory_copy,
                                           link::EdgeKind::memory_set};
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
