// What a Network is made of; private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "machine/topology/adjacency.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

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

}  // namespace orrery::machine
