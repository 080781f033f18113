// Which device work communicates with other ranks: what breakdown, path and the page mean by communication of a device.
//
// In this order, the first that says anything:
// - Recorded: the work is a collective or message of match/: it takes part in Exchanges, whatever it is called.
// - Launch: the innermost operator around its launch asks for communication (c10d::allreduce_, record_param_comms).
// - Rules: its name, or the operator around its launch, is one that the trace's rules know (trace/names/rules.h):
// kernels of
//   DeepEP, of serving engines, of symmetric memory. A rule may also say that it does not communicate.
// - Entry: its name is that of a library's entry kernel (ncclDevKernel_AllReduce_Sum_f32_RING_LL): who calls such a
//   library without PyTorch (CUDA graphs, vLLM's pynccl) leaves no other trace.
// - Name: its name mentions a library (ncclX), and nothing is known to the contrary: neither an operator that launched
//   it for other ends, nor that this rank's communications are recorded, of which it is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causal/device/device_timeline.h"
#include "trace/names/rules.h"

namespace orrery::causal {

/// Whether the kernels of an operator of that name move data between ranks. record_param_comms is what PyTorch writes
/// around the launch of a collective.
bool asks_for_communication(std::string_view name);

/// Whether the operators that launched work can tell anything about communication: most traces of one device know no
/// collective at all. O(texts).
bool operators_may_tell_communication(const trace::Trace& trace);

/// What is known of a communication, or of the local preparation of one. Empty texts and 0: not known.
struct CommunicationFacts {
  std::string library = {};  ///< nccl, deepep
  std::string kind =
      {};  ///< all_reduce, dispatch: what rules call it (trace::kCommunicationKinds), or what NCCL can do
  trace::CommunicationRole role = trace::CommunicationRole::data;
  std::int64_t group_size = 0;
  std::optional<std::uint32_t> bytes_input = {};  ///< the input of its operator that moves, where a rule says so
};

/// What is known of each work; alike ones share their facts.
struct WorkCommunications {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> facts_of;  ///< per work: place in `facts`; kNone: it is no part of any communication
  std::vector<CommunicationFacts> facts;

  /// Null: see facts_of.
  [[nodiscard]] const CommunicationFacts* find(std::uint32_t work) const {
    return facts_of[work] == kNone ? nullptr : &facts[facts_of[work]];
  }
  /// What prepares a communication computes.
  [[nodiscard]] bool communicates(std::uint32_t work) const {
    return facts_of[work] != kNone && facts[facts_of[work]].role != trace::CommunicationRole::setup;
  }
};

/// `operators`: of causal::launching_operators; empty if they were not looked for, which is enough where they cannot
/// tell anything. Copies and sets are none: their category decides. O(works).
WorkCommunications communications_of_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                           const DeviceTimeline& timeline,
                                           std::span<const trace::EventIndex> operators);

/// Per work 1 if it communicates, else 0; looks for operators where these may tell. O(events).
std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline, const trace::ContentOrder& content);

}  // namespace orrery::causal
