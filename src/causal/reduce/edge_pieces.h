// What an edge stands for that was made of several: how much time of which work, in which step.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "base/interner.h"
#include "base/protobuf/protobuf_wire.h"
#include "base/units.h"
#include "causal/edge_kind.h"

namespace orrery::causal {

/// Work that is counted together, or would be but for its step.
struct WorkFamily {
  std::uint32_t kind = 0;   ///< an EdgeKind
  StringId name = 0;        ///< of its events; 0: none
  StringId class_name = 0;  ///< what it is blamed under; see PieceClass
  friend auto operator<=>(const WorkFamily&, const WorkFamily&) = default;
};

/// Work that is counted together.
struct WorkClass {
  std::uint32_t kind = 0;
  StringId name = 0;
  StringId class_name = 0;
  std::uint32_t step = 0;  ///< by its place in the window; kNoStep without steps
  friend auto operator<=>(const WorkClass&, const WorkClass&) = default;
};

/// Lists of times by class, one per edge; about four bytes for each time, and eleven for each class. Of a job of many
/// ranks read one by one this is most of what stays of a rank.
class EdgePieces {
 public:
  struct Piece {
    std::uint32_t work;  ///< number of a class
    TimePs time;
  };

  // Made in this order; families and classes are numbered as they come.
  void add_family(const WorkFamily& family) { families_.push_back(family); }
  void add_class(std::uint32_t family, std::uint32_t step) { classes_.push_back({family, step}); }
  /// Per class: of all edges of the rank, also of those that are not needed, but for parts of others
  /// (causal/edge_kind.h). Whole nanoseconds, if all times of lists are, take less.
  void set_totals(std::span<const TimePs> totals, bool whole_ns);
  /// Returns the number of the list. `pieces` by ascending class, each once.
  std::uint32_t add(std::span<const Piece> pieces);
  void shrink_to_fit();

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  /// Calls visit(const WorkClass&, TimePs), by ascending class.
  template <typename Visit>
  void for_each(std::uint32_t list, Visit&& visit) const {
    const char* at = bytes_.data() + first_[list];
    const char* const end = bytes_.data() + first_[list + 1];
    std::uint32_t work = 0;
    for (std::uint64_t step = 0, time = 0; take_varint(at, end, step) && take_varint(at, end, time);)
      visit(class_at(work += static_cast<std::uint32_t>(step)), unzigzag(time) * unit_);
  }
  /// Calls visit(const WorkClass&, TimePs) for every class and how much of it the rank has.
  template <typename Visit>
  void for_each_total(Visit&& visit) const {
    const char* at = totals_.data();
    const char* const end = at + totals_.size();
    std::uint32_t work = 0;
    for (std::uint64_t time = 0; take_varint(at, end, time);) visit(class_at(work++), unzigzag(time) * unit_);
  }
  /// Has text(StringId) for every text instead.
  template <typename Text>
  void replace_texts(Text&& text) {
    for (WorkFamily& family : families_) family.name = text(family.name), family.class_name = text(family.class_name);
  }
  [[nodiscard]] std::size_t memory_bytes() const;

  /// As they lie in a file: docs/formats/skeleton.md.
  struct Filed {
    Column<WorkClass> classes;
    Column<TimePs> totals;  // per class
    Column<std::uint32_t> firsts = Column<std::uint32_t>(1, 0);
    Column<char> bytes;
  };
  [[nodiscard]] Filed filed() const;
  /// False if lists or classes are not where they should be.
  bool assign(const Filed& filed);

 private:
  struct Place {
    std::uint32_t family, step;
  };

  [[nodiscard]] WorkClass class_at(std::uint32_t work) const {
    const WorkFamily& family = families_[classes_[work].family];
    return {family.kind, family.name, family.class_name, classes_[work].step};
  }

  Column<WorkFamily> families_;
  Column<Place> classes_;
  Column<char> totals_;  // per class a zigzag varint
  Column<std::uint32_t> first_ = Column<std::uint32_t>(1, 0);
  Column<char> bytes_;  // pairs of varints: to add to the number of the class, and the time, zigzag
  TimePs unit_ = 1;     // of all times
};

}  // namespace orrery::causal
