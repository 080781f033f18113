// What the operators of a host trace were called with, as far as linking needs it: which storages they read and wrote,
// and whom they talk to.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "trace/host_trace.h"

namespace orrery::trace {

/// A tensor among the inputs or outputs of a row.
struct TensorUse {
  std::uint64_t storage;
  std::int64_t bytes;  ///< of the tensor, not of the storage
  bool is_input;
  bool is_written;  ///< an output, or an input that the operator's schema marks as written: "Tensor(a!) self"
  bool is_on_host;
};

/// Of a row that communicates.
struct PeerArguments {
  std::uint32_t row;
  std::int64_t peer = kNoNumber;  ///< the other rank of a message, or the root of a collective, within its group
  std::int64_t tag = kNoNumber;
};

struct HostArguments {
  Column<TensorUse> tensors;    ///< row by row, in order
  Column<std::uint32_t> first;  ///< per row: where its tensors begin; then their number
  Column<PeerArguments> peers;  ///< by row; rows without either are left out

  [[nodiscard]] std::span<const TensorUse> tensors_of(std::size_t row) const {
    return std::span(tensors.data(), tensors.size()).subspan(first[row], first[row + 1] - first[row]);
  }
};

}  // namespace orrery::trace
