#include "causal/program/tensor_reads.h"

#include <doctest/doctest.h>

#include <string>

#include "small_link.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

/// "gemm>add": the names of writer and reader, in the order of RankTensors.
std::string reads_text(const SmallLink& link) {
  const trace::RankTrace& rank = link.trace.ranks.front();
  const HostMatch match = match_host(rank, *link.host, link.trace.strings);
  const RankTensors tensors = find_tensor_reads(rank, match, make_operator_index(link.trace, rank), link.arguments);
  const auto name = [&](std::uint32_t ordinal) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      if (rank.ordinal[e] == ordinal) return std::string(link.trace.name(rank, e));
    }
    return std::string("?");
  };
  std::string text;
  for (const RankTensors::Read& read : tensors.reads) text += name(read.writer) + ">" + name(read.reader) + " ";
  text += "known:";
  for (const std::uint32_t ordinal : tensors.known) text += " " + name(ordinal);
  return text;
}

// Three operators on one stream; the first launches two kernels.
constexpr const char* kLines = R"(
    1       0   20  cpu_op        aten::mm          "Record function id"=1
    1       5   5   cuda_runtime  cudaLaunchKernel  correlation=1
    1       12  5   cuda_runtime  cudaLaunchKernel  correlation=2
    1       20  20  cpu_op        aten::add_        "Record function id"=2
    1       25  5   cuda_runtime  cudaLaunchKernel  correlation=3
    1       40  20  cpu_op        aten::sum         "Record function id"=3
    1       45  5   cuda_runtime  cudaLaunchKernel  correlation=4
    gpu0/7  15  30  kernel        gemm              correlation=1
    gpu0/7  50  10  kernel        split             correlation=2
    gpu0/7  60  30  kernel        add               correlation=3
    gpu0/7  90  30  kernel        sum               correlation=4
)";

}  // namespace

TEST_CASE(
    "every writer counts, also where a later one ran on the same stream; an operator's works follow one another") {
  const SmallLink link(kLines, {{2, 1, 1, "aten::mm", "[]", "[" + tensor(5) + "]"},
                                {3, 1, 2, "aten::add_", "[]", "[" + tensor(6) + "]"},
                                {4, 1, 3, "aten::sum", "[" + tensor(5) + ", " + tensor(6) + "]"}});
  CHECK(reads_text(link) == "gemm>split split>sum add>sum known: gemm split add sum");
}

TEST_CASE("work of operators without a row is not known, and reads of it neither") {
  const SmallLink link(
      kLines, {{2, 1, 1, "aten::mm", "[]", "[" + tensor(5) + "]"}, {4, 1, 3, "aten::sum", "[" + tensor(5) + "]"}});
  CHECK(reads_text(link) == "gemm>split split>sum known: gemm split sum");
}
