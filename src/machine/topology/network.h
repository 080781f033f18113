// A machine's network laid out: every link between every device and switch, and the way a message takes. Made from a
// Machine once; the simulators and the lowering of collectives work on this. docs/formats/machine.md tells the names,
// numbers and routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/topology/adjacency.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

// What a Network is made of; private to this folder.

/// All instances of one dimension: `places` devices each, `stride` ranks apart.
struct NetworkLevel {
  std::shared_ptr<const Fabric> fabric;  ///< shared by networks that differ in their links' rates only
  std::string name;                      ///< of the dimension; with its index if several have the same
  Topology topology = Topology::ring;    ///< likewise
  std::uint32_t size = 0;                ///< likewise
  std::uint32_t coordinate_stride = 1;   ///< between ranks that differ by one in this coordinate
  bool spans_inner = false;  ///< places are then those of the dimensions further in as well, and the stride is 1
  std::uint32_t places = 0;
  std::uint32_t stride = 1;
  std::uint32_t instances = 1;
  LinkId first_link = 0;
  LinkId links_per_instance = 0;
  VertexId first_switch = 0;
  std::uint32_t switches_per_instance = 0;

  [[nodiscard]] std::uint32_t coordinate(std::uint32_t rank) const { return rank / coordinate_stride % size; }
  [[nodiscard]] std::uint32_t place(std::uint32_t rank) const { return rank / stride % places; }
  [[nodiscard]] std::uint32_t instance(std::uint32_t rank) const {
    return rank / (stride * places) * stride + rank % stride;
  }
  [[nodiscard]] LinkId first_link_of(std::uint32_t instance_number) const {
    return first_link + instance_number * links_per_instance;
  }
  /// The network's number for a vertex of one of the fabrics.
  [[nodiscard]] VertexId vertex(std::uint32_t instance_number, VertexId local) const {
    if (local >= places) return first_switch + instance_number * switches_per_instance + (local - places);
    return instance_number / stride * stride * places + instance_number % stride + local * stride;
  }
};

struct NetworkLayout {
  std::uint32_t device_count = 1;
  std::uint32_t vertex_count = 1;
  Routing routing = Routing::shortest;
  std::vector<NetworkLevel> levels;  ///< innermost first
  std::vector<Link> links;
  bool has_down_links = false;
  std::shared_ptr<const Adjacency> leaving;  ///< only if some links are down

  [[nodiscard]] std::string vertex_name(VertexId vertex) const;
  [[nodiscard]] std::size_t level_of_switch(VertexId vertex) const;
  [[nodiscard]] const NetworkLevel& level_of_link(LinkId link) const;
  [[nodiscard]] std::uint32_t parallel_index(LinkId link) const;
};

/// Derates links and takes them down. An Error names the fault that cannot be, or two devices that it leaves without a
/// way.
Status apply_faults(const std::vector<Fault>& faults, NetworkLayout& layout);

struct NetworkLayout;

/// How much a link is in use, in whatever measure the caller has; only compared and added.
using LinkLoad = std::function<double(LinkId)>;

/// Immutable and cheap to copy; may be used from several threads. Memory: 24 bytes per link, and for an explicit
/// network its paths.
class Network {
 public:
  static constexpr std::uint64_t kMaxLinks = 1 << 23;

  /// An Error names what cannot be: a violation, devices that are not connected (which two), a fault of a link that is
  /// not there, a route cut by faults, more than kMaxLinks links. O(links).
  static Result<Network> build(const Machine& machine);

  /// The same network with other rates and latencies: `links` are this one's, in order, with nothing else changed. None
  /// may be taken down.
  [[nodiscard]] Network with_links(std::vector<Link> links) const;

  [[nodiscard]] std::uint32_t device_count() const;
  [[nodiscard]] std::span<const Link> links() const;
  [[nodiscard]] std::uint32_t vertex_count() const;  ///< devices and switches
  [[nodiscard]] Routing routing() const;
  /// Of a dimension: an index into Machine::network.
  [[nodiscard]] Topology topology(std::size_t dimension) const;
  /// "device3", "NVLink.switch": for people and faults; unique within the network.
  [[nodiscard]] std::string vertex_name(VertexId vertex) const;
  /// Which dimension a switch belongs to, or a link: an index into Machine::network.
  [[nodiscard]] std::size_t dimension_of_switch(VertexId vertex) const;
  [[nodiscard]] std::size_t dimension_of_link(LinkId link) const;
  /// "device3 -> NVLink.switch", and "… (cable 1)" for all but the first of parallel links: for people; unique within
  /// the network.
  [[nodiscard]] std::string link_name(LinkId link) const;

  /// Appends the links from device `source` to another device `target`, in order; nothing if they are the same.
  /// Deterministic: the same `flow` always takes the same way; with ECMP different flows between the same devices may
  /// take different ones. Under adaptive routing this is the way when nothing else is under way, that of shortest
  /// routing. O(length of the route), unless faults cut the regular ways.
  void append_route(std::uint32_t source, std::uint32_t target, std::uint64_t flow, std::vector<LinkId>& route) const;

  /// The same, but in every dimension the least loaded of the shortest paths: of least maximum, then least sum, then
  /// lowest number. Looks at 4,096 paths at most. Whatever the machine's routing is.
  void append_adaptive_route(std::uint32_t source, std::uint32_t target, const LinkLoad& load,
                             std::vector<LinkId>& route) const;

  /// How far apart two devices are in the hierarchy: the outermost dimension (index into Machine::network) in which
  /// they differ; 0 if they are the same.
  [[nodiscard]] std::size_t outermost_dimension(std::uint32_t a, std::uint32_t b) const;

 private:
  explicit Network(std::shared_ptr<const NetworkLayout> layout) : layout_(std::move(layout)) {}

  std::shared_ptr<const NetworkLayout> layout_;
};

}  // namespace orrery::machine
