// Which operators take longer in one run than in another, whatever their kernels are called.
#include "analyze/diff/operator_changes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "analyze/diff/diff_sheets.h"
#include "formats/kineto/reader.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

namespace orrery::analyze {
namespace {

using Rows = std::vector<std::string>;

/// A run as it is compared: all that was recorded.
OperatorGroups groups_of(std::string_view lines) {
  orrery::testing::TempDir dir;
  kineto::ReadOptions options;
  options.requested.operands = true;
  Diagnostics diagnostics;
  const Result<trace::Trace> job =
      kineto::read_job({dir.write("trace.json", orrery::testing::kineto_json(lines))}, diagnostics, options);
  REQUIRE(job.ok());
  const trace::RankTrace& rank = job->ranks.front();
  const trace::ContentOrder content(*job, rank);
  const std::vector<causal::DeviceTimeline> timelines = [&] {
    std::vector<causal::DeviceTimeline> made;
    made.push_back(causal::make_device_timeline(*job, rank, content, diagnostics));
    return made;
  }();
  const auto window = causal::choose_window(*job, rank, timelines.front(), content, {"", {}, {}});
  REQUIRE(window.ok());
  return RunOperators(*job, timelines).groups({&*window, 1});
}

/// "aten::linear [[2,3],[3,4]] in Net_0: 1 x 5 -> 1 x 7, other kernels"; times in microseconds.
Rows rows_of(const OperatorChanges& changes) {
  Rows rows;
  TimePs change = 0;
  for (const OperatorChange& row : changes.rows) {
    std::string text =
        row.key.op.empty() ? "kernel " + (row.a.kernels.empty() ? row.b : row.a).kernels.front() : row.key.op;
    if (!row.key.shapes.empty()) text += " " + row.key.shapes;
    if (!row.module.empty()) text += " in " + row.module;
    rows.push_back(fmt::format("{}: {} x {} -> {} x {}, {} kernels, {}", text, row.a.calls, row.a.time / kPsPerUs,
                               row.b.calls, row.b.time / kPsPerUs, row.has_same_kernels() ? "same" : "other",
                               to_string(row.status())));
    change += row.change();
  }
  CHECK(change == changes.b - changes.a);
  return rows;
}
Rows rows_of(const OperatorGroups& a, const OperatorGroups& b, bool by_module = true) {
  const OperatorChanges forth = compare_operators(a, b, by_module), back = compare_operators(b, a, by_module);
  CHECK(forth.rows.size() == back.rows.size());
  CHECK(forth.a_matched == back.b_matched);
  return rows_of(forth);
}

OperatorGroup group(std::string op, std::string shapes, TimePs us, std::vector<std::string> kernels,
                    std::string module = {}) {
  OperatorGroup made;
  made.outer = made.inner = {op, std::move(shapes), "[\"float\"]"};
  if (made.outer.op.empty()) made.outer = made.inner = {};
  made.module = std::move(module);
  made.calls = 1;
  made.time = us * kPsPerUs;
  for (std::string& kernel : kernels)
    made.kernels.push_back({std::move(kernel), 1, made.time / static_cast<TimePs>(kernels.size())});
  if (!op.empty()) made.operators = {op};
  return made;
}

constexpr std::string_view kOneVendor = R"(
    1       5    100  python_function  "nn.Module: Net_0"
    1       10   20   cpu_op           aten::linear  "Input Dims=[[2, 3], [3, 4]]"
    1       11   15   cpu_op           aten::addmm   "Input Dims=[[4],[2,3],[3,4]]"
    1       12   2    cuda_runtime     cudaLaunchKernel  correlation=1
    1       15   2    cuda_runtime     cudaLaunchKernel  correlation=2
    1       40   10   cpu_op           aten::relu    "Input Dims=[[2,4]]"
    1       41   5    cuda_runtime     cudaLaunchKernel  correlation=3
    gpu0/7  20   5    kernel           nvjet_gemm    correlation=1
    gpu0/7  26   1    kernel           splitK        correlation=2
    gpu0/7  50   3    kernel           relu          correlation=3
    gpu0/7  60   4    kernel           lost          correlation=9
)";
constexpr std::string_view kAnother = R"(
    1       5    100  python_function  "nn.Module: Net_0"
    1       10   20   cpu_op           aten::linear  "Input Dims=[[2,3],[3,4]]"
    1       12   2    cuda_runtime     hipLaunchKernel  correlation=1
    1       40   10   cpu_op           aten::relu    "Input Dims=[[2,4]]"
    1       41   5    cuda_runtime     hipLaunchKernel  correlation=3
    gpu0/7  20   9    kernel           Cijk_gemm     correlation=1
    gpu0/7  50   3    kernel           relu          correlation=3
)";

TEST_CASE("eager and compiled: what autograd and compilers record around operators is none") {
  const OperatorGroups eager = groups_of(R"(
    1       0    60   cpu_op         "autograd::engine::evaluate_function: MmBackward0"
    1       1    50   cpu_op         MmBackward0
    1       10   20   cpu_op         aten::mm  "Input Dims=[[2,3],[3,4]]"
    1       12   2    cuda_runtime   cudaLaunchKernel  correlation=1
    gpu0/7  20   5    kernel         sgemm         correlation=1
  )");
  const OperatorGroups compiled = groups_of(R"(
    1       0    60   cpu_op         CompiledFunctionBackward
    1       10   20   cpu_op         aten::mm  "Input Dims=[[2,3],[3,4]]"
    1       12   2    cuda_runtime   cudaLaunchKernel  correlation=1
    gpu0/7  20   4    kernel         sgemm         correlation=1
  )");
  CHECK(rows_of(eager, compiled) == Rows{"aten::mm [[2,3],[3,4]]: 1 x 5 -> 1 x 4, same kernels, faster"});
}

TEST_CASE("a matrix product is one wherever its result goes") {
  OperatorGroup linear = group("aten::linear", "[[2,3],[4,3],[4]]", 5, {"sgemm"});
  linear.inner = {"aten::addmm", "[[4],[2,3],[3,4],[],[]]", R"(["float","float","float","Scalar","Scalar"])"};
  OperatorGroup out = group("aten::addmm", "[[4],[2,3],[3,4],[],[],[2,4]]", 4, {"sgemm"});
  out.outer.types = out.inner.types = R"(["float","float","float","Scalar","Scalar","float"])";
  CHECK(rows_of({linear}, {out}) == Rows{"matrix product [[1,2,3],[1,3,4]]: 1 x 5 -> 1 x 4, same kernels, faster"});
  // Another width is another product.
  out.inner.shapes = "[[8],[2,3],[3,8],[],[],[2,8]]";
  CHECK(rows_of({linear}, {out}).size() == 2);
}

}  // namespace

TEST_CASE("the same operators on another device have other kernels; blanks in shapes do not matter") {
  const OperatorGroups a = groups_of(kOneVendor), b = groups_of(kAnother);
  CHECK(rows_of(a, b) == Rows{"kernel lost: 1 x 4 -> 0 x 0, other kernels, removed",
                              "aten::linear [[2,3],[3,4]] in Net_0: 1 x 6 -> 1 x 9, other kernels, slower",
                              "aten::relu [[2,4]] in Net_0: 1 x 3 -> 1 x 3, same kernels, same"});
  const OperatorChanges changes = compare_operators(a, b, true);
  CHECK(changes.a == 13 * kPsPerUs);
  CHECK(changes.a_matched == 9 * kPsPerUs);
  CHECK(changes.b_matched == changes.b);
}

TEST_CASE("by kernel, and where one run knows no operator at all") {
  const OperatorGroups a = groups_of(kOneVendor), b = groups_of(kAnother);
  const Rows by_name{"kernel Cijk_gemm: 0 x 0 -> 1 x 9, other kernels, new",
                     "kernel nvjet_gemm: 1 x 5 -> 0 x 0, other kernels, removed",
                     "kernel lost: 1 x 4 -> 0 x 0, other kernels, removed",
                     "kernel splitK: 1 x 1 -> 0 x 0, other kernels, removed",
                     "kernel relu: 1 x 3 -> 1 x 3, same kernels, same"};
  CHECK(rows_of(by_kernel(a), by_kernel(b)) == by_name);
  CHECK(rows_of(a, by_kernel(b)) == by_name);
  CHECK(rows_of(a, {}).front() == "aten::linear [[2,3],[3,4]] in Net_0: 1 x 6 -> 0 x 0, other kernels, removed");
}

TEST_CASE("works of one call are one call; what a compiler records around its code is no operator") {
  const OperatorGroups compiled = groups_of(R"(
    1       5    100  cpu_op         "Torch-Compiled Region: 0/0"
    1       10   20   cpu_op         aten::mm  "Input Dims=[[2,3],[3,4]]"
    1       12   2    cuda_runtime   cudaLaunchKernel  correlation=1
    1       15   2    cuda_runtime   cudaLaunchKernel  correlation=2
    1       41   5    cuda_runtime   cuLaunchKernel    correlation=3
    gpu0/7  20   5    kernel         gemm      correlation=1
    gpu0/7  26   1    kernel         gemm      correlation=2
    gpu0/7  50   3    kernel         triton_poi_fused_relu_0  correlation=3
)");
  REQUIRE(compiled.size() == 2);
  CHECK(compiled[0].outer.op.empty());
  CHECK(compiled[0].kernels.front().name == "triton_poi_fused_relu_0");
  CHECK(compiled[1].outer.op == "aten::mm");
  CHECK(compiled[1].calls == 1);
  CHECK(compiled[1].kernels.front().works == 2);
}

TEST_CASE("modules tell calls apart where both runs have them; other names for modules are one row") {
  const OperatorGroups a{group("mm", "[[1]]", 5, {"k"}, "Net/A"), group("mm", "[[1]]", 6, {"k"}, "Net/B")};
  const OperatorGroups b{group("mm", "[[1]]", 7, {"k"}, "Net/A"), group("mm", "[[1]]", 9, {"k"}, "Net/C")};
  CHECK(rows_of(a, b) == Rows{"mm [[1]]: 1 x 6 -> 1 x 9, same kernels, slower",
                              "mm [[1]] in Net/A: 1 x 5 -> 1 x 7, same kernels, slower"});
  CHECK(rows_of(a, b, false) == Rows{"mm [[1]]: 2 x 11 -> 2 x 16, same kernels, slower"});
  // One of the runs has a module more.
  CHECK(rows_of(a, {b.front()}) == Rows{"mm [[1]] in Net/B: 1 x 6 -> 0 x 0, other kernels, removed",
                                        "mm [[1]] in Net/A: 1 x 5 -> 1 x 7, same kernels, slower"});
  // Nobody recorded modules in the other run: they cannot tell anything apart.
  CHECK(rows_of(a, {group("mm", "[[1]]", 7, {"k"})}) == Rows{"mm [[1]]: 2 x 11 -> 1 x 7, same kernels, faster"});
}

TEST_CASE("what one run did not record nothing is told apart by") {
  const OperatorGroups a{group("mm", "[[1]]", 5, {"k"}), group("mm", "[[2]]", 6, {"k"})};
  OperatorGroup without = group("mm", "", 7, {"k"});
  without.outer.types.clear();
  CHECK(rows_of(a, {without}) == Rows{"mm: 2 x 11 -> 1 x 7, same kernels, faster"});
}

TEST_CASE("the same operator in another type, and the operator inside of another") {
  OperatorGroup half = group("mm", "[[1]]", 3, {"h"});
  half.outer.types = half.inner.types = "[\"c10::Half\"]";
  CHECK(rows_of({group("mm", "[[1]]", 5, {"f"})}, {half}) == Rows{"mm [[1]]: 1 x 5 -> 1 x 3, other kernels, faster"});
  OperatorGroup linear = group("linear", "[[1]]", 5, {"f"});
  linear.inner = {"addmm", "[[2]]", "[\"float\"]"};
  CHECK(rows_of({linear}, {group("addmm", "[[2]]", 4, {"f"})}) ==
        Rows{"addmm [[2]]: 1 x 5 -> 1 x 4, same kernels, faster"});
  CHECK(rows_of({linear}, {group("addmm", "[[3]]", 4, {"f"})}).size() == 2);
}

TEST_CASE("fused kernels belong to the operators in their names, products do not") {
  const OperatorGroups eager{group("aten::add", "[[1]]", 5, {"add"}), group("aten::gelu", "[[1]]", 6, {"gelu"}),
                             group("aten::addmm", "[[1]]", 20, {"gemm"}), group("aten::sum", "[[1]]", 2, {"sum"})};
  const OperatorGroups compiled{group("", "", 4, {"triton_poi_fused_add_addmm_gelu_0"}),
                                group("", "", 3, {"triton_poi_fused_gelu_1"}), group("", "", 19, {"gemm"}),
                                group("aten::copy_", "[[1]]", 1, {"copy"})};
  const Rows rows = rows_of(eager, compiled);
  CHECK(rows == Rows{"aten::addmm [[1]]: 1 x 20 -> 0 x 0, other kernels, removed",
                     "kernel gemm: 0 x 0 -> 1 x 19, other kernels, new",
                     "fused(add, addmm, gelu): 2 x 11 -> 2 x 7, other kernels, faster",
                     "aten::sum [[1]]: 1 x 2 -> 0 x 0, other kernels, removed",
                     "aten::copy_ [[1]]: 0 x 0 -> 1 x 1, other kernels, new"});
}

TEST_CASE("rows as a sheet") {
  const OperatorChanges changes = compare_operators(groups_of(kOneVendor), groups_of(kAnother), true);
  const report::Sheet sheet = operator_changes_sheet(changes);
  CHECK(sheet.name() == "by_operator");
  CHECK(sheet.is_null(sheet.find("operator"), 0));
  CHECK(sheet.text(sheet.find("a_kernels"), 0) == "[\"lost\"]");
  CHECK(sheet.text(sheet.find("b_kernels"), 0) == "[]");
  CHECK(sheet.text(sheet.find("shapes"), 1) == "[[2,3],[3,4]]");
  CHECK(sheet.number(sheet.find("change"), 1) == doctest::Approx(3));
  const report::Sheet matched = matched_sheet(changes);
  CHECK(matched.number(matched.find("a"), 0) == doctest::Approx(100.0 * 9 / 13));
  CHECK(matched.number(matched.find("b"), 0) == doctest::Approx(100));
  const report::Sheet nothing = matched_sheet(compare_operators({}, {}, true));
  CHECK(nothing.is_null(0, 0));
}

}  // namespace orrery::analyze
