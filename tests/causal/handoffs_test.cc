// Threads that wait for other threads: nothing in a trace says so, it has to be seen.
#include "causal/host/handoffs.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

TEST_CASE("the main thread waits for the backward pass on the autograd thread") {
  const SmallStep small(R"(
      1  0    1000  user_annotation  ProfilerStep#1
      1  10   100   cpu_op           aten::linear
      2  130  600   cpu_op           MmBackward
      1  750  200   cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10", "cpu_operator aten::linear 100",
                              "handoff ProfilerStep#1 20", "cpu_operator MmBackward 600", "handoff ProfilerStep#1 20",
                              "cpu_operator Optimizer.step 200", "cpu_untraced ProfilerStep#1 50"});
}

TEST_CASE("kernels launched by the autograd thread are explained through it") {
  const SmallStep small(R"(
      1       0    400  user_annotation  ProfilerStep#1
      1       10   40   cpu_op           aten::linear
      2       60   100  cpu_op           MmBackward
      2       100  10   cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  110  500  kernel           gemm              correlation=1
      1       170  20   cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10", "cpu_operator aten::linear 40",
                              "handoff ProfilerStep#1 10", "cpu_operator MmBackward 40",
                              "cpu_runtime cudaLaunchKernel 10", "kernel gemm 500"});
}

TEST_CASE("short pauses of a thread that works for another are its own time") {
  const SmallStep small(R"(
      1  0    500  user_annotation  ProfilerStep#1
      2  20   150  cpu_op           MulBackward
      2  220  150  cpu_op           MmBackward
      1  400  100  cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"handoff ProfilerStep#1 20", "cpu_operator MulBackward 150", "cpu_untraced 50",
                              "cpu_operator MmBackward 150", "handoff ProfilerStep#1 30",
                              "cpu_operator Optimizer.step 100"});
}

TEST_CASE("of two workers the busier one counts") {
  const SmallStep small(R"(
      1  0    300  user_annotation  ProfilerStep#1
      2  20   130  cpu_op           lighter
      3  30   180  cpu_op           heavier
      1  220  80   cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"handoff ProfilerStep#1 30", "cpu_operator heavier 180", "handoff ProfilerStep#1 10",
                              "cpu_operator Optimizer.step 80"});
}

TEST_CASE("a pause too short to have waited, and one whose time is in a runtime call") {
  const SmallStep brief(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  10  30   cpu_op           aten::mm
      2  42  10   cpu_op           elsewhere
      1  55  45   cpu_op           aten::add
  )");
  CHECK(brief.path() == Lines{"cpu_untraced ProfilerStep#1 10", "cpu_operator aten::mm 30",
                              "cpu_untraced ProfilerStep#1 15", "cpu_operator aten::add 45"});
  const SmallStep runtime(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  0   100  cuda_runtime     cudaMalloc
      2  10  80   cpu_op           elsewhere
  )");
  CHECK(runtime.path() == Lines{"cpu_runtime cudaMalloc 100"});
}

TEST_CASE("a thread that goes on when the work it gave away before is done has waited for it") {
  const SmallStep small(R"(
      1  0    300  user_annotation  ProfilerStep#1
      1  0    50   cpu_op           submit
      2  20   250  cpu_op           task
  )");
  CHECK(small.path() == Lines{"handoff 20", "cpu_operator task 250", "handoff ProfilerStep#1 30"});
  // Had the task taken no time, what came after it would have come anyway.
  CHECK(has_edge(small.step, "cpu_untraced ProfilerStep#1 30"));
}

TEST_CASE("of a pool of threads the last one is waited for") {
  const SmallStep small(R"(
      1  0    1000  user_annotation  ProfilerStep#1
      1  0    100   cpu_op           submit
      2  50   300   cpu_op           task1
      3  60   600   cpu_op           task2
      4  70   400   cpu_op           task3
      1  680  320   cpu_op           aten::cat
  )");
  CHECK(small.path() ==
        Lines{"handoff 60", "cpu_operator task2 600", "handoff ProfilerStep#1 20", "cpu_operator aten::cat 320"});
}

TEST_CASE("a gap that goes on long after another thread's work, or whose work was begun by others, is no wait for it") {
  const Lines own{"cpu_operator aten::mm 50", "cpu_untraced ProfilerStep#1 550"};
  const SmallStep long_after(R"(
      1  0    600  user_annotation  ProfilerStep#1
      1  0    50   cpu_op           aten::mm
      2  20   250  cpu_op           background
  )");
  CHECK(long_after.path() == own);
  const SmallStep by_others(R"(
      1  0    600  user_annotation  ProfilerStep#1
      1  0    50   cpu_op           aten::mm
      1  350  50   cpu_op           aten::add
      2  200  380  cpu_op           background
  )");
  CHECK(by_others.path() == Lines{"cpu_operator aten::mm 50", "cpu_untraced ProfilerStep#1 300",
                                  "cpu_operator aten::add 50", "cpu_untraced ProfilerStep#1 200"});
}

TEST_CASE("a data loader that waits for its helper: loading until the helper had something to do") {
  const SmallStep small(R"(
      1  0     5000  user_annotation  ProfilerStep#1
      1  0     4000  user_annotation  "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
      2  3000  950   cpu_op           aten::pin_memory
      1  4000  1000  cpu_op           aten::mm
  )");
  CHECK(small.path() == Lines{"data_loading enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ 3000",
                              "cpu_operator aten::pin_memory 950",
                              "handoff enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ 50",
                              "cpu_operator aten::mm 1000"});
}

TEST_CASE("the main thread waits for a collective that a worker thread does, asked for before") {
  const SmallStep small(R"(
      1  0     2000  user_annotation  ProfilerStep#1
      1  0     30    cpu_op           c10d::allreduce_
      1  100   500   cpu_op           aten::mm
      2  60    1400  user_annotation  gloo:all_reduce
      1  1490  510   cpu_op           aten::add
  )");
  CHECK(small.path() == Lines{"handoff 60", "communication gloo:all_reduce 1400", "handoff ProfilerStep#1 30",
                              "cpu_operator aten::add 510"});
  CHECK(has_edge(small.step, "cpu_untraced ProfilerStep#1 30"));
}

TEST_CASE("a collective begins when it was asked for and its thread is free") {
  const SmallStep small(R"(
      1  0     3000  user_annotation  ProfilerStep#1
      1  10    10    cpu_op           c10d::allreduce_
      1  30    10    cpu_op           c10d::allreduce_
      2  60    900   user_annotation  gloo:all_reduce
      2  990   1900  user_annotation  gloo:all_reduce
      1  2950  50    cpu_op           aten::add
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10", "handoff 50", "communication gloo:all_reduce 900",
                              "handoff 30", "communication gloo:all_reduce 1900", "handoff ProfilerStep#1 60",
                              "cpu_operator aten::add 50"});
}

TEST_CASE("a collective that other work hides is not waited for") {
  const SmallStep small(R"(
      1  0    1000  user_annotation  ProfilerStep#1
      1  0    10    cpu_op           c10d::allreduce_
      2  30   400   user_annotation  gloo:all_reduce
      1  10   440   cpu_op           aten::mm
      1  600  400   cpu_op           aten::add
  )");
  CHECK(small.path() == Lines{"cpu_operator c10d::allreduce_ 10", "cpu_operator aten::mm 440",
                              "cpu_untraced ProfilerStep#1 150", "cpu_operator aten::add 400"});
}

TEST_CASE("a helper thread begins because of something the main thread did") {
  const SmallStep small(R"(
      1        0    100  user_annotation  ProfilerStep#1
      1        10   30   cpu_op           prefetch
      1        40   60   cpu_op           aten::mm
      2        50   20   cpu_op           copy_batch
      2        55   10   cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/20  66   200  kernel           unpack            correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_untraced ProfilerStep#1 10", "cpu_operator prefetch 30", "handoff 10",
                              "cpu_operator copy_batch 5", "cpu_runtime cudaLaunchKernel 10", "launch_delay unpack 1",
                              "kernel unpack 200"});
}

TEST_CASE("a thread that pauses for long is idle, until it is given work again") {
  const SmallStep small(R"(
      1       0    1000  user_annotation  ProfilerStep#1
      1       0    990   cpu_op           aten::mm
      2       5    10    cpu_op           poll
      2       500  10    cpu_op           poll
      2       502  5     cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  520  800   kernel           gemm              correlation=1
  )");
  // What gave it the work is the last thing the main thread began before: there is nothing closer in the trace.
  CHECK(small.path() == Lines{"handoff 500", "cpu_operator poll 2", "cpu_runtime cudaLaunchKernel 5",
                              "launch_delay gemm 13", "kernel gemm 800"});
}

TEST_CASE("a helper that goes on when a third thread has finished was waiting for that, not for the main thread") {
  const SmallStep small(R"(
      1       0     2000  user_annotation  ProfilerStep#1
      2       50    200   cpu_op           MmBackward
      3       260   900   user_annotation  gloo:all_reduce
      3       270   1     cpu_op           aten::view
      2       1200  100   cpu_op           copy_bucket_to_grad
      2       1210  10    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  1230  900   kernel           copy              correlation=1
      1       1340  20    cpu_op           Optimizer.step
  )");
  CHECK(small.path() == Lines{"handoff ProfilerStep#1 260", "communication gloo:all_reduce 10",
                              "cpu_operator aten::view 1", "communication gloo:all_reduce 889", "handoff 40",
                              "cpu_operator copy_bucket_to_grad 10", "cpu_runtime cudaLaunchKernel 10",
                              "launch_delay copy 10", "kernel copy 900"});
}

TEST_CASE("a thread that is joined is waited for, whenever it began") {
  const auto path_with = [](const std::string& name) {
    return SmallStep(
               "1  0    1000  user_annotation  ProfilerStep#1\n"
               "1  10   20    python_function  start\n"
               "1  300  600   python_function  \"" +
               name +
               "\"\n"
               "2  160  730   cpu_op           work\n")
        .path();
  };
  for (const char* lock : {"$<unknown> acquire", "<method 'acquire' of '_thread.lock' objects>"}) {
    const Lines path = path_with(lock);
    CHECK(std::find(path.begin(), path.end(), "cpu_operator work 730") != path.end());
  }
  const Lines other = path_with("compute");
  CHECK(std::find(other.begin(), other.end(), "cpu_python compute 600") != other.end());
}

TEST_CASE("one thread has nobody to wait for") {
  const SmallStep small(R"(
      1  0    100  cpu_op  aten::mm
      1  500  100  cpu_op  aten::mm
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mm 100", "cpu_untraced 400", "cpu_operator aten::mm 100"});
}

TEST_CASE("with thousands of threads the work grows with the events, not with the square of the threads") {
  std::string idle = "1  0  200000  user_annotation  ProfilerStep#1\n";
  std::string busy = idle;
  constexpr int kThreads = 6000;
  for (int t = 2; t < kThreads; ++t) {
    // Each works for 5 us, which nobody can have waited for; or for half of the step, so that any may have waited for
    // any.
    idle += std::to_string(t) + "  " + std::to_string(10 * t) + "  5  cpu_op  short\n";
    idle += std::to_string(t) + "  " + std::to_string(100'000 + 10 * t) + "  5  cpu_op  short\n";
    busy += std::to_string(t) + "  " + std::to_string(t) + "  50000  cpu_op  long\n";
    busy += std::to_string(t) + "  " + std::to_string(100'000 + t) + "  50000  cpu_op  long\n";
  }
  const auto handoffs_of = [](const std::string& text) {
    const SmallTrace small(text);
    const trace::RankTrace& rank = small.rank();
    StepWindow window;
    window.begin = 0, window.end = 200'000 * kPsPerUs;
    const trace::ContentOrder content(small.trace(), rank);
    const HostCommunication communication(small.trace(), rank);
    return find_handoffs(small.trace(), rank, make_host_lanes(small.trace(), rank, window, content), communication,
                         find_asked_collectives(small.trace(), rank, content));
  };
  const Handoffs none = handoffs_of(idle);
  CHECK(none.waits.empty());
  CHECK(none.waits_not_compared == 0);
  // Given up where it would take too long, and counted.
  CHECK(handoffs_of(busy).waits_not_compared > 0);
}
