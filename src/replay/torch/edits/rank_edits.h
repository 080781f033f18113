// What a what-if's edits make of one rank: which calls are left out, what communication carries, how long work takes
// that stands for other work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "replay/torch/build/collective_call.h"

namespace orrery::replay::torch {

// What an operation list says about the edits that it was made with: how much they changed, and what other ranks have
// to agree with.

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

struct RankEdits {
  static constexpr TimePs kRemoved = -1;

  std::vector<std::uint8_t> is_removed;  ///< per row: a call that is not made; empty: all are
  std::vector<TransferEdit> transfers;   ///< per ChosenCalls::collectives; empty: as recorded
  std::vector<std::optional<CollectiveCall>>
      scaled;                              ///< likewise: what it carries instead, if that is not what was recorded
  std::vector<TimePs> durations;           ///< per RankSource::works; kRemoved: it is left out; empty: as recorded
  std::map<std::uint32_t, TimePs> pauses;  ///< by the row of a step: how long its thread stands still at its begin
  double pace_factor = 1;                  ///< of the host's own time between calls
  EditedList list;

  [[nodiscard]] bool removes(std::uint32_t row) const { return !is_removed.empty() && is_removed[row] != 0; }
  [[nodiscard]] TimePs duration(std::size_t work, TimePs recorded) const {
    return durations.empty() ? recorded : durations[work];
  }
  [[nodiscard]] bool removes_transfer(std::uint32_t collective) const {
    return !transfers.empty() && transfers[collective].factor == 0;
  }
  [[nodiscard]] const CollectiveCall* scaled_transfer(std::uint32_t collective) const {
    return scaled.empty() || !scaled[collective] ? nullptr : &*scaled[collective];
  }
};

}  // namespace orrery::replay::torch
