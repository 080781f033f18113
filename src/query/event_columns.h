// The columns of the table `events`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "query/rows.h"
#include "trace/argument.h"

namespace orrery::query {

/// Their places. Behind them follows one per trace::Field, in its order.
enum EventColumn : std::uint8_t {
  kId,
  kRank,
  kOrdinal,
  kLane,
  kName,
  kCategory,
  kActivity,
  kStart,
  kDuration,
  kEnd,
  kDepth,
  kParent,
  kStep,
  kCritical,
  kSlack,
  kTrack,
  kFirstField,
};

inline constexpr std::size_t kEventColumns = kFirstField + trace::kFieldCount;

std::vector<TableColumn> event_columns();

/// The argument that a column shows.
inline std::optional<trace::Field> field_of(std::size_t column) {
  return column < kFirstField ? std::nullopt : std::optional(static_cast<trace::Field>(column - kFirstField));
}

}  // namespace orrery::query
