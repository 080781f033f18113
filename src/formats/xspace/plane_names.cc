#include "formats/xspace/plane_names.h"

#include "formats/xspace/schema.h"

// Names of events are resolved when they first occur: most of a table is never used. What a name means does not depend
// on the plane, so all planes share that; ids are dense as a rule, and a small table by id serves the inner loop.

namespace orrery::xspace {
namespace {

struct RoleName {
  std::string_view name;
  StatRole role;
};

constexpr RoleName kRoles[] = {{"correlation_id", StatRole::correlation},
                               {"step_num", StatRole::step_number},
                               {"hlo_op", StatRole::operation},
                               {"hlo_module", StatRole::module_name},
                               {"run_id", StatRole::run_id},
                               {"all_reduce_unique_id", StatRole::unique_id},
                               {"collective_unique_id", StatRole::unique_id},
                               {"device_ordinal", StatRole::device_number},
                               {"cuda_graph_node_id", StatRole::graph_node},
                               {"rocm_ns", StatRole::tracer_clock},
                               {"memcpy_details", StatRole::details},
                               {"memset_details", StatRole::details},
                               {"Memset_details", StatRole::details},
                               {"bytes_transferred", StatRole::bytes},
                               {"_pt", StatRole::producer_type},
                               {"_p", StatRole::producer},
                               {"_ct", StatRole::consumer_type},
                               {"_c", StatRole::consumer}};

StatRole role_of(std::string_view name) {
  for (const RoleName& known : kRoles) {
    if (known.name == name) return known.role;
  }
  return StatRole::none;
}

NameClass class_of(std::string_view name) {
  if (name.starts_with('$')) return NameClass::python;
  if (name.starts_with("Memcpy") || name.starts_with("CopyDevice") || name.starts_with("CopyHost"))
    return NameClass::copy;
  return name.starts_with("Memset") ? NameClass::fill : NameClass::other;
}

EventKind kind_of(const MetadataEntry& entry, Interner& strings) {
  const std::string_view name = entry.name;
  EventKind kind;
  kind.is_named = true;
  kind.name = strings.intern(entry.display_name.empty() ? operation_name(name) : entry.display_name);
  kind.name_class = class_of(name);
  kind.is_communication = is_communication_kernel(name);
  const CollectiveName collective = collective_of(name);
  kind.part = collective.part;
  if (collective.kind.empty()) return kind;
  kind.collective = strings.intern(collective.kind);
  kind.operation = strings.intern(operation_name(name));
  const bool is_message = collective.kind == "send" || collective.kind == "recv";
  if (is_message) kind.channel = strings.intern(instruction_attribute(name, "channel_id"));
  kind.groups = strings.intern(instruction_attribute(name, "replica_groups"));
  kind.pairs = strings.intern(instruction_attribute(name, "source_target_pairs"));
  return kind;
}

}  // namespace

const EventKind& KnownNames::resolve(const MetadataEntry& entry) {
  const StringId number = names_.intern(entry.name);
  if (number >= known_.size()) known_.resize(number + 1);
  Known& known = known_[number];
  // Planes that show one name differently take turns here: each is right, and none of it is kept for long.
  if (known.kind.name_class == NameClass::unresolved || known.display_name != entry.display_name)
    known = {entry.display_name, kind_of(entry, strings_)};
  return known.kind;
}

PlaneNames::PlaneNames(const PlaneOutline& plane, KnownNames& known)
    : plane_(plane),
      known_(known),
      events_(plane.event_metadata),
      stats_(plane.stat_metadata),
      kinds_(plane.event_metadata.size()) {
  // Ids beyond the dense ones are looked up in the slower table.
  quick_.resize(events_.dense_ids());
  roles_.reserve(plane.stat_metadata.size());
  for (const MetadataEntry& entry : plane.stat_metadata) roles_.push_back(role_of(entry.name));
  std::vector<StatRole> by_id;
  for (std::size_t id = 0; id < stats_.dense_ids(); ++id) by_id.push_back(role(static_cast<std::int64_t>(id)));
  role_of_id_ = std::move(by_id);
}

const EventKind& PlaneNames::resolve_event(std::uint32_t at, std::int64_t metadata_id) {
  if (at == IdTable::kMissing) {
    nameless_.name = known_.strings().intern("event " + std::to_string(metadata_id));
    nameless_.name_class = NameClass::other;
    return nameless_;
  }
  const EventKind& kind = kinds_[at] = known_.resolve(plane_.event_metadata[at]);
  if (static_cast<std::uint64_t>(metadata_id) < quick_.size())
    quick_[static_cast<std::size_t>(metadata_id)] = {kind.name, kind.name_class,
                                                     kind.collective != 0 || kind.is_communication};
  return kind;
}

std::string_view PlaneNames::text(const StatValue& stat) const {
  // A reference to a name in the table of stats, where texts that repeat are kept once.
  if (stat.kind != stat_field::ref_value) return stat.text;
  const std::uint32_t at = stats_.find(static_cast<std::int64_t>(stat.number));
  return at == IdTable::kMissing ? std::string_view() : plane_.stat_metadata[at].name;
}

}  // namespace orrery::xspace
