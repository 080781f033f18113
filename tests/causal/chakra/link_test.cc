// chakra_trace_link, from two traces to rows. Expected rows are worked out by the rules of the original.
#include "causal/chakra/link.h"

#include "small_pair.h"

using namespace orrery;
using namespace orrery::causal::chakra::testing;

namespace {

const std::vector<HostRow> kThreeOps = with_roots({{.id = 3, .parent = 2, .record_function = 11, .name = "aten::mm"},
                                                   {.id = 6, .parent = 2, .record_function = 12, .name = "aten::item"},
                                                   {.id = 9, .parent = 6, .record_function = 13, .name = "aten::add"}});

}  // namespace

TEST_CASE("chakra link: rows are renumbered, device work follows the operator it was launched under") {
  const SmallPair pair(kThreeOps, with_step(R"(
      1       10   20  cpu_op        aten::mm          "External id"=101 "Record function id"=11
      1       12   2   cuda_runtime  cudaLaunchKernel  "External id"=101 correlation=1
      1       40   60  cpu_op        aten::item        "External id"=102 "Record function id"=12
      1       50   20  cpu_op        aten::add         "External id"=103 "Record function id"=13
      1       52   2   cuda_runtime  cudaMemcpyAsync   "External id"=103 correlation=2
      gpu0/7  61   9   gpu_memcpy    copy              "External id"=103 correlation=2
      gpu0/7  20   6   kernel        gemm              "External id"=101 correlation=1
  )"));
  CHECK(pair.error() == "");
  CHECK(pair.lines() == Lines{"2<1 aten::mm 10+20 (20)", "3<2 gemm 20+6 kernel stream 7", "4<1 aten::item 40+60 (40)",
                              "5<4 aten::add 50+20 (20)", "6<5 copy 61+9 gpu_memcpy stream 7"});
  CHECK(pair.count("L212") == 1);  // warm_up
  CHECK(pair.count("L214") == 0);
}

TEST_CASE("chakra link: a row that the profiler does not know, or that cannot be reached from row 1, gets no times") {
  auto rows = kThreeOps;
  rows[2].parent = 77;  // aten::item, and aten::add below it
  rows[1].record_function = 5;
  const SmallPair pair(rows, with_step(R"(
      1  10  20  cpu_op  aten::mm    "External id"=101 "Record function id"=11
      1  40  60  cpu_op  aten::item  "External id"=102 "Record function id"=12
      1  50  20  cpu_op  aten::add   "External id"=103 "Record function id"=13
  )"));
  // Five rows are numbered 0 to 4; the parent that does not exist takes the next number.
  CHECK(pair.lines() == Lines{"2<1 aten::mm", "3<5 aten::item", "4<3 aten::add"});
  CHECK(pair.count("L214") == 1);
}

TEST_CASE("chakra link: of operators with one record function the last counts, and 0 is one like others") {
  auto rows = kThreeOps;
  rows[3].record_function = 0;
  const SmallPair pair(rows, with_step(R"(
      1  10  20  cpu_op  aten::mm    "External id"=101 "Record function id"=11
      1  40  30  cpu_op  aten::mm    "External id"=102 "Record function id"=11
      1  80  5   cpu_op  aten::zero  "External id"=103 "Record function id"=0
  )"));
  CHECK(pair.lines() == Lines{"2<1 aten::mm 40+30 (30)", "3<1 aten::item", "4<3 aten::add 80+5 (5)"});
}

TEST_CASE("chakra link: all annotations without an External id share one lot of device work") {
  const SmallPair pair(kThreeOps, with_step(R"(
      1       10   20  user_annotation  first             "Record function id"=11
      1       12   2   cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  20   6   kernel           gemm              correlation=1
      1       40   60  user_annotation  second            "Record function id"=12
  )"));
  CHECK(pair.lines() == Lines{"2<1 aten::mm 10+20 (20)", "3<2 gemm 20+6 kernel stream 7", "4<1 aten::item 40+60 (60)",
                              "5<4 gemm 20+6 kernel stream 7", "6<4 aten::add"});
}

TEST_CASE(
    "chakra link: the operator with the kernel's External id is taken however far back, else the nearest of the "
    "thread") {
  const SmallPair pair(kThreeOps, with_step(R"(
      1       10   20  cpu_op        aten::mm          "External id"=101 "Record function id"=11
      1       40   60  cpu_op        aten::item        "External id"=102 "Record function id"=12
      2       45   60  cpu_op        aten::other       "External id"=555
      1       52   2   cuda_runtime  cudaLaunchKernel  correlation=1
      1       55   2   cuda_runtime  cudaLaunchKernel  correlation=2
      1       58   2   cuda_runtime  cudaLaunchKernel  correlation=3
      gpu0/7  60   1   kernel        of_mm             "External id"=101 correlation=1
      gpu0/7  62   1   kernel        of_nearest        "External id"=555 correlation=2
      gpu0/7  64   1   kernel        unlaunched        "External id"=101 correlation=4
      gpu0/7  66   1   kernel        without_id        correlation=3
  )"));
  CHECK(pair.lines() == Lines{"2<1 aten::mm 10+20 (20)", "3<2 of_mm 60+1 kernel stream 7", "4<1 aten::item 40+60 (60)",
                              "5<4 of_nearest 62+1 kernel stream 7", "6<4 without_id 66+1 kernel stream 7",
                              "7<4 aten::add"});
  CHECK(pair.count("L211") == 1);
}

TEST_CASE("chakra link: communication is not put under nccl:coalesced, and device kernels of NCCL keep their group") {
  const SmallPair pair(kThreeOps, with_step(R"(
      1       10   80  cpu_op        aten::mm          "External id"=101 "Record function id"=11
      1       40   40  cpu_op        nccl:coalesced    "External id"=102 "Record function id"=12
      1       52   2   cuda_runtime  cudaLaunchKernel  correlation=1
      1       55   2   cuda_runtime  cudaLaunchKernel  correlation=2
      1       58   2   cuda_runtime  cudaLaunchKernel  correlation=3
      gpu0/7  60   1   kernel        ncclDevKernel_AllReduce  "External id"=102 correlation=1 "Process Group Name"=dp
      gpu0/7  62   1   kernel        gemm              "External id"=102 correlation=2 "Process Group Name"=dp
      gpu0/7  64   1   kernel        NCCLold           "External id"=102 correlation=3 "Process Group Name"=dp
  )"));
  CHECK(pair.lines() == Lines{"2<1 aten::mm 10+80 (40)", "3<2 ncclDevKernel_AllReduce 60+1 kernel stream 7 in dp",
                              "4<2 NCCLold 64+1 kernel stream 7", "5<1 aten::item 40+40 (40)",
                              "6<5 gemm 62+1 kernel stream 7", "7<5 aten::add"});
}

TEST_CASE("chakra link: an inter-thread dependency needs a row with a lower id") {
  constexpr std::string_view kTwoThreads = R"(
      1  10  20  cpu_op  a  "External id"=101 "Record function id"=11
      2  40  60  cpu_op  b  "External id"=102 "Record function id"=12
  )";
  CHECK(SmallPair(kThreeOps, with_step(kTwoThreads)).lines() ==
        Lines{"2<1 aten::mm 10+20 (20)", "3<1 aten::item 40+60 (60) after 2", "4<3 aten::add"});
  auto rows = kThreeOps;
  std::swap(rows[1].record_function, rows[2].record_function);
  CHECK(SmallPair(rows, with_step(kTwoThreads)).lines() ==
        Lines{"2<1 aten::mm 40+60 (60)", "3<1 aten::item 10+20 (20)", "4<3 aten::add"});
}

TEST_CASE(
    "chakra link: a launch from thread 0 may be put under the entry of a thread, which counts as an operator without "
    "External id") {
  const SmallPair pair(kThreeOps, with_step(R"(
      1       10   20  user_annotation  note              "Record function id"=11
      0       52   2   cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  60   1   kernel           gemm              "External id"=102 correlation=1
  )"));
  CHECK(pair.lines() ==
        Lines{"2<1 aten::mm 10+20 (20)", "3<2 gemm 60+1 kernel stream 7", "4<1 aten::item", "5<4 aten::add"});
}

TEST_CASE("chakra link: ties of doubles decide, not those of the written digits") {
  // Around 1.7e15 doubles are 0.25 apart: all three start at the same time, and the longest comes last.
  const SmallPair pair(kThreeOps, R"(
      1       1700000000000000      900  user_annotation  ProfilerStep#1
      1       1700000000000001      2    cuda_runtime     cudaLaunchKernel  correlation=900000
      gpu0/9  1700000000000004      1    kernel           warm_up           correlation=900000
      1       1700000000000100.001  80   cpu_op  a  "External id"=101 "Record function id"=11
      1       1700000000000100.002  20   cpu_op  b  "External id"=102 "Record function id"=12
      1       1700000000000100.003  50   cpu_op  c  "External id"=103 "Record function id"=13
  )");
  CHECK(pair.error() == "");
  CHECK(pair.lines() == Lines{"2<1 aten::mm 1700000000000100+80 (80)", "3<1 aten::item 1700000000000100+20 (20)",
                              "4<3 aten::add 1700000000000100+50 (50)"});
}

TEST_CASE("chakra link: what the original stops on") {
  const auto error_of = [](std::string_view lines) { return SmallPair(kThreeOps, lines).error(); };
  const std::string fine = with_step("1  10  20  cpu_op  aten::mm  \"Record function id\"=11\n");
  CHECK(error_of(fine) == "");
  CHECK(error_of(fine + "1 30 1 cuda_runtime cudaLaunchKernel correlation=900000\n") ==
        "two launches have the correlation 900000");
  CHECK(error_of(fine + "1 30 1 cuda_runtime cudaMemcpy\n1 32 1 cuda_driver cuLaunchKernel\n") ==
        "two launches have the correlation -1");
  CHECK(error_of(fine + "1 30 -1 cpu_op backwards\n") ==
        "an operator's callees take longer than itself: its exclusive time is negative");
  CHECK(error_of(fine + "1 30 1 user_annotation ProfilerStep\n") ==
        "\"ProfilerStep\" begins like the name of a profiler step but has no number");
  CHECK(error_of("1 10 20 cpu_op aten::mm\n1 12 2 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 15 2 kernel k "
                 "correlation=1\n") == "no event name contains \"ProfilerStep\"");
  CHECK(error_of("1 0 50 user_annotation ProfilerStep#1\n1 10 20 cpu_op aten::mm\n") ==
        "no kernel or copy has a recorded launch: there are no queues");
  CHECK(error_of("1 0 50 user_annotation ProfilerStep#1\n") == "there is neither a cpu_op nor a cuda_runtime event");

  auto rows = kThreeOps;
  rows.pop_back();
  CHECK(SmallPair(rows, fine).error() == "there is no row with id 1, from which all are called");
}

TEST_CASE("chakra link: a chain of a hundred thousand rows") {
  std::vector<HostRow> rows;
  for (std::uint64_t id = 3; id < 100'000; ++id)
    rows.push_back({.id = id, .parent = id - 1, .record_function = 5, .name = "op"});
  const SmallPair pair(with_roots(std::move(rows)), with_step("1  10  20  cpu_op  op  \"Record function id\"=5\n"));
  CHECK(pair.error() == "");
  CHECK(pair.linked().size() == 99'999);
  CHECK(pair.linked().measured[99'998].measured);
}
