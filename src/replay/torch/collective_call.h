// A row of a host trace as a collective or message that can be communicated again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/recorded_call.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

struct CollectiveCall {
  std::string_view kind;  ///< as torch.distributed calls it: "all_reduce"
  std::vector<RecordedTensor> inputs, outputs;
  std::optional<std::int64_t> root, peer, tag;      ///< root and peer by their place in the group
  std::vector<std::int64_t> in_splits, out_splits;  ///< empty: even
  std::optional<bool> is_async;                     ///< nothing: the call does not say
};

/// Of a c10d:: operator; nothing where it does not communicate, or its tensors were not recorded as such.
std::optional<CollectiveCall> record_collective(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema);

}  // namespace orrery::replay::torch
