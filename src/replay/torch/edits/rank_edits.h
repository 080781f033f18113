// What a what-if's edits make of one rank: which calls are left out, what communication carries, how long work takes
// that stands for other work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/units.h"
#include "replay/torch/build/collective_call.h"
#include "replay/torch/edits/edited_list.h"

namespace orrery::replay::torch {

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
