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
};
inline constexpr std::size_t kStatRoles = 12;

/// What the name of an event says. Worked out once per name.
struct EventKind {
  StringId name = 0;
  StringId operation = 0;   ///< of a collective: its name in the program
  StringId collective = 0;  ///< 0: none
  StringId channel = 0;     ///< of a send or recv: what ties the two together
  StringId groups = 0;      ///< of a collective: replica_groups, as written
  StringId pairs = 0;       ///< of a permutation, send or recv: source_target_pairs, as written
  CollectivePart part = CollectivePart::whole;
  bool is_python = false;
  bool is_copy = false;
  bool is_fill = false;
  bool is_communication = false;
  bool is_named = false;  ///< its metadata is there
  bool is_resolved = false;
};

class PlaneNames {
 public:
  /// `plane` and `strings` must outlive this. Texts are interned when they are first asked for.
  PlaneNames(const PlaneOutline& plane, Interner& strings);

  const EventKind& event(std::int64_t metadata_id) {
    const std::uint32_t at = events_.find(metadata_id);
    return at != IdTable::kMissing && kinds_[at].is_resolved ? kinds_[at] : resolve_event(at, metadata_id);
  }
  [[nodiscard]] StatRole role(std::int64_t metadata_id) const {
    if (static_cast<std::uint64_t>(metadata_id) < role_of_id_.size()) return role_of_id_[static_cast<std::size_t>(metadata_id)];
    const std::uint32_t at = stats_.find(metadata_id);
    return at == IdTable::kMissing ? StatRole::none : roles_[at];
  }
  /// The text of a stat, given as such or as a reference to the name of another stat.
  [[nodiscard]] std::string_view text(const StatValue& stat) const;

 private:
  const EventKind& resolve_event(std::uint32_t at, std::int64_t metadata_id);
  EventKind resolve(std::string_view name, std::string_view display_name);

  const PlaneOutline& plane_;
  Interner& strings_;
  IdTable events_;
  IdTable stats_;
  std::vector<EventKind> kinds_;      // by place in the table of events
  std::vector<StatRole> roles_;       // by place in the table of stats
  std::vector<StatRole> role_of_id_;  // the same by id, of the lowest ids: one look instead of two
  EventKind nameless_;
};

}  // namespace orrery::xspace
