#include "llm/steps/measured_network.h"

#include <algorithm>
#include <cmath>

namespace orrery::llm {
namespace {

using workload::Collective;

// Inside a node: NCCL's launch and first bytes over NVLink, and what its rings reach of the nominal bandwidth.
constexpr double kNodeLatency = 30e-6;
constexpr double kNodeShare = 0.75;

/// A group of ranks, laid out over nodes.
struct RankGroup {
  double ranks = 1;
  double per_node = 1;
};

RankGroup group_along(const StepPlan& plan, ParallelAxis axis, double node_devices) {
  RankGroup group;
  for (const workload::Axis& one : layout_of(plan, axis)) {
    group.ranks *= one.size;
    // Neighbours on an axis are `stride` ranks apart: so many of them fit into what is left of a node.
    group.per_node *= std::clamp(std::floor(node_devices / one.stride), 1.0, static_cast<double>(one.size));
  }
  return group;
}

class MeasuredNetwork {
 public:
  MeasuredNetwork(const StepPlan& plan, const machine::Device& device, const Cluster& cluster, const MeasuredBus& bus)
      : plan_(plan), cluster_(cluster), inside_(kNodeShare * device.scale_up_gb_per_s * 1e9) {
    // Gathering and scattering are the same ring: the slower figure is that of the pair.
    std::optional<double> gather = bus.all_gather ? bus.all_gather : bus.reduce_scatter;
    if (gather && bus.reduce_scatter) gather = std::min(*gather, *bus.reduce_scatter);
    gather_step_ = step_seconds(gather, cluster.ring_gb_per_s, cluster.ring_step_us);
    reduce_step_ = step_seconds(bus.all_reduce, cluster.all_reduce_gb_per_s, cluster.ring_step_us / 2);
  }

  [[nodiscard]] double seconds(const CommQuestion& question) const {
    if (question.is_message) return message_seconds(static_cast<double>(question.bytes));
    const RankGroup group = group_along(plan_, question.axis, cluster_.node_devices);
    if (group.ranks < 2) return 0;
    const auto bytes = static_cast<double>(
        workload::whole_bytes(question.collective, question.bytes, static_cast<std::size_t>(group.ranks)));
    const double sent = (group.ranks - 1) / group.ranks * bytes;
    const bool reduces = question.collective == Collective::all_reduce;
    const double passes = reduces ? 2 : 1;
    if (group.per_node >= group.ranks) return kNodeLatency + passes * sent / inside_;
    const double ports = (reduces ? cluster_.all_reduce_gb_per_s : cluster_.ring_gb_per_s) * 1e9 * group.per_node /
                         cluster_.node_devices;
    return passes * (group.ranks * (reduces ? reduce_step_ : gather_step_) + sent / ports);
  }

 private:
  /// Of a ring through all ranks: t = n lambda + (n - 1)/n bytes / B is (n - 1)/n bytes / bus.
  [[nodiscard]] double step_seconds(const std::optional<double>& bus, double ring_gb_per_s, double usual_us) const {
    const double ranks = plan_.ranks();
    if (!bus || ranks <= cluster_.node_devices) return usual_us * 1e-6;
    const double bytes = (ranks - 1) / ranks * cluster_.timed_mb * 1e6;
    return std::max(0.0, bytes / ranks * (1 / *bus - 1 / ring_gb_per_s) * 1e-9);
  }
  /// Between stages: over one port, if they are in different nodes.
  [[nodiscard]] double message_seconds(double bytes) const {
    const bool near = plan_.ranks() <= cluster_.node_devices;
    const double port = cluster_.ring_gb_per_s * 1e9 / cluster_.node_devices;
    return kNodeLatency + bytes / (near ? inside_ : port);
  }

  const StepPlan& plan_;
  const Cluster& cluster_;
  const double inside_;
  double gather_step_ = 0, reduce_step_ = 0;
};

}  // namespace

CommPrice measured_prices(const StepPlan& plan, const machine::Device& device, const Cluster& cluster,
                          const MeasuredBus& bus) {
  return [network = MeasuredNetwork(plan, device, cluster, bus)](const CommQuestion& question) -> Result<TimePs> {
    return static_cast<TimePs>(std::llround(network.seconds(question) * 1e12));
  };
}

}  // namespace orrery::llm
