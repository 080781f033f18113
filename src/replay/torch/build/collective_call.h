// A row of a host trace as a collective or message that can be communicated again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/source/recorded_call.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

struct CollectiveCall {
  std::string_view kind;  ///< as torch.distributed calls it: "all_reduce"
  std::vector<RecordedTensor> inputs, outputs;
  std::optional<std::int64_t> root, peer, tag;      ///< root and peer by their place in the group
  std::vector<std::int64_t> in_splits, out_splits;  ///< empty: even
  std::uint32_t uses = 0;                           ///< how many tensors the row has among its inputs
  std::optional<bool> is_async;                     ///< nothing: the call does not say
};

/// Of a row called c10d::allreduce_ and the like; nothing where it does not communicate, or its tensors were not
/// recorded as such. `schema` may be null or without names, of a trace that was scrubbed: then arguments are taken to
/// be those of today.
std::optional<CollectiveCall> record_collective(const trace::HostTrace& host, std::uint32_t row, std::string_view name,
                                                const pytorch_et::OperatorSchema* schema);

}  // namespace orrery::replay::torch
