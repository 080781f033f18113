#include "scrub/words/new_name.h"

#include "causal/host/silent_waits.h"
#include "scrub/key.h"
#include "scrub/work_class.h"

namespace orrery::scrub {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Beginnings that analyses ask for, the longer first. Communication goes on with the collective.
constexpr std::string_view kCommunicationLeads[] = {"ncclDevKernel", "ncclKernel", "nccl:", "nccl", "hccl:",       "hccl",   "rccl:",
                                                    "xccl:",         "gloo:",      "mpi:",  "ucc:", "mscclKernel", "c10d::", "c10d"};
constexpr std::string_view kRuntimeLeads[] = {"cuda", "cu", "hip", "mtia"};

// Parts that analyses ask for anywhere in a name. What is part of another comes after it.
constexpr std::string_view kParts[] = {"ncclDevKernel",
                                       "ncclKernel",
                                       "nccl",
                                       "rccl",
                                       "Nccl",
                                       "NCCL",
                                       "DataLoader",
                                       "ProfilerStep#",
                                       "ProfilerStep",
                                       "Optimizer.step",
                                       "Optimizer.zero_grad",
                                       "forward",
                                       "autograd",
                                       "Memcpy",
                                       "HtoD",
                                       "HostToDevice",
                                       "Synchronize",
                                       "Event",
                                       "process_group:init",
                                       "LaunchKernel",
                                       "GraphLaunch",
                                       "record_param_comms",
                                       "PjRt",
                                       "PJRT",
                                       "TfrtTpu",
                                       "tf32",
                                       "s1688gemm"};

// "AllReduce" -> "all_reduce"
std::string snake_case(std::string_view words) {
  std::string snake;
  for (const char c : words) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !snake.empty()) snake += '_';
    snake += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return snake;
}

std::string_view lead_of(std::string_view name) {
  for (const std::string_view lead : kCommunicationLeads) {
    if (name.starts_with(lead)) return lead;
  }
  // A blocking call is told by its beginning and "Synchronize"; HTA takes kernels whose name begins with "hip" for communication.
  for (const std::string_view lead : kRuntimeLeads) {
    if (name.starts_with(lead) && (lead == "hip" || contains(name, "Synchronize"))) return lead;
  }
  return {};
}

// "ProfilerStep#12" or "ProfilerStep": the beginning of a name that goes on otherwise.
std::string_view step_of(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep";
  if (!name.starts_with(kStep)) return {};
  std::size_t end = kStep.size();
  if (end < name.size() && name[end] == '#') ++end;
  // The number of the step says nothing; more than nine digits are not one.
  while (end > kStep.size() && end < name.size() && end < kStep.size() + 10 && name[end] >= '0' && name[end] <= '9') ++end;
  return name.substr(0, end);
}

std::string communication_name(std::string_view lead, std::string_view name) {
  const bool is_kernel = lead.ends_with("Kernel");
  const std::string_view collective = collective_of(name);
  std::string made(lead);
  if (is_kernel) made += '_';
  else if (!lead.ends_with(':')) made += '.';
  made += is_kernel ? std::string(collective) : snake_case(collective);
  return made;
}

}  // namespace

std::string new_name(std::string_view name, std::uint64_t hash) {
  const std::string_view step = step_of(name);
  const std::string_view lead = lead_of(name);
  const bool is_communication = !lead.empty() && lead != "cuda" && lead != "cu" && lead != "hip" && lead != "mtia";
  std::string made;
  if (is_communication) {
    made = communication_name(lead, name);
  } else {
    if (!step.empty()) (made += step) += '.';
    if (!lead.empty()) (made += lead) += '.';
    made += origin_of(name);
    made += '.';
    made += class_of(name);
    // Otherwise "aten::scatter" would become a collective.
    const bool collective = class_of(name) == "communication" && !collective_of(name).empty();
    if (collective) (made += '.') += snake_case(collective_of(name));
  }
  for (const std::string_view part : kParts) {
    // Only if it is not there already: else "ncclDevKernel" would be followed by "nccl".
    if (contains(name, part) && !contains(made, part)) (made += '.') += part;
  }
  if (causal::is_waiting_call(name)) made += ".block_until_ready";
  if (!made.ends_with('_')) made += lead.ends_with("Kernel") ? '_' : '.';
  return made + to_hex(hash);
}

}  // namespace orrery::scrub
