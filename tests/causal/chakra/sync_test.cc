// Synchronisation: what the critical path says, and on which rows it ends up.
#include "causal/chakra/sync_path.h"
#include "small_pair.h"

using namespace orrery;
using namespace orrery::causal::chakra;
using namespace orrery::causal::chakra::testing;
namespace hta = orrery::causal::hta;

namespace {

// mm launches a long kernel, item waits for it, add comes afterwards.
constexpr std::string_view kWait = R"(
      1       0    5000  user_annotation  ProfilerStep#1
      1       10   20    cpu_op           aten::mm               "External id"=101 "Record function id"=11
      1       12   2     cuda_runtime     cudaLaunchKernel       "External id"=101 correlation=1
      gpu0/7  20   500   kernel           gemm                   "External id"=101 correlation=1
      1       40   520   cpu_op           aten::item             "External id"=102 "Record function id"=12
      1       50   500   cuda_runtime     cudaStreamSynchronize  "External id"=102 correlation=2
      gpu0/7  50   475   cuda_sync        "Stream Sync"          correlation=2
      1       600  50    cpu_op           aten::add              "External id"=103 "Record function id"=13
)";

std::vector<HostRow> rows_with_ids(std::uint64_t mm, std::uint64_t item, std::uint64_t add) {
  return with_roots({{.id = mm, .parent = 2, .record_function = 11, .name = "aten::mm"},
                     {.id = item, .parent = 2, .record_function = 12, .name = "aten::item"},
                     {.id = add, .parent = 2, .record_function = 13, .name = "aten::add"}});
}

struct PathLines {
  explicit PathLines(std::string_view text) : small(text) {
    const Result<SyncPath> found = find_sync_path(small.trace(), small.rank());
    if (!found) {
      error = found.error().message;
      return;
    }
    refusal = found->refusal.value_or("");
    const auto node = [&](hta::NodeNumber n) {
      return std::string(found->rows.name_text(found->nodes.row[n])) + (found->nodes.is_start[n] != 0 ? "." : "!");
    };
    const auto line = [&](const hta::Edge& edge) {
      return fmt::format("{} {} {} {}", node(edge.from), hta::to_string(edge.type), node(edge.to),
                         edge.weight / kPsPerUs);
    };
    for (const hta::Edge& edge : found->edges) edges.push_back(line(edge));
    for (const std::uint32_t e : found->path_edges) path.push_back(line(found->edges[e]));
  }

  orrery::testing::SmallTrace small;
  Lines edges, path;
  std::string refusal, error;
};

}  // namespace

TEST_CASE("chakra sync path: from the launch through the kernel and the wait to the end") {
  const PathLines found(kWait);
  CHECK(found.error == "");
  CHECK(found.path == Lines{"aten::mm. operator cudaLaunchKernel. 2", "cudaLaunchKernel. kernel_launch_delay gemm. 8",
                            "gemm. operator gemm! 500", "gemm! sync_dependency cudaStreamSynchronize! 0",
                            "cudaStreamSynchronize! operator aten::item! 10", "aten::item! dependency aten::add. 0",
                            "aten::add. operator aten::add! 50"});
  // The call that waits costs nothing itself, nor does the time between operators.
  CHECK(found.edges == Lines{"aten::mm. operator cudaLaunchKernel. 2", "cudaLaunchKernel. operator cudaLaunchKernel! 2",
                             "cudaLaunchKernel! operator aten::mm! 16", "aten::mm! dependency aten::item. 0",
                             "aten::item. operator cudaStreamSynchronize. 10",
                             "cudaStreamSynchronize. operator cudaStreamSynchronize! 0",
                             "cudaStreamSynchronize! operator aten::item! 10", "aten::item! dependency aten::add. 0",
                             "aten::add. operator aten::add! 50", "gemm. operator gemm! 500",
                             "cudaLaunchKernel. kernel_launch_delay gemm. 8",
                             "gemm! sync_dependency cudaStreamSynchronize! 0"});
}

TEST_CASE("chakra sync: the next operator after the wait depends on the kernel") {
  // Old ids 1, 2, 3, 4, 5 become 0, 1, 2, 4, 5, the kernel 3. When it is made, aten::add still has its old id.
  CHECK(SmallPair(rows_with_ids(3, 4, 5), kWait).lines() ==
        Lines{"2<1 aten::mm 10+20 (20)", "3<2 gemm 20+500 kernel stream 7", "4<1 aten::item 40+520 (520)",
              "5<1 aten::add 600+50 (50) sync 3"});
}

TEST_CASE("chakra sync: a row that has its new id already is mistaken for the one that had this id before") {
  // aten::add goes from 3 to 2; and 2 was the thread, which is row 1 now.
  CHECK(SmallPair(rows_with_ids(4, 5, 3), kWait).lines() ==
        Lines{fmt::format("1<0 {} sync 4", kThreadName), "2<1 aten::add 600+50 (50)", "3<1 aten::mm 10+20 (20)",
              "4<3 gemm 20+500 kernel stream 7", "5<1 aten::item 40+520 (520)"});
  // aten::add goes from 30 to 2; the thread had 20, so that nobody had 2.
  auto rows = rows_with_ids(40, 50, 30);
  for (HostRow& row : rows) {
    if (row.id == 2) row.id = 20;
    if (row.parent == 2) row.parent = 20;
  }
  CHECK(SmallPair(rows, kWait).lines() == Lines{"2<1 aten::add 600+50 (50) sync 4", "3<1 aten::mm 10+20 (20)",
                                                "4<3 gemm 20+500 kernel stream 7", "5<1 aten::item 40+520 (520)"});
}

TEST_CASE("chakra sync: equal External ids, or no operator afterwards, and there is nothing to say") {
  std::string text(kWait);
  text.replace(text.find("\"External id\"=102 correlation=2"), 17, "\"External id\"=101");
  CHECK(SmallPair(rows_with_ids(3, 4, 5), text).lines().back() == "5<1 aten::add 600+50 (50)");
  text = kWait;
  text.replace(text.find("600  50 "), 8, "32   5  ");
  const SmallPair last(rows_with_ids(3, 4, 5), text);
  CHECK(last.error() == "");
  for (const std::string& line : last.lines()) CHECK(line.find("sync") == std::string::npos);
}

TEST_CASE("chakra sync: where the original raises a ValueError there are no synchronisations, and a warning") {
  const std::string text = std::string(kWait) + R"(
      1       700  5  cuda_runtime  cudaEventRecord  correlation=9
      1       710  5  cuda_runtime  cudaEventRecord  correlation=9
  )";
  CHECK(PathLines(text).refusal == "several cudaEventRecord calls have one correlation");
  const SmallPair pair(rows_with_ids(3, 4, 5), text);
  CHECK(pair.count("L213") == 1);
  CHECK(pair.lines().back() == "5<1 aten::add 600+50 (50)");
}

TEST_CASE("chakra sync path: a copy of no time has no bandwidth, which only matters where events were recorded") {
  const std::string copy = std::string(kWait) + R"--(
      1       700  5  cuda_runtime  cudaMemcpyAsync  correlation=8
      gpu0/7  710  0  gpu_memcpy    copy             correlation=8  "memory bandwidth (GB/s)"=N/A
  )--";
  CHECK(PathLines(copy).refusal == "");
  const std::string recorded = copy + R"(
      1       15   1   cuda_runtime  cudaEventRecord       correlation=9
      1       720  9   cuda_runtime  cudaEventSynchronize  correlation=10
      gpu0/-1 720  8   cuda_sync     "Event Sync"          correlation=10 wait_on_stream=7 wait_on_cuda_event_record_corr_id=9
  )";
  CHECK(PathLines(recorded).refusal == "memory bandwidth N/A is no number");
}

TEST_CASE("chakra sync path: several steps, and the last is dropped with all that starts after it") {
  const std::string text = std::string(kWait) + R"(
      1       550  400  user_annotation  ProfilerStep#2
  )";
  const PathLines found(text);
  CHECK(found.error == "");
  CHECK(found.path.back() == "cudaStreamSynchronize! operator aten::item! 10");
}

TEST_CASE(
    "chakra sync path: one correlation on two host events of kept steps repeats device rows, which nobody survives") {
  const PathLines found(std::string(kWait) + R"(
      1       30   1    cuda_runtime     cudaGetLastError  correlation=1
      1       550  400  user_annotation  ProfilerStep#2
  )");
  CHECK(found.error == "correlation 1 of device work is that of 2 host events, which repeats its rows");
}

TEST_CASE("chakra sync path: a wait whose call is outside of the step") {
  const PathLines found(std::string(kWait) + R"(
      1       6000  500  cuda_runtime  cudaStreamSynchronize  correlation=3
      gpu0/7  6000  475  cuda_sync     "Stream Sync"          correlation=3
  )");
  CHECK(found.error == "");  // neither is part of the step
  CHECK(found.path.size() == 7);
}
