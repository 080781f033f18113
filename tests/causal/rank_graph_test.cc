// The causal graph of a step: properties that hold whatever the trace, and details of how moments are explained.
#include "causal/rank_graph.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "base/parallel.h"
#include "graph/edits.h"
#include "step_path_text.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::Action;
using orrery::testing::all_actions;
using orrery::testing::programs;
using orrery::testing::simulate;
using orrery::testing::SimulatedJob;
using orrery::testing::SimulatedMachine;

namespace {

std::string dump(const RankGraph& step) {
  std::string text = step.window.label + "\n";
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    text += std::to_string(step.graph.source(slot)) + " " + std::to_string(step.graph.target(slot)) + " " +
            describe(step, slot, step.graph.weight(slot)) + "\n";
  }
  return text;
}

// Events at random: nothing fits together, and much happens in the same microsecond.
std::string random_lines() {
  const auto small = [](int low, int high) { return *rc::gen::inRange(low, high); };
  static const std::vector<std::string> kinds = {"cpu_op aten::mm",
                                                 "cpu_op aten::add",
                                                 "user_annotation ProfilerStep#1",
                                                 "user_annotation ProfilerStep#2",
                                                 "python_function train.py",
                                                 "cuda_runtime cudaMalloc",
                                                 "cuda_runtime cudaLaunchKernel",
                                                 "cuda_runtime cudaGraphLaunch",
                                                 "cuda_runtime cudaMemcpyAsync",
                                                 "cuda_runtime cudaStreamSynchronize",
                                                 "cuda_runtime cudaEventRecord",
                                                 "cuda_runtime cudaStreamWaitEvent",
                                                 "cuda_runtime cudaDeviceSynchronize",
                                                 "kernel gemm",
                                                 "kernel ncclDevKernel",
                                                 "gpu_memcpy Memcpy",
                                                 "gpu_memset Memset",
                                                 "cuda_sync \"Stream Sync\"",
                                                 "cuda_sync \"Context Sync\"",
                                                 "cuda_sync \"Event Sync\"",
                                                 "cuda_sync \"Stream Wait Event\""};
  std::string lines;
  for (int events = small(1, 40); events > 0; --events) {
    const std::string kind = *rc::gen::elementOf(kinds);
    const bool on_device = kind.starts_with("kernel") || kind.starts_with("gpu_") || kind.starts_with("cuda_sync");
    lines += on_device ? fmt::format("gpu{}/{}", small(0, 2), small(7, 9)) : std::to_string(small(1, 4));
    const int scale = *rc::gen::element(1, 1, 30, 200);
    lines += fmt::format(" {} {} {}", scale * small(0, 30), scale * small(-1, 12), kind);
    if (!kind.starts_with("cpu_op")) lines += fmt::format(" correlation={}", small(-1, 8));
    if (kind.starts_with("cuda_sync"))
      lines += fmt::format(" wait_on_stream={} wait_on_cuda_event_record_corr_id={}", *rc::gen::element(-1, 7, 8),
                           small(-1, 8));
    lines += "\n";
  }
  return lines;
}

// Makes the graph; nullopt if the trace has no work.
std::optional<RankGraph> try_step(const SmallTrace& small, const WindowRequest& request) {
  Diagnostics diagnostics;
  Result<RankGraph> step = make_rank_graph(small.trace(), small.rank(), request, diagnostics);
  if (!step) return std::nullopt;
  return std::move(*step);
}

}  // namespace

TEST_CASE("the path is the window, whatever the trace: several threads, streams and devices") {
  CHECK(rc::check([] {
    const std::vector<Action> actions = *programs(3, 2, 3, all_actions());
    RC_PRE(!actions.empty());
    SimulatedMachine machine;
    machine.records_syncs = *rc::gen::arbitrary<bool>();
    const SimulatedJob job = simulate(actions, machine);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    const auto everything = try_step(small, whole());
    if (everything) RC_ASSERT(broken_promise(*everything) == "");
    for (std::size_t i = 0; i < static_cast<std::size_t>(job.steps); ++i) {
      const auto step = try_step(small, instance_of("ProfilerStep", i));
      RC_ASSERT(step.has_value());
      RC_ASSERT(broken_promise(*step) == "");
    }
  }));
}

TEST_CASE("the path is the window, also of traces in which nothing fits together") {
  CHECK(rc::check([] {
    const std::string lines = random_lines();
    RC_LOG(lines);
    const SmallTrace small(lines);
    if (const auto step = try_step(small, whole())) RC_ASSERT(broken_promise(*step) == "");
    for (std::size_t i = 0;
         i < find_steps(small.trace(), small.rank(), trace::ContentOrder(small.trace(), small.rank())).size(); ++i) {
      const auto step = try_step(small, instance_of("ProfilerStep#", i));
      RC_ASSERT(step.has_value());
      RC_ASSERT(broken_promise(*step) == "");
    }
  }));
}

TEST_CASE("the path is the window in traces of real jobs") {
  for (const char* name : {"calls4.rank0", "ddp4.rank0", "ddp4.rank3"}) {
    CAPTURE(name);
    Diagnostics diagnostics;
    const auto job =
        kineto::read_job({std::string(ORRERY_SOURCE_DIR) + "/data/" + name + ".kineto.json.gz"}, diagnostics);
    REQUIRE(job.ok());
    for (const WindowRequest& request : {WindowRequest{}, whole(), instance_of("ProfilerStep", 0),
                                         instance_of("ProfilerStep", 1), instance_of("Optimizer.step", 0)}) {
      const auto step = make_rank_graph(*job, job->ranks[0], request, diagnostics);
      if (step) CHECK(broken_promise(*step) == "");
      else CHECK(request.annotation == "Optimizer.step");  // calls4 trains nothing
    }
  }
}

TEST_CASE("graphs do not depend on the number of threads, nor on chance") {
  CHECK(rc::check([] {
    const std::vector<Action> actions = *programs(3, 2, 3, all_actions());
    const SimulatedJob job = simulate(actions);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    set_thread_count(1);
    const auto once = try_step(small, {});
    const auto again = try_step(small, {});
    set_thread_count(2);
    const SmallTrace read_by_two(job.lines);
    const auto by_two = try_step(read_by_two, {});
    set_thread_count(0);
    RC_PRE(once.has_value());
    RC_ASSERT(dump(*once) == dump(*again));
    RC_ASSERT(dump(*once) == dump(*by_two));
  }));
}

TEST_CASE("on a machine with constant delays, a what-if is what really happens") {
  CHECK(rc::check([] {
    SimulatedMachine machine;
    machine.records_syncs = *rc::gen::arbitrary<bool>();
    const int streams = machine.records_syncs ? 2 : 1;  // of one stream, all can be inferred
    std::vector<Action> actions =
        *programs(1, 1, streams,
                  {Action::op, Action::launch, Action::launch, Action::graph_launch, Action::stream_wait,
                   Action::blocking_copy, Action::stream_sync, Action::device_sync});
    // A launch from the return of its call, one from the entry, and two gaps to measure.
    actions.insert(actions.begin(), {{Action::launch, 0, 0, 0, 10'000},
                                     {Action::device_sync, 0, 0, 0, 0},
                                     {Action::graph_launch, 0, 0, 0, 10'000}});
    const SimulatedJob measured = simulate(actions, machine);
    const SmallTrace small(measured.lines);
    const auto step = try_step(small, whole());
    RC_ASSERT(step.has_value());
    RC_PRE(step->typical_launch_delay == (machine.launch_ns - machine.call_ns) * kPsPerNs);
    RC_PRE(step->typical_kernel_gap == machine.gap_ns * kPsPerNs);
    SimulatedMachine other = machine;
    const auto factors = {0.0, 0.5, 0.8, 1.25, 2.0, 4.0};
    other.kernel_factor = *rc::gen::elementOf(std::vector<double>(factors));
    other.op_factor = *rc::gen::elementOf(std::vector<double>(factors));
    graph::Edits edits(step->graph);
    for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
      const auto scale = [&](double factor) {
        edits.set_weight(slot, std::llround(static_cast<double>(step->graph.weight(slot)) * factor));
      };
      if (is_device(step->kind(slot))) scale(other.kernel_factor);
      if (step->kind(slot) == EdgeKind::cpu_operator) scale(other.op_factor);
    }
    RC_ASSERT(graph::solve(edits, step->end).length() == simulate(actions, other).span);
  }));
}

TEST_CASE("a launch call too short to be measured follows what the thread did before it") {
  const SmallStep small(R"(
      1       0    50  cpu_op        aten::mm
      1       40   0   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  48   30  kernel        gemm              correlation=1
  )");
  CHECK(small.path() == Lines{"launch_delay gemm 48", "kernel gemm 30"});
  const SmallStep later(R"(
      1       0    50  cpu_op        aten::mm
      1       50   50  cpu_op        aten::add
      1       60   0   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  68   90  kernel        gemm              correlation=1
  )");
  CHECK(later.path() == Lines{"cpu_operator aten::mm 50", "launch_delay gemm 18", "kernel gemm 90"});
}

TEST_CASE("work that ends in the very microsecond in which the waiting call returns has held it") {
  const SmallStep small(R"(
      1       0    10   cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  6    100  kernel        gemm                   correlation=1
      1       12   94   cuda_runtime  cudaDeviceSynchronize  correlation=2
      1       106  5    cpu_op        aten::add
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 6", "kernel gemm 100", "cpu_operator aten::add 5"});
}

TEST_CASE("a launch, its kernel, a wait and the next launch within one microsecond") {
  const SmallStep small(R"(
      1       0   10  cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  0   30  kernel        first                  correlation=1
      1       10  20  cuda_runtime  cudaStreamSynchronize  correlation=2
      1       30  10  cuda_runtime  cudaLaunchKernel       correlation=3
      gpu0/9  30  40  kernel        second                 correlation=3
  )");
  CHECK(small.path() == Lines{"kernel first 30", "kernel second 40"});
}

TEST_CASE("kernels of one stream that overlap: the later one follows the start of the earlier") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaGraphLaunch  correlation=1
      gpu0/7  20   50  kernel        primary          correlation=1
      gpu0/7  35   60  kernel        secondary        correlation=1
  )");
  CHECK(small.path() == Lines{"launch_delay primary 20", "kernel_gap secondary 15", "kernel secondary 60"});
}

TEST_CASE("work that starts before its launch: the launch is not its cause, and that is said") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  5    20  kernel        first             correlation=1
      1       30   10  cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  28   20  kernel        early             correlation=2
  )");
  CHECK(small.path() ==
        Lines{"cpu_runtime cudaLaunchKernel 5", "kernel first 20", "kernel_gap early 3", "kernel early 20"});
  CHECK(small.count("L202") == 1);
}

TEST_CASE("a wait that cost nothing would cost something if the work took longer") {
  const SmallStep small(R"(
      1       0    4   cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  5    10  kernel        gemm                   correlation=1
      1       4    46  cpu_op        aten::add
      1       50   3   cuda_runtime  cudaDeviceSynchronize  correlation=2
      1       53   7   cpu_op        aten::add
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 4", "cpu_operator aten::add 46",
                              "cpu_runtime cudaDeviceSynchronize 3", "cpu_operator aten::add 7"});
  graph::Edits edits(small.step.graph);
  for (graph::Slot slot = 0; slot < small.step.graph.edge_count(); ++slot) {
    if (small.step.kind(slot) == EdgeKind::kernel) edits.set_weight(slot, 10 * small.step.graph.weight(slot));
  }
  CHECK(path_lines(small.step, graph::solve(edits, small.step.end)) ==
        Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay gemm 1", "kernel gemm 100",
              "sync_return cudaDeviceSynchronize 3", "cpu_operator aten::add 7"});
}

TEST_CASE("causes that did not bind carry the least delay of their kind") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaLaunchKernel  correlation=1
      1       10   10  cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  16   50  kernel        first             correlation=1
      gpu0/7  68   50  kernel        second            correlation=2
  )");
  CHECK(small.step.typical_launch_delay == 6 * kPsPerUs);
  CHECK(small.step.typical_kernel_gap == 2 * kPsPerUs);
  CHECK(has_edge(small.step, "launch_delay second 6"));  // and not 48
}

TEST_CASE("a recording that begins while the device is busy: the path starts where work from before it has ended") {
  const SmallStep small(R"(
      1       0     10  cuda_runtime  hipMemcpyAsync  correlation=1
      1       1000  50  cuda_runtime  hipGraphLaunch  correlation=2
      gpu0/0  8000  4   gpu_memcpy    Memcpy          correlation=1
      gpu0/0  8014  90  kernel        first           correlation=2
      gpu0/0  8104  90  kernel        second          correlation=2
  )");
  CHECK(small.step.typical_launch_delay == 100 * kPsPerUs);  // at most: nothing here can tell
  // The graph was launched long before, and yet it is the copy that its first kernel had to wait for.
  CHECK(small.path() == Lines{"earlier_work Memcpy 8000", "memory_copy Memcpy 4", "kernel_gap first 10",
                              "kernel first 90", "kernel second 90"});
  // Its launch is a cause still, with what launching takes.
  CHECK(has_edge(small.step, "launch_delay Memcpy 100"));
}

TEST_CASE("a late first work is not behind earlier work if another stream's end, or its own call, explains it") {
  const SmallStep waits(R"(
      1       0     5    cuda_runtime  cudaLaunchKernel  correlation=1
      1       5     5    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  10    500  kernel        long              correlation=1
      gpu0/9  515   50   kernel        waits             correlation=2
  )");
  CHECK(waits.path() == Lines{"cpu_runtime cudaLaunchKernel 5", "launch_delay long 5", "kernel long 500",
                              "stream_wait waits 5", "kernel waits 50"});
  const SmallStep loads(R"(
      1       0     900  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  950   50   kernel        loaded            correlation=1
  )");
  CHECK(loads.path() == Lines{"cpu_runtime cudaLaunchKernel 900", "launch_delay loaded 50", "kernel loaded 50"});
  // A host that is ahead of its device launched it early: here it was late itself, whatever held the work then.
  const SmallStep later(R"(
      1       0     1000 cpu_op        aten::prepare
      1       1000  5    cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  1400  50   kernel        later             correlation=1
  )");
  CHECK(later.path() == Lines{"cpu_operator aten::prepare 1000", "cpu_runtime cudaLaunchKernel 5",
                              "idle_device later 395", "kernel later 50"});
  // Of work whose launch was not recorded nothing can be said, and the second of a stream has one before it.
  const SmallStep unknown(R"(
      1       0     5    cuda_runtime  cudaLaunchKernel  correlation=1
      1       5     5    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  10    10   kernel        first             correlation=1
      gpu0/7  500   50   kernel        second            correlation=2
      gpu0/9  800   20   kernel        nobody
  )");
  for (const char* edge : {"idle_device second 480", "idle_device nobody 800"}) CHECK(has_edge(unknown.step, edge));
}

TEST_CASE("what a launch call does before it hands its work over is its own time") {
  const SmallStep loads_module(R"(
      1       0    900  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  895  500  kernel        lazily_loaded     correlation=1
  )");
  CHECK(loads_module.path() == Lines{"cpu_runtime cudaLaunchKernel 895", "kernel lazily_loaded 500"});
  const SmallStep starts_later(R"(
      1       0    900  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  902  500  kernel        lazily_loaded     correlation=1
  )");
  CHECK(starts_later.path() ==
        Lines{"cpu_runtime cudaLaunchKernel 900", "launch_delay lazily_loaded 2", "kernel lazily_loaded 500"});
  // Of a graph the device knows the first nodes while the call sends the others.
  const SmallStep graph(R"(
      1       0    900  cuda_runtime  cudaGraphLaunch  correlation=1
      gpu0/7  50   500  kernel        first            correlation=1
      gpu0/7  550  500  kernel        second           correlation=1
  )");
  CHECK(graph.path() == Lines{"launch_delay first 50", "kernel first 500", "kernel second 500"});
}

TEST_CASE("work that was queued behind other work does not take the time of its call") {
  // The call was entered in time; that the kernel started just before it returned is the stream's doing.
  const SmallStep small(R"(
      1       0    4   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  5    45  kernel        first             correlation=1
      1       44   8   cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  51   50  kernel        second            correlation=2
      1       4    40  cpu_op        aten::add
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay first 1", "kernel first 45",
                              "kernel_gap second 1", "kernel second 50"});
  CHECK(has_edge(small.step,
                 "cpu_runtime cudaLaunchKernel 0"));  // it may have been handed over as soon as the call was entered
}

TEST_CASE("a copy of ordinary memory takes place inside its call") {
  const SmallStep small(R"~(
      1       0      31000  cuda_runtime  cudaMemcpyAsync                     correlation=1
      gpu0/7  190    30817  gpu_memcpy    "Memcpy HtoD (Pageable -> Device)"  correlation=1
      1       31010  90     cpu_op        aten::mm
  )~");
  CHECK(small.path() == Lines{"memory_copy Memcpy HtoD (Pageable -> Device) 190",
                              "memory_copy Memcpy HtoD (Pageable -> Device) 30810", "cpu_untraced 10",
                              "cpu_operator aten::mm 90"});
  graph::Edits edits(small.step.graph);
  for (graph::Slot slot = 0; slot < small.step.graph.edge_count(); ++slot) {
    if (small.step.kind(slot) == EdgeKind::memory_copy) edits.set_weight(slot, 0);
  }
  CHECK(graph::solve(edits, small.step.end).length() == 100 * kPsPerUs);
  // Pinned memory is copied behind the call's back: only its first part lies in the call.
  const SmallStep pinned(R"~(
      1       0      40     cuda_runtime  cudaMemcpyAsync                   correlation=1
      gpu0/7  30     50     gpu_memcpy    "Memcpy HtoD (Pinned -> Device)"  correlation=1
      1       50     90     cpu_op        aten::mm
  )~");
  CHECK(pinned.path() == Lines{"cpu_runtime cudaMemcpyAsync 40", "cpu_untraced 10", "cpu_operator aten::mm 90"});
}

TEST_CASE("a kernel that had to wait for room on the device started when another stream's made some") {
  const char* const lines = R"(
      1       0    4    cuda_runtime  cudaLaunchKernel  correlation=1
      1       4    4    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  5    200  kernel        wide              correlation=1
      gpu0/9  150  200  kernel        waiting           correlation=2
  )";
  CHECK(SmallStep(lines).path() ==
        Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay wide 1", "kernel wide 145", "kernel waiting 200"});
  std::string other_device = lines;
  other_device.replace(other_device.find("gpu0/9"), 6, "gpu1/9");
  CHECK(SmallStep(other_device).path().front() != "kernel wide 145");
  CHECK(has_edge(SmallStep(other_device).step, "earlier_work waiting 150"));
  std::string communicates = lines;
  communicates.replace(communicates.find("wide"), 4, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  CHECK(has_edge(SmallStep(communicates).step, "earlier_work waiting 150"));
}

TEST_CASE("collectives that the host does itself are communication") {
  const SmallStep small(R"(
      1  0    500  user_annotation  ProfilerStep#1
      2  30   400  user_annotation  gloo:all_reduce
      2  35   20   cuda_runtime     cudaStreamSynchronize
      2  500  1    cpu_op           poll
      1  450  50   cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"handoff ProfilerStep#1 30", "communication gloo:all_reduce 5",
                              "cpu_runtime cudaStreamSynchronize 20", "communication gloo:all_reduce 375",
                              "handoff ProfilerStep#1 20", "cpu_operator Optimizer.step 50"});
  // Those of NCCL are only launched by the host.
  CHECK(SmallStep("1 0 10 user_annotation nccl:all_reduce").path() == Lines{"cpu_untraced nccl:all_reduce 10"});
}

TEST_CASE("own time of operators, Python frames and annotations") {
  const SmallStep small(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  10  80   python_function  train.py
      1  20  50   cpu_op           aten::linear
      1  30  20   cpu_op           aten::addmm
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10", "cpu_python train.py 10",
                              "cpu_operator aten::linear 10", "cpu_operator aten::addmm 20",
                              "cpu_operator aten::linear 20", "cpu_python train.py 20",
                              "cpu_untraced ProfilerStep#1 10"});
}

TEST_CASE("everything inside a data loader is data loading") {
  const SmallStep small(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  10  60   user_annotation  "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
      1  20  30   cpu_op           aten::stack
      1  80  10   cpu_op           aten::mm
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10",
                              "data_loading enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 10",
                              "data_loading aten::stack 30",
                              "data_loading enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 20",
                              "cpu_untraced ProfilerStep#1 10", "cpu_operator aten::mm 10",
                              "cpu_untraced ProfilerStep#1 10"});
}

TEST_CASE("host events that overlap without nesting are cut where the inner one ends") {
  const SmallStep small(R"(
      1  0   20  cpu_op  outer
      1  10  20  cpu_op  crossing
      1  40  10  cpu_op  next
  )");
  CHECK(small.path() ==
        Lines{"cpu_operator outer 10", "cpu_operator crossing 20", "cpu_untraced 10", "cpu_operator next 10"});
}

TEST_CASE("of two events that start together the longer one is the outer") {
  const SmallStep small(R"(
      1  0  10  cpu_op  inner
      1  0  30  cpu_op  outer
  )");
  CHECK(small.path() == Lines{"cpu_operator inner 10", "cpu_operator outer 20"});
}

TEST_CASE("a process id or thread that is text is a lane like any other") {
  const SmallStep small(R"(
      worker  0   20  cpu_op        aten::mm
      worker  5   5   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/"stream 7"  12  30  kernel  gemm  correlation=1  stream=7
  )");
  CHECK(small.path() ==
        Lines{"cpu_operator aten::mm 5", "cpu_runtime cudaLaunchKernel 5", "launch_delay gemm 2", "kernel gemm 30"});
  CHECK(small.step.strings.text(small.step.lanes[0].thread) == "\"worker\"");
  CHECK(small.step.strings.text(small.step.lanes[1].thread) == "\"stream 7\"");
}

TEST_CASE("a wait that only says its stream, of device-wide and of event waits") {
  const char* const lines = R"(
      1        0   4    cuda_runtime  cudaLaunchKernel  correlation=1
      1        4   2    cuda_runtime  cudaEventRecord   correlation=9
      1        6   4    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7   5   60   kernel        early             correlation=1
      gpu0/20  11  100  kernel        late              correlation=2
  )";
  const auto path_with = [&](const std::string& more) { return SmallStep(lines + more).path(); };
  // cudaStreamSynchronize of the stream that is done first returns first.
  CHECK(path_with(R"(
      1        12  55   cuda_runtime  cudaStreamSynchronize  correlation=3
      gpu0/7   13  52   cuda_sync     "Stream Sync"          correlation=3
      1        67  100  cpu_op        aten::add
  )") == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay early 1", "kernel early 60",
               "sync_return cudaStreamSynchronize 2", "cpu_operator aten::add 100"});
  CHECK(path_with(R"(
      1        12  102  cuda_runtime  cudaDeviceSynchronize  correlation=3
      gpu0/-1  13  98   cuda_sync     "Context Sync"         correlation=3
  )") == Lines{"cpu_runtime cudaLaunchKernel 4", "cpu_runtime cudaEventRecord 2", "cpu_runtime cudaLaunchKernel 4",
               "launch_delay late 1", "kernel late 100", "sync_return cudaDeviceSynchronize 3"});
  CHECK(path_with(R"(
      1        12  55   cuda_runtime  cudaEventSynchronize  correlation=3
      gpu0/7   13  52   cuda_sync     "Event Sync"          correlation=3  wait_on_stream=7  wait_on_cuda_event_record_corr_id=9
      1        67  100  cpu_op        aten::add
  )") == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay early 1", "kernel early 60",
               "sync_return cudaEventSynchronize 2", "cpu_operator aten::add 100"});
}

TEST_CASE("clocks that disagree: work seen to end just after the return of the call that waited for it") {
  const SmallStep small(R"(
      1       0    4   cuda_runtime  cudaLaunchKernel       correlation=1
      1       4    4   cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7  5    50  kernel        first                  correlation=1
      gpu0/7  56   50  kernel        second                 correlation=2
      1       10   95  cuda_runtime  cudaStreamSynchronize  correlation=3
      gpu0/7  11   94  cuda_sync     "Stream Sync"          correlation=3
      1       105  20  cpu_op        aten::add
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay first 1", "kernel first 50",
                              "sync_return cudaStreamSynchronize 50", "cpu_operator aten::add 20"});
}

TEST_CASE("nothing to analyse is an error, not a crash") {
  for (const char* lines : {"", "1 0 - cpu_op instant", "1 0 0 cpu_op nothing", "1 0 5 Trace \"PyTorch Profiler (0)\"",
                            "gpu0/7 5 -3 kernel backwards"}) {
    CAPTURE(lines);
    const SmallTrace small(lines);
    Diagnostics diagnostics;
    const auto step = make_rank_graph(small.trace(), small.rank(), {}, diagnostics);
    REQUIRE_FALSE(step.ok());
    CHECK(step.error().message == "there is no host or device work in this trace");
    CHECK(step.error().file == small.path());
  }
}
