// The part of the trace under analysis, and the nodes of HTA's graph: a start and an end per event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

struct WindowOptions {
  std::string annotation;  ///< rows whose name contains this text; empty: the whole trace
  std::size_t first_instance = 0;
  std::size_t last_instance = 0;
  std::vector<std::string> data_load_events;
};

using NodeNumber = std::uint32_t;
inline constexpr NodeNumber kNoNode = ~NodeNumber{0};

/// Nodes are numbered by (time, index, start before end).
struct Nodes {
  Column<RowIndex> row;
  Column<TimePs> time;
  Column<std::uint8_t> is_start;
  Column<NodeNumber> start_of;  ///< per row: its start node, kNoNode if it has none
  Column<NodeNumber> end_of;

  [[nodiscard]] std::size_t size() const { return row.size(); }
};

struct Window {
  Column<RowIndex> rows;  ///< clipped rows, ordered by index
  Nodes nodes;
};

/// Rows of the host inside the annotated time that last, the device work they started, and all recorded waits of
/// streams: by index. Fails when the annotation or the instance does not occur.
Result<Column<RowIndex>> clip_rows(const Rows& rows, const WindowOptions& options);

/// Fails as clip_rows does.
Result<Window> make_window(const Rows& rows, const WindowOptions& options);

}  // namespace orrery::causal::hta
