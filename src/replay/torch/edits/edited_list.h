// What an operation list says about the edits that it was made with: how much they changed, and what other ranks have
// to agree with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery::replay::torch {

/// What one edit changed.
struct EditCount {
  std::uint64_t operations = 0;      ///< that are selected, and not called unless the edit changes nothing
  std::uint64_t communications = 0;  ///< that carry more or less, or are not done
  std::uint64_t works = 0;           ///< of the recorded duration, that takes another or is left out
  std::uint64_t pauses = 0;          ///< of the host
  bool is_pace = false;              ///< the host's own time between calls

  [[nodiscard]] bool selects_nothing() const { return operations + communications + works + pauses == 0 && !is_pace; }
  EditCount& operator+=(const EditCount& other);
};
inline EditCount& EditCount::operator+=(const EditCount& other) {
  operations += other.operations, communications += other.communications, works += other.works, pauses += other.pauses;
  is_pace |= other.is_pace;
  return *this;
}

/// What becomes of a communication.
struct TransferEdit {
  static constexpr std::uint32_t kNoEdit = ~std::uint32_t{0};
  double factor = 1;             ///< so many times what was recorded; 0: it is not done
  std::uint32_t edit = kNoEdit;  ///< the last that changed it
};

/// One rank's side of a communication, for the others to be held against.
struct TransferSide {
  std::string_view kind;  ///< as torch.distributed calls it
  std::uint32_t group = 0;
  std::int64_t sender = -1, receiver = -1, tag = 0;  ///< of a message
  TransferEdit edit;
};

/// What an operation list says about edits: to be compared with other ranks, and told.
struct EditedList {
  std::vector<EditCount> counts;    ///< per edit; empty: nothing was to be edited
  std::vector<TransferSide> sides;  ///< all communications, in order
  std::vector<std::int64_t> steps;  ///< numbers of the recorded ones
};

}  // namespace orrery::replay::torch
