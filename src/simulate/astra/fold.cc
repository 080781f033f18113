#include "simulate/astra/fold.h"

#include <optional>

namespace orrery::simulate::astra {
namespace {

using machine::AstraAlgorithm;
using workload::ActivityKind;

// Per dimension whether ranks are exchanged by XOR; nothing if the algorithms in use do not fit together.
std::optional<std::vector<bool>> symmetry(const workload::Program& program, const machine::AstraSystem& system) {
  const std::size_t dimensions = system.dimensions.size();
  std::vector<bool> exchanges(dimensions, false), rotates(dimensions, false);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] != ActivityKind::collective) continue;
    const auto type = implemented(program.collectives[i]);
    if (!type) continue;
    const auto& list = system.implementations[static_cast<std::size_t>(*type)];
    for (std::size_t d = 0; d < list.size() && d < dimensions; ++d) {
      // Trees have inner ranks and leaves, and a flat ring goes across dimensions: ranks are not alike then.
      if (list[d].algorithm == AstraAlgorithm::double_binary_tree || (list[d].flat && dimensions > 1))
        return std::nullopt;
      (list[d].algorithm == AstraAlgorithm::halving_doubling ? exchanges : rotates)[d] = true;
    }
  }
  // Exchanging by bits and turning around are different symmetries, and a dimension can have one of them only.
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (exchanges[d] && rotates[d]) return std::nullopt;
  }
  return exchanges;
}

}  // namespace

std::optional<machine::AstraCollective> implemented(workload::Collective collective) {
  switch (collective) {
    case workload::Collective::all_reduce: return machine::AstraCollective::all_reduce;
    case workload::Collective::all_gather: return machine::AstraCollective::all_gather;
    case workload::Collective::reduce_scatter: return machine::AstraCollective::reduce_scatter;
    case workload::Collective::all_to_all: return machine::AstraCollective::all_to_all;
    default: return std::nullopt;
  }
}

bool Fold::applies(const workload::Workload& workload, const machine::AstraSystem& system) {
  // With one program all ranks do the same.
  if (workload.rank_count() < 2 || workload.programs.size() != 1) return false;
  if (system.has_custom() || system.shared_bus) return false;  // the order of events on a rank's bus is not watched
  if (system.rendezvous) return false;                         // one event then touches both ends of a message
  const workload::Program& program = workload.programs[0];
  for (std::size_t i = 0; i < program.size(); ++i) {
    const ActivityKind kind = program.kinds[i];
    if (kind == ActivityKind::send || kind == ActivityKind::recv) return false;
    const bool memory = kind == ActivityKind::memory_load || kind == ActivityKind::memory_store;
    if (memory && system.remote_memory && system.remote_memory->sharing != machine::AstraRemoteMemory::Sharing::per_npu)
      return false;
    if (kind == ActivityKind::collective && program.group_names[i] != 0) return false;
  }
  const auto exchanges = symmetry(program, system);
  if (!exchanges) return false;
  // Exchanged neighbours on a ring are not neighbours: the distances of partners agree, the links between them do not.
  for (std::size_t d = 0; d < exchanges->size(); ++d) {
    const machine::AstraDimension& dimension = system.dimensions[d];
    if ((*exchanges)[d] && dimension.topology == machine::AstraTopology::ring && dimension.npus > 2) return false;
  }
  return true;
}

Fold::Fold(const workload::Workload& workload, const machine::AstraSystem& system)
    : dimensions_(system.dimensions), exchanges_(*symmetry(workload.programs[0], system)) {}

std::uint32_t Fold::inverse(std::uint32_t rank) const {
  std::uint32_t result = 0, stride = 1;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const std::uint32_t n = dimensions_[d].npus;
    const std::uint32_t coordinate = rank / stride % n;
    // The rank that sees this one as this one sees it: exchanged by bits it is itself, turned around the opposite one.
    result += (exchanges_[d] ? coordinate : (n - coordinate) % n) * stride;
    stride *= n;
  }
  return result;
}

bool Fold::sees(std::int64_t now, std::int64_t caused_at, std::uint32_t source, std::uint64_t what) {
  if (now != now_) {
    now_ = now;
    seen_.clear();
  }
  bool known = false;
  for (const Seen& other : seen_) {
    if (other.caused_at != caused_at) continue;
    if (other.source == source && other.what == what) known = true;
    // Two ranks cause something different at the same moment: in which order they come would matter.
    else if (other.source != source && other.what != what) return false;
  }
  if (!known) seen_.push_back({caused_at, source, what});
  return true;
}

}  // namespace orrery::simulate::astra
