// A machine's network laid out: every link between every device and switch, and the way a message takes. Made from a Machine once; the
// simulators and the lowering of collectives work on this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"

namespace orrery::machine {

using LinkId = std::uint32_t;
using VertexId = std::uint32_t;  ///< devices first (the rank), then switches

/// One direction of a cable: what flows share.
struct Link {
  VertexId from = 0;
  VertexId to = 0;
  double bytes_per_second = 0;  ///< after derating; above 0
  TimePs latency_ps = 0;
};

/// Immutable and cheap to copy; may be used from several threads.
class Network {
 public:
  /// An Error names what cannot be: devices that are not connected (which two), a route cut by faults, more than 2^31 links.
  static Result<Network> build(const Machine& machine);

  [[nodiscard]] std::uint32_t device_count() const;
  [[nodiscard]] std::span<const Link> links() const;
  /// "gpu3 -> leaf0": for people; unique within the network.
  [[nodiscard]] std::string link_name(LinkId link) const;

  /// Appends the links from device `source` to another device `target`, in order; nothing if they are the same. Deterministic: the same
  /// `flow` always takes the same way; with ECMP different flows between the same devices may take different ones.
  void append_route(std::uint32_t source, std::uint32_t target, std::uint64_t flow, std::vector<LinkId>& route) const;

  /// How far apart two devices are in the hierarchy: the outermost dimension (index into Machine::network) in which they differ.
  [[nodiscard]] std::size_t outermost_dimension(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Layout;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace orrery::machine
