// The fields of a machine description, each said once: reader, writer and checker are visitors of this list.
#pragma once

#include "base/limits.h"
#include "machine/machine.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::machine {

inline constexpr Range kRate = {0, 1e9};
inline constexpr Range kDelay = {0, 1e12, true};
inline constexpr Range kDeviceCount = {1, kMaxDevices, true};
inline constexpr Range kDimensionSize = {2, kMaxDevices, true};
inline constexpr Range kShare = {0, 1};
inline constexpr Range kRemainingShare = {0, 1, true};
inline constexpr Range kRatio = {0, 1e6};
inline constexpr Range kByteCount = {0, 1LL << 53, true};
inline constexpr Range kCableNumber = {0, 1 << 24, true};

inline constexpr std::string_view kMachineFormat = "orrery.machine/1";

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<MemoryLevel> auto& level) {
  visitor.text("name", level.name);
  visitor.number("capacity_gb", level.capacity_gb, kRate);
  visitor.number("bandwidth_gb_per_s", level.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", level.latency_ns, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Devices> auto& devices) {
  visitor.count("count", devices.count, kDeviceCount);
  visitor.text("name", devices.name);
  visitor.count("compute_unit_count", devices.compute_unit_count, kDeviceCount);
  visitor.rates("matrix_peak_tflops", devices.matrix_peak_tflops, kRate);
  visitor.rates("vector_peak_tflops", devices.vector_peak_tflops, kRate);
  visitor.number("launch_latency_us", devices.launch_latency_us, kDelay);
  visitor.list("memory", devices.memory);
  visitor.count("compute_stream_count", devices.compute_stream_count, kDeviceCount, Default{1});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<FatTreeLevel> auto& level) {
  visitor.count("children", level.children, kDeviceCount);
  visitor.count("parents", level.parents, kDeviceCount, Default{1});
  visitor.count("cables", level.cables, kDeviceCount, Default{1});
  visitor.number("bandwidth_gb_per_s", level.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", level.latency_ns, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<LeafSpine> auto& tree) {
  visitor.count("leaf_size", tree.leaf_size, kDeviceCount);
  visitor.count("spine_count", tree.spine_count, kDeviceCount);
  visitor.number("oversubscription", tree.oversubscription, kRatio, Default{1.0});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Dragonfly> auto& dragonfly) {
  visitor.count("groups", dragonfly.groups, kDeviceCount);
  visitor.count("chassis_per_group", dragonfly.chassis_per_group, kDeviceCount, Default{1});
  visitor.count("routers_per_chassis", dragonfly.routers_per_chassis, kDeviceCount);
  visitor.count("devices_per_router", dragonfly.devices_per_router, kDeviceCount);
  visitor.count("cables_between_groups", dragonfly.cables_between_groups, kDeviceCount, Default{1});
  visitor.count("cables_between_chassis", dragonfly.cables_between_chassis, kDeviceCount, Default{1});
  visitor.count("cables_between_routers", dragonfly.cables_between_routers, kDeviceCount, Default{1});
  visitor.choice("compat", dragonfly.compat, kDragonflyCompatNames, Default{DragonflyCompat::none});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Rails> auto& rails) {
  visitor.choice("cross_rail", rails.cross_rail, kCrossRailNames, Default{CrossRail::inner});
  if (rails.cross_rail == CrossRail::inner) return;
  visitor.count("spine_count", rails.spine_count, kDeviceCount);
  visitor.number("oversubscription", rails.oversubscription, kRatio, Default{1.0});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Cable> auto& cable) {
  visitor.text("from", cable.from);
  visitor.text("to", cable.to);
  visitor.choice("direction", cable.direction, kDirectionNames, Default{Direction::both});
  visitor.number("bandwidth_gb_per_s", cable.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", cable.latency_ns, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Dimension> auto& dimension) {
  visitor.text("name", dimension.name);
  visitor.choice("topology", dimension.topology, kTopologyNames);
  switch (dimension.topology) {
    case Topology::ring:
    case Topology::fully_connected:
    case Topology::switched:
    case Topology::links: break;
    case Topology::mesh:
    case Topology::torus: visitor.counts("shape", dimension.shape, kDeviceCount); break;
    case Topology::fat_tree: visitor.list("levels", dimension.levels, Required{}); break;
    case Topology::leaf_spine: describe(visitor, dimension.leaf_spine); break;
    case Topology::dragonfly: describe(visitor, dimension.dragonfly); break;
    case Topology::rails: describe(visitor, dimension.rails); break;
  }
  visitor.count("size", dimension.size, kDimensionSize, Derived{implied_size(dimension)});
  visitor.number("bandwidth_gb_per_s", dimension.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", dimension.latency_ns, kDelay);
  visitor.number("derate", dimension.derate, kShare, Default{1.0});
  if (dimension.topology == Topology::links) visitor.list("links", dimension.links, Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Fault> auto& fault) {
  visitor.text("from", fault.from);
  visitor.text("to", fault.to);
  visitor.number("derate", fault.derate, kRemainingShare);
  visitor.choice("direction", fault.direction, kDirectionNames, Default{Direction::both});
  visitor.count("cable", fault.cable, kCableNumber);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<LogGops> auto& loggops) {
  const LogGops usual;
  visitor.number("latency_ns", loggops.latency_ns, kDelay, Default{usual.latency_ns});
  visitor.number("overhead_ns", loggops.overhead_ns, kDelay, Default{usual.overhead_ns});
  visitor.number("gap_ns", loggops.gap_ns, kDelay, Default{usual.gap_ns});
  visitor.number("gap_ns_per_byte", loggops.gap_ns_per_byte, kDelay, Default{usual.gap_ns_per_byte});
  visitor.number("overhead_ns_per_byte", loggops.overhead_ns_per_byte, kDelay, Default{usual.overhead_ns_per_byte});
  visitor.count("rendezvous_threshold_bytes", loggops.rendezvous_threshold_bytes, kByteCount,
                Default{usual.rendezvous_threshold_bytes});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<AstraSimProgram> auto& program) {
  visitor.text("binary", program.binary);
  visitor.number("timeout_s", program.timeout_s, kRate, Default{600.0});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Communication> auto& communication) {
  visitor.choice("network_model", communication.network_model, kNetworkModelNames, Default{NetworkModelKind::fluid});
  visitor.choice("collective_algorithm", communication.collective_algorithm, kCollectiveAlgorithmNames,
                 Default{CollectiveAlgorithm::automatic});
  visitor.number("launch_overhead_us", communication.launch_overhead_us, kDelay, Default{0.0});
  visitor.number("message_overhead_us", communication.message_overhead_us, kDelay, Default{0.0});
  visitor.count("rendezvous_threshold_bytes", communication.rendezvous_threshold_bytes, kByteCount);
  visitor.count("stream_count", communication.stream_count, kDeviceCount);
  visitor.object("astra_sim", communication.astra_sim);
  visitor.object("loggops", communication.loggops);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Machine> auto& machine) {
  visitor.format("format", kMachineFormat);
  visitor.text("name", machine.name);
  visitor.object("devices", machine.devices);
  visitor.list("network", machine.network);
  visitor.choice("routing", machine.routing, kRoutingNames, Default{Routing::shortest});
  visitor.list("faults", machine.faults);
  visitor.object("communication", machine.communication, Default{Communication{}});
}

}  // namespace orrery::machine
