// From the two traces of a rank to its program: every rule with a worked-out replay, and what holds whatever the
// traces.
#include "causal/program/linked_rank.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "base/parallel.h"
#include "small_link.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::count_of;
using workload::ActivityKind;

TEST_CASE("operators, gaps between them, and calls follow one another on a thread") {
  const SmallLink link(R"(
      1  0   50  cpu_op        aten::linear
      1  10  20  cpu_op        aten::mm
      1  15  5   cuda_runtime  cudaMalloc
      1  70  30  cpu_op        aten::relu
  )");
  CHECK(link.lines() == Lines{"aten::linear 0+10", "aten::mm 10+5 <- aten::linear", "cudaMalloc 15+5 <- aten::mm",
                              "aten::mm (continued) 20+10 <- cudaMalloc",
                              "aten::linear (continued) 30+20 <- aten::mm (continued)",
                              "[host gap] 50+20 <- aten::linear (continued)", "aten::relu 70+30 <- [host gap]"});
  CHECK(link.linked->measured_ps == 100 * kPsPerUs);
  CHECK(link.linked->replayed_ps == 100 * kPsPerUs);
  CHECK(link.linked->residual_percent() == 0);
  CHECK(link.program().has(link.at("aten::mm"), workload::activity::kOnHost));
  CHECK(link.program().lanes[link.at("aten::mm")] == 1);
  CHECK(count_of(link.diagnostics, "L222") == 1);
}

TEST_CASE("an operator is called by the one around it") {
  const SmallLink link(R"(
      1  0   50  cpu_op  aten::linear
      1  10  10  cpu_op  aten::t
      1  20  20  cpu_op  aten::addmm
  )");
  CHECK(link.lines()[2] == "aten::addmm 20+20 <- aten::t; control: aten::linear");
  CHECK(link.count(DependencyCause::parent) == 1);
}

TEST_CASE("a kernel follows its launch, after a delay") {
  const SmallLink link(R"(
      1       0   30  cpu_op        aten::mm
      1       10  5   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  25  40  kernel        gemm              correlation=1
  )");
  CHECK(link.lines() == Lines{"aten::mm 0+10", "cudaLaunchKernel 10+5 <- aten::mm",
                              "aten::mm (continued) 15+15 <- cudaLaunchKernel",
                              "[launch delay] 15+10 <- cudaLaunchKernel", "gemm 25+40 <- [launch delay]"});
  CHECK(link.count(DependencyCause::launch) == 1);
  CHECK_FALSE(link.program().has(link.at("gemm"), workload::activity::kOnHost));
  CHECK(link.program().lanes[link.at("gemm")] == 7);
  CHECK(link.linked->coverage.device_works == 1);
  CHECK(link.linked->coverage.attributed == 1);
}

TEST_CASE("a kernel that starts before its call returns follows what came before the call") {
  const SmallLink link(R"(
      1       0   50  cpu_op        aten::mm
      1       10  30  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  20  40  kernel        gemm              correlation=1
  )");
  CHECK(link.depends("[launch delay]", "aten::mm"));
  CHECK(link.depends("gemm", "[launch delay]"));
  CHECK(broken_promise(*link.linked) == "");
}

TEST_CASE("work of a stream follows the work before it; its launch is a dependency that costs nothing") {
  const SmallLink link(R"(
      1       0    5   cuda_runtime  cudaLaunchKernel  correlation=1
      1       5    5   cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  10   50  kernel        first             correlation=1
      gpu0/7  62   40  kernel        second            correlation=2
  )");
  CHECK(link.lines().back() == "second 62+40 <- cudaLaunchKernel#2, [kernel gap]");
  CHECK(link.depends("[kernel gap]", "first"));
  CHECK(link.count(DependencyCause::stream_order) == 3);
}

TEST_CASE("a stream that waits for another follows its work") {
  const SmallLink link(R"(
      1       0    5    cuda_runtime  cudaLaunchKernel     correlation=1
      1       5    5    cuda_runtime  cudaEventRecord      correlation=2
      1       10   5    cuda_runtime  cudaStreamWaitEvent  correlation=3
      1       15   5    cuda_runtime  cudaLaunchKernel     correlation=4
      gpu0/7  10   100  kernel        producer             correlation=1
      gpu0/9  10   1    cuda_sync     "Stream Wait Event"  correlation=3 wait_on_stream=7 wait_on_cuda_event_record_corr_id=2
      gpu0/9  112  40   kernel        consumer             correlation=4
  )");
  CHECK(link.depends("[stream wait]", "producer"));
  CHECK(link.depends("consumer", "[stream wait]"));
  CHECK(link.count(DependencyCause::stream_wait) == 1);
  CHECK(broken_promise(*link.linked) == "");
}

TEST_CASE("a call that waits for the device lasts only its own part") {
  const SmallLink link(R"(
      1       0    5    cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  10   100  kernel        gemm                   correlation=1
      1       20   95   cuda_runtime  cudaDeviceSynchronize  correlation=2
      1       115  10   cpu_op        aten::item
  )");
  const std::size_t sync = link.at("cudaDeviceSynchronize");
  CHECK(link.program().duration_ps(sync) == 5 * kPsPerUs);  // from the end of the kernel to the return
  CHECK(link.depends("[return from sync]", "gemm"));
  CHECK(link.depends("aten::item", "[return from sync]"));
  CHECK(link.depends("aten::item", "cudaDeviceSynchronize"));
  CHECK(link.count(DependencyCause::synchronization) == 1);
  CHECK(link.linked->replayed_ps == 125 * kPsPerUs);
}

TEST_CASE("work is handed to another thread, and back") {
  const SmallLink link(R"(
      1  0    1000  user_annotation  ProfilerStep#1
      1  10   100   cpu_op           aten::linear
      2  130  600   cpu_op           MmBackward
      1  750  200   cpu_op           Optimizer.step
  )");
  CHECK(link.depends("[thread handoff]", "aten::linear"));
  CHECK(link.depends("MmBackward", "[thread handoff]"));
  CHECK(link.depends("Optimizer.step", "[thread handoff]#2"));
  CHECK(link.linked->replayed_ps == 1000 * kPsPerUs);
  CHECK(broken_promise(*link.linked) == "");
}

TEST_CASE("a profiler step has no activity of its own; other annotations have") {
  const SmallLink link(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  10  80   user_annotation  forward
      1  30  20   cpu_op           aten::mm
  )");
  CHECK(link.lines() == Lines{"[host gap] 0+10", "forward 10+20 <- [host gap]", "aten::mm 30+20 <- forward",
                              "[host gap]#2 50+40 <- aten::mm", "[host gap]#3 90+10 <- [host gap]#2"});
}

TEST_CASE("backward operators follow their forward operators, by sequence number") {
  const SmallLink link(R"(
      1  10   100   cpu_op  aten::linear  "Sequence number"=4  "Fwd thread id"=0
      1  120  10    cpu_op  aten::relu    "Sequence number"=5  "Fwd thread id"=0
      2  150  20    cpu_op  ReluBackward  "Sequence number"=5  "Fwd thread id"=1
      2  200  20    cpu_op  MmBackward    "Sequence number"=4  "Fwd thread id"=1
  )");
  CHECK(link.depends("MmBackward", "aten::linear"));
  CHECK(link.depends("ReluBackward", "aten::relu"));
  CHECK(link.count(DependencyCause::backward) == 2);
}

TEST_CASE("copies and fills are memory activities with their bytes") {
  const SmallLink link(R"lines(
      gpu0/7  0   10  gpu_memcpy  "Memcpy HtoD (Pinned -> Device)"  bytes=4096
      gpu0/7  10  10  gpu_memcpy  "Memcpy DtoH (Device -> Pinned)"  bytes=512
      gpu0/7  20  10  gpu_memset  "Memset (Device)"                 bytes=64
  )lines");
  CHECK(link.program().kinds[0] == ActivityKind::memory_load);
  CHECK(link.program().kinds[1] == ActivityKind::memory_store);
  CHECK(link.program().kinds[2] == ActivityKind::memory_store);
  CHECK(link.program().bytes[0] == 4096);
  CHECK(link.program().bytes[2] == 64);
  CHECK(count_of(link.diagnostics, "L201") == 3);  // kernels without a launch call still have their place
}

TEST_CASE("whole microseconds: each start and end is rounded once, so that the sum stays right") {
  LinkOptions options;
  options.whole_microseconds = true;
  std::string lines;
  for (int i = 0; i < 1000; ++i)
    lines += "1 " + std::to_string(i) + "." + "4 1.000 cpu_op op" + std::to_string(i % 7) + "\n";
  lines += "1 1000.4 0.4 cpu_op last\n";
  const SmallLink link(lines, {}, options);
  CHECK(link.linked->measured_ps == 1001 * kPsPerUs);
  CHECK(link.linked->replayed_ps == link.linked->measured_ps);
  for (const TimePs duration : link.program().dependencies.durations()) CHECK(duration % kPsPerUs == 0);
}

TEST_CASE(
    "a job of random threads, streams and devices replays to the picosecond, and to the microsecond when rounded") {
  CHECK(rc::check([] {
    using namespace orrery::testing;
    const std::vector<Action> actions = *programs(3, 2, 3, all_actions());
    RC_PRE(!actions.empty());
    SimulatedMachine machine;
    machine.records_syncs = *rc::gen::arbitrary<bool>();
    const SimulatedJob job = simulate(actions, machine);
    RC_PRE(job.span > 0);
    LinkOptions options;
    options.whole_microseconds = *rc::gen::arbitrary<bool>();
    const SmallLink link(job.lines, {}, options);
    RC_PRE(link.linked.has_value());
    RC_ASSERT(broken_promise(*link.linked) == "");
  }));
}

TEST_CASE("traces in which nothing fits together replay too, without a cycle") {
  CHECK(rc::check([] {
    const auto small = [](int low, int high) { return *rc::gen::inRange(low, high); };
    static const std::vector<std::string> kinds = {"cpu_op aten::mm",
                                                   "user_annotation ProfilerStep#1",
                                                   "user_annotation gloo:all_reduce",
                                                   "user_annotation gloo:send",
                                                   "python_function train.py",
                                                   "cuda_runtime cudaLaunchKernel",
                                                   "cuda_runtime cudaMemcpyAsync",
                                                   "cuda_runtime cudaStreamSynchronize",
                                                   "kernel gemm",
                                                   "kernel ncclDevKernel_AllReduce",
                                                   "kernel ncclDevKernel_SendRecv",
                                                   "gpu_memcpy Memcpy",
                                                   "cuda_sync \"Stream Sync\"",
                                                   "cuda_sync \"Stream Wait Event\""};
    std::string lines;
    for (int events = small(1, 40); events > 0; --events) {
      const std::string kind = *rc::gen::elementOf(kinds);
      const bool on_device = kind.starts_with("kernel") || kind.starts_with("gpu_") || kind.starts_with("cuda_sync");
      lines += on_device ? fmt::format("gpu{}/{}", small(0, 2), small(7, 9)) : std::to_string(small(1, 4));
      lines += fmt::format(" {} {} {}", *rc::gen::element(1, 30, 200) * small(0, 30),
                           *rc::gen::element(1, 30, 200) * small(-1, 12), kind);
      lines += fmt::format(" correlation={} \"Sequence number\"={} \"Fwd thread id\"={} \"Record function id\"={}\n",
                           small(-1, 8), small(-1, 4), small(0, 2), small(0, 40));
    }
    RC_LOG(lines);
    const SmallLink link(lines);
    RC_PRE(link.linked.has_value());
    RC_ASSERT(broken_promise(*link.linked) == "");
  }));
}

TEST_CASE("a call of a thousand kernels does not make a thousand times a thousand dependencies") {
  std::string lines = "1 0 10 cuda_runtime cudaGraphLaunch correlation=1\n";
  for (int k = 0; k < 1000; ++k)
    lines += fmt::format("gpu0/{} {} 5 kernel k{} correlation=1\n", 7 + k % 40, 20 + k, k % 3);
  const SmallLink link(lines);
  CHECK(broken_promise(*link.linked) == "");
  CHECK(link.program().dependencies.edge_count() < 10 * link.program().size());
}

TEST_CASE("operators a hundred thousand deep") {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += fmt::format("1 {} {} cpu_op nested\n", i, 400'000 - 2 * i);
  const SmallLink link(lines);
  CHECK(broken_promise(*link.linked) == "");
}

TEST_CASE("a trace without work has no graph") {
  const SmallLink link("1 0 0 cpu_op nothing\n");
  CHECK(link.error.find("there is no host or device work") != std::string::npos);
}

namespace {

/// The program of the same events, written down in another order.
Lines lines_in_order(std::vector<std::string> events) {
  std::string text;
  for (const std::string& event : events) text += event + "\n";
  return SmallLink(text).lines();
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE(
    "activities that begin at one moment are told apart by what they are, not by where the file has their events") {
  std::vector<std::string> events = {"1 0 100 user_annotation ProfilerStep#1",
                                     "1 0 50 cpu_op aten::a",
                                     "1 50 50 cpu_op aten::b",
                                     "2 0 40 cpu_op aten::c",
                                     "worker 0 40 cpu_op aten::d",
                                     "other 0 40 cpu_op aten::e",
                                     "1 10 10 cuda_runtime cudaLaunchKernel correlation=1",
                                     "2 10 10 cuda_runtime cudaLaunchKernel correlation=2",
                                     "gpu0/9 30 40 kernel second correlation=1",
                                     "gpu0/7 30 40 kernel first correlation=2",
                                     "gpu1/7 30 40 kernel third correlation=2",
                                     "gpu0/7 70 20 kernel fourth correlation=2"};
  const Lines expected = lines_in_order(events);
  CHECK(expected.size() > 10);
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    std::shuffle(events.begin(), events.end(), random);
    CHECK(lines_in_order(events) == expected);
  }
}

TEST_CASE("simulated jobs are linked to the same program for their events in any order") {
  CHECK(rc::check([] {
    const auto actions = *orrery::testing::programs(3, 2, 3, orrery::testing::all_actions());
    const auto job = orrery::testing::simulate(actions);
    RC_PRE(job.span > 0);
    std::vector<std::string> events = split_lines(job.lines);
    const Lines expected = lines_in_order(events);
    std::shuffle(events.begin(), events.end(), std::mt19937(*rc::gen::inRange(0, 1000)));
    RC_ASSERT(lines_in_order(events) == expected);
  }));
}
