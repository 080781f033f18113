#include "formats/xspace/plane_names.h"

#include "formats/xspace/schema.h"

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
                               {"bytes_transferred", StatRole::bytes}};

StatRole role_of(std::string_view name) {
  for (const RoleName& known : kRoles) {
    if (known.name == name) return known.role;
  }
  return StatRole::none;
}

}  // namespace

PlaneNames::PlaneNames(const PlaneOutline& plane, Interner& strings)
    : plane_(plane), strings_(strings), events_(plane.event_metadata), stats_(plane.stat_metadata), kinds_(plane.event_metadata.size()) {
  roles_.reserve(plane.stat_metadata.size());
  for (const MetadataEntry& entry : plane.stat_metadata) roles_.push_back(role_of(entry.name));
  std::vector<StatRole> by_id;
  constexpr std::int64_t kLowIds = 1024;
  for (std::int64_t id = 0; id < kLowIds; ++id) by_id.push_back(role(id));
  role_of_id_ = std::move(by_id);
}

const EventKind& PlaneNames::resolve_event(std::uint32_t at, std::int64_t metadata_id) {
  if (at == IdTable::kMissing) {
    nameless_.name = strings_.intern("event " + std::to_string(metadata_id));
    return nameless_;
  }
  return kinds_[at] = resolve(plane_.event_metadata[at].name, plane_.event_metadata[at].display_name);
}

EventKind PlaneNames::resolve(std::string_view name, std::string_view display_name) {
  const std::string_view shown = display_name.empty() ? operation_name(name) : display_name;
  EventKind kind;
  kind.is_named = kind.is_resolved = true;
  kind.name = strings_.intern(shown);
  kind.is_python = name.starts_with('$');
  kind.is_copy = name.starts_with("Memcpy") || name.starts_with("CopyDevice") || name.starts_with("CopyHost");
  kind.is_fill = name.starts_with("Memset");
  kind.is_communication = is_communication_kernel(name);
  const CollectiveName collective = collective_of(name);
  kind.part = collective.part;
  if (collective.kind.empty()) return kind;
  kind.collective = strings_.intern(collective.kind);
  kind.operation = strings_.intern(operation_name(name));
  const bool is_message = collective.kind == "send" || collective.kind == "recv";
  if (is_message) kind.channel = strings_.intern(instruction_attribute(name, "channel_id"));
  kind.groups = strings_.intern(instruction_attribute(name, "replica_groups"));
  kind.pairs = strings_.intern(instruction_attribute(name, "source_target_pairs"));
  return kind;
}

std::string_view PlaneNames::text(const StatValue& stat) const {
  if (stat.kind != stat_field::ref_value) return stat.text;
  const std::uint32_t at = stats_.find(static_cast<std::int64_t>(stat.number));
  return at == IdTable::kMissing ? std::string_view() : plane_.stat_metadata[at].name;
}

}  // namespace orrery::xspace
