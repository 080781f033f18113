#include "causal/hta/kernel_type.h"

#include <algorithm>
#include <initializer_list>

namespace orrery::causal::hta {
namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view text) { return name.starts_with(text); });
}

// ".*Sync" matched at the start: the dot of Python's expressions stops at the end of the line.
bool first_line_contains(std::string_view name, std::string_view text) {
  return name.substr(0, name.find('\n')).find(text) != name.npos;
}

bool is_no_computation(std::string_view name) {
  if (starts_with_any(name, {"nccl", "Stream Wait Event", "runFunction", "hip", "job_exe", "packet", "pe_exe",
                             "cpum_exe_subgraph", "hccl", "collective_subgraph_execution"}))
    return true;
  if (name.starts_with("cuda") && first_line_contains(name.substr(4), "LaunchKernel")) return true;
  constexpr std::string_view kAnywhere[] = {"Memcpy", "Memset", "dma", "Sync"};
  return std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                     [&](std::string_view text) { return first_line_contains(name, text); });
}

}  // namespace

std::string_view to_string(KernelType type) {
  switch (type) {
    case KernelType::computation: return "COMPUTATION";
    case KernelType::communication: return "COMMUNICATION";
    case KernelType::memory: return "MEMORY";
    case KernelType::other: return "OTHER";
  }
  return "";
}

bool is_communication(std::string_view name) {
  return starts_with_any(name, {"nccl", "hip", "hccl"}) || first_line_contains(name, "ncclKernel");
}

bool is_memory(std::string_view name) {
  return starts_with_any(name, {"Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"});
}

KernelType kernel_type(std::string_view name) {
  if (is_communication(name)) return KernelType::communication;
  if (is_memory(name)) return KernelType::memory;
  return is_no_computation(name) ? KernelType::other : KernelType::computation;
}

}  // namespace orrery::causal::hta
