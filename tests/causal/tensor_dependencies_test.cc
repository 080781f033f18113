// Who reads what another wrote, and the arguments this is read from.
#include "causal/program/data_dependencies.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "small_link.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::count_of;

namespace {

// Two operators that launch a kernel each, on streams 7 and 9; the second kernel starts at `second`.
std::string two_kernels(int second) {
  return fmt::format(R"(
      1       0   20  cpu_op        aten::mm          "Record function id"=1
      1       5   5   cuda_runtime  cudaLaunchKernel  correlation=1
      1       20  20  cpu_op        aten::add_        "Record function id"=2
      1       25  5   cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  15  30  kernel        gemm              correlation=1
      gpu0/9  {}  30  kernel        add               correlation=2
  )",
                     second);
}

}  // namespace

TEST_CASE("the kernel of a reader follows the kernel of the writer, across streams") {
  const SmallLink link(two_kernels(60), {{2, 1, 1, "aten::mm", "[]", "[" + tensor(5) + "]"},
                                         {3, 1, 2, "aten::add_", "[" + tensor(5) + "]"}});
  CHECK(link.depends("add", "gemm"));
  CHECK(link.count(DependencyCause::tensor) == 1);
  CHECK(link.linked->cut_edges == 0);
}

TEST_CASE("other storages, and reads before writes, make no dependency") {
  const SmallLink other(two_kernels(60), {{2, 1, 1, "aten::mm", "[]", "[" + tensor(5) + "]"},
                                          {3, 1, 2, "aten::add_", "[" + tensor(6) + "]"}});
  CHECK(other.count(DependencyCause::tensor) == 0);
  const SmallLink only_read(
      two_kernels(60), {{2, 1, 1, "aten::mm", "[" + tensor(5) + "]"}, {3, 1, 2, "aten::add_", "[" + tensor(5) + "]"}});
  CHECK(only_read.count(DependencyCause::tensor) == 0);
}

TEST_CASE("an input that the schema marks as written is") {
  const SmallLink link(two_kernels(60),
                       {{2, 1, 1, "aten::mm", "[1, " + tensor(5) + "]", "[]", "aten::mm(int n, Tensor(a!) out) -> ()"},
                        {3, 1, 2, "aten::add_", "[[" + tensor(5) + "]]"}});
  CHECK(link.depends("add", "gemm"));
}

TEST_CASE("a dependency that contradicts the recorded times is left out, counted and named") {
  const SmallLink link(two_kernels(40), {{2, 1, 1, "aten::mm", "[]", "[" + tensor(5) + "]"},
                                         {3, 1, 2, "aten::add_", "[" + tensor(5) + "]"}});
  CHECK_FALSE(link.depends("add", "gemm"));
  CHECK(link.linked->cut_edges == 1);
  CHECK(count_of(link.diagnostics, "L221") == 1);
  CHECK(broken_promise(*link.linked) == "");
}

TEST_CASE("tensors of the host: between the operators themselves, also of different threads") {
  const SmallLink link(R"(
      1  0   20  cpu_op  aten::rand  "Record function id"=1
      1  20  20  cpu_op  aten::relu  "Record function id"=2
      2  60  20  cpu_op  aten::sum   "Record function id"=3
  )",
                       {{2, 1, 1, "aten::rand", "[]", "[" + tensor(5, "cpu") + "]"},
                        {3, 1, 2, "aten::relu", "[]", "[" + tensor(6, "cpu") + "]"},
                        {4, 1, 3, "aten::sum", "[" + tensor(5, "cpu") + "]"}});
  CHECK(link.depends("aten::sum", "aten::rand"));
  CHECK(link.count(DependencyCause::tensor) == 1);
}

TEST_CASE("of several writers of one stream the last one counts") {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    lines += fmt::format(
        "1 {} 20 cpu_op op{} \"Record function id\"={}\n1 {} 5 cuda_runtime cudaLaunchKernel correlation={}\n", 30 * i,
        i, i + 1, 30 * i + 5, i + 1);
    lines += fmt::format("gpu0/{} {} 10 kernel k{} correlation={}\n", i < 2 ? 7 : 9, 30 * i + 15, i, i + 1);
  }
  const SmallLink link(lines, {{2, 1, 1, "op0", "[]", "[" + tensor(5) + "]"},
                               {3, 1, 2, "op1", "[]", "[" + tensor(6) + "]"},
                               {4, 1, 3, "op2", "[" + tensor(5) + ", " + tensor(6) + "]"}});
  CHECK(link.depends("k2", "k1"));
  CHECK_FALSE(link.depends("k2", "k0"));
}

TEST_CASE("what an operator calls is part of it") {
  const SmallLink link(R"(
      1  0   50  cpu_op  aten::randn    "Record function id"=1
      1  10  20  cpu_op  aten::normal_  "Record function id"=2
  )",
                       {{2, 1, 1, "aten::randn", "[]", "[" + tensor(5, "cpu") + "]"},
                        {3, 2, 2, "aten::normal_", "[" + tensor(5, "cpu") + "]", "[" + tensor(5, "cpu") + "]"}});
  CHECK(link.linked->cut_edges == 0);
  CHECK(link.count(DependencyCause::tensor) == 0);
}

TEST_CASE("schemas: what is written, and who the other side is") {
  using pytorch_et::parse_schema;
  CHECK(parse_schema("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)").written == 1);
  CHECK(parse_schema("aten::mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)").written == 4);
  CHECK(parse_schema("aten::_foreach_add_(Tensor(a!)[] self, int[2] sizes, Tensor(b!)[] other) -> ()").written == 5);
  CHECK(parse_schema("aten::mm(Tensor self, Tensor mat2) -> Tensor").written == 0);
  CHECK(parse_schema("").written == 0);
  CHECK(parse_schema("broken(").written == 0);
  const auto send =
      parse_schema("c10d::send(Tensor[] tensors, __torch__.ProcessGroup process_group, int dst, int tag) -> Work");
  CHECK(send.peer == 2);
  CHECK(send.tag == 3);
  CHECK(parse_schema("c10d::reduce_(Tensor[] t, ProcessGroup g, ReduceOp op, int root_rank, int root_tensor) -> Work")
            .peer == 3);
  CHECK(parse_schema("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor").peer == -1);
}

TEST_CASE("arguments that are malformed are passed over") {
  for (const char* inputs : {"[[1, 2, 3]]", "[[1, 2, 0, 8, 4]]", "[\"[1, 5, 0, 8, 4]\"]", "[[[[]]]]",
                             "[[1, 5, 0, 8, 4, 7]]", "[null, true]", "3"}) {
    CAPTURE(inputs);
    const SmallLink link("1 0 10 cpu_op aten::mm \"Record function id\"=1\n", {{2, 1, 1, "aten::mm", inputs}});
    CHECK(link.arguments.tensors.empty());
    CHECK(link.arguments.first.size() == link.host->size() + 1);
  }
}
