// What PyTorch's compiler wrote down about its kernels: which operators each fuses, and which source lines they are of.
//
// Inductor's provenance tracking (INDUCTOR_PROVENANCE=1) leaves one of these, all keyed by "kernel" or
// "kernel:debug_handle":
//     kernel_information.json                          {"k:2": {"stack_traces": [], "post_grad_nodes": [],
//                                                      "pre_grad_nodes": []}}
//     inductor_triton_kernel_to_post_grad_nodes.json   {"k": ["mul_3", "add_tensor"]}
//     inductor_provenance_tracking_node_mappings.json  {"cppCodeToPost": {"k:2": ["mul_3"]}, "version": 2.0, ...}
//     inductor_provenance_tracking_kernel_stack_traces {"k:2": ["  File \"m.py\", line 3, in forward\n    x = ...\n"]}
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::analyze {

/// Of a kernel. A recording does not say which of several calls of a kernel a work is of: all of them count.
struct KernelSource {
  std::set<std::string> operators = {};  ///< of the nodes of the graph that was compiled; empty: not told
  std::vector<std::string> lines = {};   ///< "model.py:12: x = self.fc1(x)", each once, as the file has them
};

/// "mul" of "mul_3", "add" of "add_tensor_1", "mm" of "mm_default": the operator that a node of a graph calls. FX
/// numbers nodes of one name, and some passes write the overload into it. What is no operator of PyTorch only loses its
/// number.
std::string operator_of_node(std::string_view node);

/// "model.py:12: x = self.fc1(x)": the innermost frame of a Python stack; the last line of what is none.
std::string source_line(std::string_view stack);

class KernelProvenance {
 public:
  /// Takes what a file says, which is `text`, followed by at least 64 readable bytes. An Error has the file and the
  /// byte, and nothing of it was taken then.
  Status add(std::string_view text, const std::string& file);

  /// Null: nothing is known. By the name that the kernel has in a recording.
  [[nodiscard]] const KernelSource* find(std::string_view kernel) const;
  [[nodiscard]] std::size_t size() const { return kernels_.size(); }

 private:
  std::map<std::string, KernelSource, std::less<>> kernels_;
};

}  // namespace orrery::analyze
