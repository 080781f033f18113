// The words of the edit language and the kinds of time they stand for; for those who read edits and for those who write
// them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "causal/edge_kind.h"

namespace orrery::analyze {

constexpr std::uint32_t bit_of(causal::EdgeKind kind) { return 1u << static_cast<unsigned>(kind); }

namespace edit_kinds {
using causal::EdgeKind;
inline constexpr std::uint32_t kHost = bit_of(EdgeKind::cpu_operator) | bit_of(EdgeKind::cpu_python) |
                                       bit_of(EdgeKind::cpu_runtime) | bit_of(EdgeKind::cpu_untraced) |
                                       bit_of(EdgeKind::data_loading);
inline constexpr std::uint32_t kCommunication = bit_of(EdgeKind::communication);
inline constexpr std::uint32_t kDevice =
    bit_of(EdgeKind::kernel) | kCommunication | bit_of(EdgeKind::memory_copy) | bit_of(EdgeKind::memory_set);
inline constexpr std::uint32_t kIdle = bit_of(EdgeKind::idle_thread) | bit_of(EdgeKind::idle_device);
inline constexpr std::uint32_t kGaps = bit_of(EdgeKind::launch_delay) | bit_of(EdgeKind::kernel_gap) |
                                       bit_of(EdgeKind::stream_wait) | bit_of(EdgeKind::sync_return) |
                                       bit_of(EdgeKind::handoff) | kIdle;
}  // namespace edit_kinds

struct EditWord {
  std::string_view name;
  std::uint32_t kinds;  ///< bit per EdgeKind
};

inline constexpr std::array kEditWhat = {
    EditWord{"cpu", edit_kinds::kHost},
    EditWord{"op", bit_of(causal::EdgeKind::cpu_operator)},
    EditWord{"python", bit_of(causal::EdgeKind::cpu_python)},
    EditWord{"runtime", bit_of(causal::EdgeKind::cpu_runtime)},
    EditWord{"untraced", bit_of(causal::EdgeKind::cpu_untraced)},
    EditWord{"loading", bit_of(causal::EdgeKind::data_loading)},
    EditWord{"gpu", edit_kinds::kDevice},
    EditWord{"kernel", bit_of(causal::EdgeKind::kernel)},
    EditWord{"comm", edit_kinds::kCommunication},
    EditWord{"collective", edit_kinds::kCommunication},
    EditWord{"p2p", edit_kinds::kCommunication},
    EditWord{"copy", bit_of(causal::EdgeKind::memory_copy)},
    EditWord{"set", bit_of(causal::EdgeKind::memory_set)},
    EditWord{"gap", edit_kinds::kGaps},
    EditWord{"all", edit_kinds::kHost | edit_kinds::kDevice | edit_kinds::kGaps},
};

inline constexpr std::array kEditGaps = {
    EditWord{"launch", bit_of(causal::EdgeKind::launch_delay)},
    EditWord{"kernel", bit_of(causal::EdgeKind::kernel_gap)},
    EditWord{"stream", bit_of(causal::EdgeKind::stream_wait)},
    EditWord{"sync", bit_of(causal::EdgeKind::sync_return)},
    EditWord{"handoff", bit_of(causal::EdgeKind::handoff)},
    EditWord{"idle", edit_kinds::kIdle},
};

/// The word that selects this kind of time and no other: op, kernel, comm; empty for delays, order and arrivals.
std::string_view word_of(causal::EdgeKind kind);
/// launch, kernel, idle; empty for what is no delay.
std::string_view gap_word_of(causal::EdgeKind kind);

/// What a pattern has to look like to match exactly this name: "aten::mm", or /^void f\(float\*\)$/ where quotes or
/// wildcards are in it.
std::string exact_pattern(std::string_view name);

}  // namespace orrery::analyze
