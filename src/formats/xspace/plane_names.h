// The tables of one plane: what its events are called and what their stats mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "formats/xspace/naming.h"
#include "formats/xspace/outline.h"

namespace orrery::xspace {

// From the ids of a metadata table to places in a list. Ids are small and dense in almost every file, but they are
// 64-bit numbers.

/// Of entries with the same id the last counts.
class IdTable {
 public:
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};

  explicit IdTable(std::span<const MetadataEntry> entries) {
    std::int64_t highest = 0, lowest = 0;
    for (const MetadataEntry& entry : entries)
      highest = std::max(highest, entry.id), lowest = std::min(lowest, entry.id);
    const bool dense = lowest >= 0 && highest <= static_cast<std::int64_t>(entries.size() * 8 + 1024);
    if (dense) places_.assign(static_cast<std::size_t>(highest) + 1, kMissing);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (dense) places_[static_cast<std::size_t>(entries[i].id)] = i;
      else sorted_.emplace_back(entries[i].id, i);
    }
    std::sort(sorted_.begin(), sorted_.end());
  }

  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    if (!places_.empty())
      return id >= 0 && static_cast<std::uint64_t>(id) < places_.size() ? places_[static_cast<std::size_t>(id)]
                                                                        : kMissing;
    const auto after = std::upper_bound(sorted_.begin(), sorted_.end(), std::pair(id, kMissing));
    return after == sorted_.begin() || (after - 1)->first != id ? kMissing : (after - 1)->second;
  }

  /// All ids are below this; 0 if they are too far apart for a list by id.
  [[nodiscard]] std::size_t dense_ids() const { return places_.size(); }

 private:
  std::vector<std::uint32_t> places_;                           // by id, if they are dense
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted_;  // else
};

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
