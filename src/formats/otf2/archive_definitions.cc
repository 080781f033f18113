#ifdef ORRERY_OTF2
#include "formats/otf2/archive_definitions.h"

#include <cmath>

namespace orrery::otf2 {
namespace {

Collected& collected(void* user) { return *static_cast<Collected*>(user); }

void set_metric_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
      callbacks, [](void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
                    OTF2_MetricMode, OTF2_Type, OTF2_Base base, std::int64_t exponent, OTF2_StringRef unit) {
        const double scale = std::pow(base == OTF2_BASE_BINARY ? 2.0 : 10.0, static_cast<double>(exponent));
        collected(user).metric_members[self] = {name, unit, std::isfinite(scale) ? scale : 1};
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
      callbacks, [](void* user, OTF2_MetricRef self, std::uint8_t count, const OTF2_MetricMemberRef* members,
                    OTF2_MetricOccurrence, OTF2_RecorderKind) {
        collected(user).metric_classes[self].assign(members, members + count);
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(
      callbacks,
      [](void* user, OTF2_MetricRef self, OTF2_MetricRef of_class, OTF2_LocationRef, OTF2_MetricScope, std::uint64_t) {
        collected(user).metric_instances[self] = of_class;
        return kGoOn;
      });
}

}  // namespace

void set_definition_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      callbacks, [](void* user, std::uint64_t ticks, std::uint64_t offset, std::uint64_t, std::uint64_t realtime) {
        Collected& all = collected(user);
        if (ticks > 0) all.ticks_per_second = ticks;
        all.offset = offset;
        if (realtime != OTF2_UNDEFINED_TIMESTAMP && realtime < std::uint64_t{1} << 62)
          all.archive.begin_unix_ns = static_cast<std::int64_t>(realtime);
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, [](void* user, OTF2_StringRef self, const char* text) {
    collected(user).strings[self] = text;
    return kGoOn;
  });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, [](void* user, OTF2_RegionRef self, OTF2_StringRef name,
                                                                OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,
                                                                OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef,
                                                                std::uint32_t, std::uint32_t) {
    Collected& all = collected(user);
    if (paradigm == OTF2_PARADIGM_MPI) all.region_names[self] = name;
    else
      all.program_regions[self] = {name, paradigm == OTF2_PARADIGM_USER, paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM};
    return kGoOn;
  });
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      callbacks, [](void* user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                    OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef) {
        Collected& all = collected(user);
        if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS) all.group_of_processes[self] = all.text(name);
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      callbacks, [](void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType type, std::uint64_t,
                    OTF2_LocationGroupRef group) {
        Collected& all = collected(user);
        if (type == OTF2_LOCATION_TYPE_CPU_THREAD) all.threads.insert(self);
        if (type == OTF2_LOCATION_TYPE_CPU_THREAD || type == OTF2_LOCATION_TYPE_METRIC)
          all.process_of_location[self] = group;
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
      callbacks, [](void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                    OTF2_GroupFlag, std::uint32_t count, const std::uint64_t* members) {
        Collected& all = collected(user);
        if (paradigm != OTF2_PARADIGM_MPI) return kGoOn;
        if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) all.world.assign(members, members + count);
        if (type == OTF2_GROUP_TYPE_COMM_GROUP) all.groups[self] = {false, {members, members + count}};
        if (type == OTF2_GROUP_TYPE_COMM_SELF) all.groups[self] = {true, {}};
        return kGoOn;
      });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      callbacks, [](void* user, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
        collected(user).group_of_communicator[self] = group;
        return kGoOn;
      });
  set_metric_callbacks(callbacks);
}

}  // namespace orrery::otf2
#endif
