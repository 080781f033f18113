// Which files of a folder are a job, where their names are their user's choice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/diagnostics.h"

namespace orrery::trace {

inline constexpr DiagnosticKind kPassedOver{"J102", Severity::note, "file of the folder that is no part of the job",
                                            "it was not read"};

/// Dumps of PyTorch's Flight Recorder: the last number before the ending: 3 for "nccl_trace_rank_3",
/// "node-17.example.com_comm_lib_trace_rank_3.pickle" and "dump_3.json.gz".
std::optional<std::int64_t> rank_before_ending(std::string_view path);

}  // namespace orrery::trace
