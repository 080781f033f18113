// Edits in the form the sweeps read: sorted by position, so that nothing is looked up on the way. Private to src/graph.
#pragma once

#include <memory>
#include <span>

#include "base/column.h"
#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::graph {

/// A node whose duration or incoming weights differ from the graph's.
struct TouchedNode {
  Position position;
  std::uint32_t first_patch;  ///< into Overlay::patches, up to the next node's first
  TimePs duration;            ///< the one that counts
};

struct PatchedWeight {
  Slot slot;
  TimePs weight;
};

/// Immutable once compiled.
struct Overlay {
  static std::shared_ptr<const Overlay> compile(const Edits& edits);

  std::shared_ptr<const Column<TimePs>> weights;  ///< all of them, instead of the graph's, when many were changed
  /// Likewise, and when any was changed while edges may be start-to-start: their targets look them up.
  std::shared_ptr<const Column<TimePs>> durations;
  Column<TouchedNode> touched;    ///< by position, then one entry with position = node count
  Column<PatchedWeight> patches;  ///< by slot

  [[nodiscard]] bool dense() const { return weights != nullptr || durations != nullptr; }
  [[nodiscard]] const TouchedNode* find(Position position) const;
  [[nodiscard]] std::span<const PatchedWeight> patches_of(const TouchedNode& node) const;
};

}  // namespace orrery::graph
