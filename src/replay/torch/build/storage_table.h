// The storages of an operation list while it is written: which lifetime is which, and what exists at the moment.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "replay/torch/build/lifetimes.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/recorded_call.h"

namespace orrery::replay::torch {

// How much memory an operation list needs.

/// Bytes of device storages that are alive at once at most; what operators use inside of themselves comes on top.
/// O(list).
std::int64_t peak_bytes(const OperationList& list);

class StorageTable {
 public:
  /// Storages are numbered in order of their first use and appended to `storages`, which must outlive this, as must
  /// `lifetimes`. `is_unrecorded`, per lifetime: find_unrecorded_makers.
  StorageTable(const Lifetimes& lifetimes, std::vector<std::uint8_t> is_unrecorded, bool has_device,
               std::vector<Storage>& storages)
      : lifetimes_(lifetimes),
        is_unrecorded_(std::move(is_unrecorded)),
        has_device_(has_device),
        storages_(storages),
        of_lifetime_(lifetimes.all.size(), kNoNumber32) {}

  /// The storage of a lifetime. Tensors without elements (kNoLifetime) share one storage of nothing on each side.
  std::uint32_t number_of(std::uint32_t lifetime, bool is_on_host);
  /// The same, of a tensor that an operation uses: the storage is large enough for it.
  std::uint32_t use(std::uint32_t lifetime, bool is_on_host, const RecordedTensor& tensor, bool is_written,
                    bool is_pinned);
  /// Memory for `tensor` that is nobody else's: it is there throughout. One for each size, type, side and `place`
  /// serves all who ask: what it holds is of no interest.
  std::uint32_t buffer(const RecordedTensor& tensor, bool is_on_host, std::size_t place);
  /// kNoNumber32: nothing has used it.
  [[nodiscard]] std::uint32_t find(std::uint32_t lifetime) const { return of_lifetime_[lifetime]; }

  [[nodiscard]] bool is_there(std::uint32_t storage) const { return is_there_[storage] != 0; }
  void set_there(std::uint32_t storage, bool is_there) { is_there_[storage] = is_there ? 1 : 0; }

 private:
  const Lifetimes& lifetimes_;
  std::vector<std::uint8_t> is_unrecorded_;
  bool has_device_;
  std::vector<Storage>& storages_;
  std::vector<std::uint32_t> of_lifetime_;
  std::uint32_t of_nothing_[2] = {kNoNumber32, kNoNumber32};
  std::vector<std::uint8_t> is_there_, is_typed_;  // per storage
  std::map<std::tuple<std::int64_t, std::string_view, bool, std::size_t>, std::uint32_t> buffers_;
};

}  // namespace orrery::replay::torch
