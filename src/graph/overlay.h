// Edits in the form the sweeps read: sorted by position, so that nothing is looked up on the way. Private to src/graph.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/column.h"
#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::graph {

/// A node whose duration or incoming edges differ from the graph's.
struct TouchedNode {
  Position position;
  std::uint32_t first_patch;  ///< into Overlay::patches, up to the next node's first
  std::uint32_t first_added;  ///< into Overlay::added, likewise
  TimePs duration;            ///< the one that counts
};

struct PatchedWeight {
  Slot slot;
  TimePs weight;
};

struct PlacedEdge {
  Position target;
  Position source;
  Slot slot;
  TimePs weight;
  std::uint8_t type;
};

/// Immutable once compiled.
struct Overlay {
  static std::shared_ptr<const Overlay> compile(const Edits& edits);

  std::shared_ptr<const Column<TimePs>> weights;  ///< all of them, instead of the graph's, when many were changed
  std::shared_ptr<const Column<TimePs>>
      durations;                         ///< likewise, and when any was while edges are start-to-start: their targets look them up
  Column<TouchedNode> touched;           ///< by position, then one entry with position = node count
  Column<PatchedWeight> patches;         ///< by slot
  Column<PlacedEdge> added;              ///< by target, then in order of addition
  std::vector<AddedEdge> added_by_slot;  ///< in order of addition
  std::vector<OrderWindow> windows;
  /// Nothing changes before it, also with `weights`, `durations` and `windows`.
  Position first_touched = 0;

  [[nodiscard]] bool dense() const { return weights != nullptr || durations != nullptr; }
  [[nodiscard]] const TouchedNode* find(Position position) const;
  [[nodiscard]] std::span<const PatchedWeight> patches_of(const TouchedNode& node) const;
  [[nodiscard]] std::span<const PlacedEdge> added_to(const TouchedNode& node) const;
};

}  // namespace orrery::graph
