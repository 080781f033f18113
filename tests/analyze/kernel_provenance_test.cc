#include "analyze/capture/kernel_provenance.h"

#include <doctest/doctest.h>

namespace orrery::analyze {
namespace {

using Names = std::set<std::string>;
using Lines = std::vector<std::string>;

/// With the readable bytes that the parser asks for.
Status add(KernelProvenance& provenance, std::string text) {
  const std::size_t size = text.size();
  text.append(64, '\0');
  return provenance.add(std::string_view(text).substr(0, size), "p.json");
}

Error error_of(const std::string& text) {
  KernelProvenance provenance;
  const Status added = add(provenance, text);
  REQUIRE_FALSE(added.ok());
  CHECK(provenance.size() == 0);
  CHECK(added.error().file == "p.json");
  return added.error();
}

TEST_CASE("nodes of a graph are calls of operators") {
  CHECK(operator_of_node("mul") == "mul");
  CHECK(operator_of_node("mul_13") == "mul");
  CHECK(operator_of_node("add_tensor_1") == "add");
  CHECK(operator_of_node("mm_default") == "mm");
  CHECK(operator_of_node("sum_dim_int_list_2") == "sum");
  CHECK(operator_of_node("convert_element_type_4") == "convert_element_type");
  CHECK(operator_of_node("_to_copy_3") == "_to_copy");
  // A library's own is not taken for the operator that it begins with.
  CHECK(operator_of_node("add_rms_norm_2") == "add_rms_norm");
  CHECK(operator_of_node("12") == "12");
  CHECK(operator_of_node("_1") == "_1");
  CHECK(operator_of_node("").empty());
}

TEST_CASE("of a stack the innermost frame is the source line") {
  CHECK(source_line(
            "  File \"/m/a.py\", line 9, in forward\n    return self.b(x)\n  File \"/m/b.py\", line 12, in forward\n"
            "    x = self.fc1(x)\n") == "/m/b.py:12: x = self.fc1(x)");
  CHECK(source_line("  File \"/m/b.py\", line 12, in forward") == "/m/b.py:12");
  CHECK(source_line("\n  x = self.fc1(x)\n\n") == "x = self.fc1(x)");
  CHECK(source_line("").empty());
}

TEST_CASE("kernel_information.json: calls of one kernel count together") {
  KernelProvenance provenance;
  REQUIRE(add(provenance, R"({
    "triton_poi_fused_addmm_gelu_2:5": {
      "stack_traces": ["  File \"m.py\", line 7, in f\n    z = gelu(y)\n", "  File \"m.py\", line 6, in f\n    y = addmm(c, d, b)\n"],
      "post_grad_nodes": ["mul_3", "mul_1", "add_tensor", "add", "erf", "mul_2"], "pre_grad_nodes": ["gelu", "addmm"]},
    "triton_poi_fused_addmm_gelu_2:9": {
      "stack_traces": ["  File \"m.py\", line 7, in f\n    z = gelu(y)\n", "  File \"m.py\", line 9, in f\n    w = gelu(v)\n"],
      "post_grad_nodes": ["tanh"], "pre_grad_nodes": []},
    "aoti_torch_cuda_mm_out:1": {"stack_traces": [], "post_grad_nodes": [], "pre_grad_nodes": ["linear"]}})")
              .ok());
  const KernelSource* const kernel = provenance.find("triton_poi_fused_addmm_gelu_2");
  REQUIRE(kernel != nullptr);
  CHECK(kernel->operators == Names{"add", "erf", "mul", "tanh"});
  CHECK(kernel->lines == Lines{"m.py:7: z = gelu(y)", "m.py:6: y = addmm(c, d, b)", "m.py:9: w = gelu(v)"});
  CHECK(provenance.find("aoti_torch_cuda_mm_out")->operators == Names{"linear"});
  CHECK(provenance.find("triton_poi_fused_addmm_gelu_2:5") == nullptr);
}

TEST_CASE("lists of nodes, lists of stacks and mappings of nodes say the same, and add to one another") {
  KernelProvenance provenance;
  REQUIRE(add(provenance, R"({"triton_poi_fused_mul_0": ["mul"]})").ok());
  REQUIRE(add(provenance, R"({"triton_poi_fused_mul_0:3": ["  File \"m.py\", line 4, in f\n    d = a * 3\n"]})").ok());
  REQUIRE(add(provenance, R"({"preToPost": {"a": ["b"]}, "postToPre": {}, "postToCppCode": {},
                              "cppCodeToPost": {"triton_poi_fused_mul_0:3": ["mul", "relu_1"]}, "version": 2.0})")
              .ok());
  REQUIRE(add(provenance, "{}").ok());
  CHECK(provenance.size() == 1);
  CHECK(provenance.find("triton_poi_fused_mul_0")->operators == Names{"mul", "relu"});
  CHECK(provenance.find("triton_poi_fused_mul_0")->lines == Lines{"m.py:4: d = a * 3"});
}

TEST_CASE("what is no such file is refused with its place, and nothing of it is taken") {
  CHECK(error_of(R"({"k": ["mul"], "kernel_name": "Linux"})").offset == 30);
  CHECK(error_of(R"({"k": ["mul", 3]})").offset == 14);
  CHECK(error_of(R"({"k": {"grid": [1]}})").offset == 6);
  CHECK(error_of(R"({"k": {"post_grad_nodes": 5}})").offset == 26);
  CHECK(error_of(R"({"cppCodeToPost": []})").offset == 18);
  CHECK(error_of("[]").offset == 0);
  CHECK_FALSE(error_of(R"({"k": ["mul")").message.empty());
  CHECK_FALSE(error_of("").message.empty());
  CHECK_FALSE(error_of("none").message.empty());
}

}  // namespace
}  // namespace orrery::analyze
