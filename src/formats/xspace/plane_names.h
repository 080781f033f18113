// The tables of one plane: what its events are called and what their stats mean.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "formats/xspace/id_table.h"
#include "formats/xspace/naming.h"
#include "formats/xspace/outline.h"

namespace orrery::xspace {

/// The stats that become fields of a Trace.
enum class StatRole : std::uint8_t {
  none,
  correlation,
  step_number,
  operation,      ///< hlo_op
  module_name,    ///< hlo_module
  run_id,         ///< of the execution of a program, the same on every node
  unique_id,      ///< of a collective, the same on every participant
  device_number,  ///< device_ordinal
  graph_node,
  tracer_clock,  ///< of a snapshot of clocks: what the device tracer's showed
  details,       ///< a text that has, among others, the size of a copy or fill
  bytes,
  producer_type,  ///< of an event that others follow from: what kind of context it hands on, and which
  producer,
  consumer_type,  ///< of an event that follows from another: the same, of what it was handed
  consumer,
};
inline constexpr std::size_t kStatRoles = 16;

/// What the beginning of a name says, as far as it decides on the category of an event.
enum class NameClass : std::uint8_t { unresolved, other, python, copy, fill };
inline constexpr std::size_t kNameClasses = 5;

/// What the name of an event says. Worked out once per name.
struct EventKind {
  StringId name = 0;
  StringId operation = 0;   ///< of a collective: its name in the program
  StringId collective = 0;  ///< 0: none
  StringId channel = 0;     ///< of a send or recv: what ties the two together
  StringId groups = 0;      ///< of a collective: replica_groups, as written
  StringId pairs = 0;       ///< of a permutation, send or recv: source_target_pairs, as written
  CollectivePart part = CollectivePart::whole;
  NameClass name_class = NameClass::unresolved;
  bool is_communication = false;
  bool is_named = false;  ///< its metadata is there
};

/// The part of an EventKind that most events need no more than: small, so that those of a plane stay in the nearest
/// cache.
struct QuickName {
  StringId name = 0;
  NameClass name_class = NameClass::unresolved;
  bool may_be_collective = false;
};

/// The names that were met in the planes before: the planes of one program's devices have the same ones.
class KnownNames {
 public:
  /// `strings` must outlive this. Texts are interned when they are first asked for.
  explicit KnownNames(Interner& strings) : strings_(strings) {}
  /// The texts of `entry` must outlive this.
  const EventKind& resolve(const MetadataEntry& entry);
  [[nodiscard]] Interner& strings() { return strings_; }

 private:
  struct Known {
    std::string_view display_name;
    EventKind kind;
  };

  Interner& strings_;
  Interner names_;            // not those of the trace: an instruction's whole text is known by a part of it there
  std::vector<Known> known_;  // by number in names_
};

class PlaneNames {
 public:
  /// `plane` and `known` must outlive this.
  PlaneNames(const PlaneOutline& plane, KnownNames& known);

  const EventKind& event(std::int64_t metadata_id) {
    const std::uint32_t at = events_.find(metadata_id);
    return at != IdTable::kMissing && kinds_[at].name_class != NameClass::unresolved ? kinds_[at]
                                                                                     : resolve_event(at, metadata_id);
  }
  /// Unresolved if event() was not asked for it yet, or the id is not one of those that are usual.
  [[nodiscard]] QuickName quick(std::uint64_t metadata_id) const {
    return metadata_id < quick_.size() ? quick_[metadata_id] : QuickName();
  }
  [[nodiscard]] StatRole role(std::int64_t metadata_id) const {
    if (static_cast<std::uint64_t>(metadata_id) < role_of_id_.size())
      return role_of_id_[static_cast<std::size_t>(metadata_id)];
    const std::uint32_t at = stats_.find(metadata_id);
    return at == IdTable::kMissing ? StatRole::none : roles_[at];
  }
  /// The text of a stat, given as such or as a reference to the name of another stat.
  [[nodiscard]] std::string_view text(const StatValue& stat) const;

 private:
  const EventKind& resolve_event(std::uint32_t at, std::int64_t metadata_id);

  const PlaneOutline& plane_;
  KnownNames& known_;
  IdTable events_;
  IdTable stats_;
  std::vector<EventKind> kinds_;      // by place in the table of events
  std::vector<QuickName> quick_;      // the same by id, of ids that are dense
  std::vector<StatRole> roles_;       // by place in the table of stats
  std::vector<StatRole> role_of_id_;  // the same by id, of the lowest ids: one look instead of two
  EventKind nameless_;
};

}  // namespace orrery::xspace
