// Which step events belong to: the numbers that `steps` has, as --instance counts them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "query/recording.h"

namespace orrery::query {

inline constexpr std::int32_t kNoStep = -1;

/// Made rank by rank, when they are first asked for.
class Steps {
 public:
  explicit Steps(const Recording& recording) : recording_(recording), ranks_(recording.trace.ranks.size()) {}

  /// The events that are the steps of a rank, by start.
  const std::vector<trace::EventIndex>& events(std::size_t rank);
  /// Host events by their start, device work by when it was launched; kNoStep: outside all steps.
  std::int32_t step_of(std::size_t rank, trace::EventIndex event);

 private:
  struct Rank {
    bool has_steps = false, has_numbers = false;
    std::vector<trace::EventIndex> steps;
    Column<std::int32_t> of_event;
  };
  void number_events(std::size_t rank);

  const Recording& recording_;
  std::vector<Rank> ranks_;
};

}  // namespace orrery::query
