// What an edge stands for that was made of several: how much time of which work, in which step.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "base/interner.h"
#include "base/protobuf_wire.h"
#include "base/units.h"
#include "link/edge_kind.h"

namespace orrery::link {

/// Work that is counted together.
struct WorkClass {
  std::uint32_t kind = 0;   ///< an EdgeKind
  StringId name = 0;        ///< of its events; 0: none
  StringId class_name = 0;  ///< what it is blamed under; see PieceClass
  std::uint32_t step = 0;   ///< by its place in the window; kNoStep without steps
  friend auto operator<=>(const WorkClass&, const WorkClass&) = default;
};

/// Lists of times by class, one per edge; about six bytes for each time.
class EdgePieces {
 public:
  struct Piece {
    std::uint32_t work;  ///< into `classes`
    TimePs time;
  };

  /// Returns the number of the list. `pieces` by ascending class, each once.
  std::uint32_t add(std::span<const Piece> pieces);
  /// Calls visit(const WorkClass&, TimePs), by ascending class.
  template <typename Visit>
  void for_each(std::uint32_t list, Visit&& visit) const {
    const char* at = bytes_.data() + first_[list];
    const char* const end = bytes_.data() + first_[list + 1];
    std::uint32_t work = 0;
    for (std::uint64_t step = 0, time = 0; take_varint(at, end, step) && take_varint(at, end, time);)
      visit(classes[work += static_cast<std::uint32_t>(step)], unzigzag(time));
  }

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t memory_bytes() const {
    return classes.memory_bytes() + totals.memory_bytes() + first_.memory_bytes() + bytes_.memory_bytes();
  }
  void shrink_to_fit();

  Column<WorkClass> classes;
  Column<TimePs> totals;  ///< per class: of all edges of the rank, also of those that are not needed

  // As they lie in a file.
  [[nodiscard]] const Column<std::uint32_t>& firsts() const { return first_; }
  [[nodiscard]] const Column<char>& bytes() const { return bytes_; }
  /// False if lists or classes are not where they should be.
  bool assign(Column<WorkClass> new_classes, Column<TimePs> new_totals, Column<std::uint32_t> firsts, Column<char> bytes);

 private:
  Column<std::uint32_t> first_ = Column<std::uint32_t>(1, 0);
  Column<char> bytes_;
};

}  // namespace orrery::link
