// How the links of a simulated run were used: over time, links that did alike as one; and by part of the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/topology/network.h"
#include "report/sheet.h"
#include "simulate/schedule.h"

namespace orrery::analyze {

/// Links of which everything that was recorded is the same.
struct LinkUseRow {
  std::uint32_t first = 0;  ///< of them, in the machine
  std::string link;         ///< its name
  std::uint64_t alike = 1;  ///< how many they are
  std::uint64_t bytes = 0;  ///< of each
  TimePs busy_ps = 0;
  std::uint32_t peak_sharing = 0;
  std::span<const std::uint64_t>
      series;  ///< simulate::LinkSeries::kBins of them, or none; valid while the schedule lives
};

/// Of the links that carried anything, the longest busy first, then those with most bytes, then the first. Links that
/// use over time was not recorded of, because there are very many, go with the one that was recorded and carried as
/// much for as long. `names` by link. O(links * bins).
std::vector<LinkUseRow> link_use(const simulate::Schedule& schedule, std::span<const std::string> names);

/// "link_use": link, alike, bytes, busy_ns, busy_share_pct (of the makespan), peak_sharing, bins_bytes (empty where it
/// was not recorded).
report::Sheet link_use_sheet(std::span<const LinkUseRow> rows, TimePs makespan);

/// A device or a switch, and how full its links were. A link that carries its bandwidth all the time has a use of 1.
struct VertexUse {
  std::string name;
  std::size_t row = 0;  ///< 0: devices; 1 + d: switches of dimension d
  double mean_use = 0, most_use = 0;
  std::uint64_t links = 0, bytes = 0;
};

/// Both directions of what connects two vertices.
struct CableUse {
  std::uint32_t a = 0, b = 0;  ///< vertices
  double use = 0;              ///< of the fuller direction
};

/// Vertices of one name, numbers left out: all leaf switches of a dimension.
struct VertexClass {
  std::string name;
  std::size_t row = 0;
  std::uint64_t count = 0, links = 0, bytes = 0;
  double mean_use = 0, most_use = 0;
};

struct MachineUse {
  std::vector<std::string> dimensions;  ///< their names, as in Machine::network
  std::vector<VertexUse> vertices;      ///< by machine::VertexId
  std::vector<CableUse> cables;         ///< between distinct pairs, by a and b
  std::vector<VertexClass> classes;     ///< devices, then by dimension and first vertex
  std::vector<double> dimension_use;    ///< by dimension: mean over its links
};

/// `network` is that of the machine, which the schedule was made on. O(links log links).
MachineUse machine_use(const machine::Machine& machine, const machine::Network& network,
                       const simulate::Schedule& schedule);

/// The same of the links of ASTRA-sim's contended networks, which have names of their own: "3 -> 4 (dim 0)", "3 ->
/// switch (dim 1)". `machine`: what its description says, as one of ours (machine::to_machine).
MachineUse astra_machine_use(const machine::Machine& machine, std::span<const std::string> names,
                             const simulate::Schedule& schedule);

/// "topology": what, dimension (unknown of devices), count, links, bytes, mean_use_pct, busiest_use_pct.
report::Sheet topology_sheet(const MachineUse& use);

}  // namespace orrery::analyze
