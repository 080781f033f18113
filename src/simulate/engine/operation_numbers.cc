#include "simulate/engine/operation_numbers.h"

#include <algorithm>
#include <bit>

namespace orrery::simulate {

OperationNumbers::OperationNumbers(const workload::Membership& membership)
    : communicators_(static_cast<std::uint32_t>(membership.communicators().size())) {
  const std::uint64_t ranks = membership.job().rank_count();
  const auto structures = membership.structures();
  const bool all_known = std::all_of(structures.begin(), structures.end(), [](const auto& program) { return program.length.has_value(); });
  const int shift = 63 - static_cast<int>(std::bit_width(communicators_ + ranks));
  first_.push_back(0);
  for (const workload::Communicator& communicator : membership.communicators()) {
    const workload::ProgramStructure& program = membership.structure(communicator.ranks[0]);
    const std::uint32_t stream = program.find_stream(communicator.name);
    const std::uint64_t count = !all_known                    ? std::uint64_t{1} << shift
                                : stream == workload::kNoLine ? 0
                                                              : program.length->collectives[stream];
    first_.push_back(first_.back() + count);
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    first_.push_back(first_.back() + (all_known ? membership.structure(rank).length->sends : std::uint64_t{1} << shift));
}

OperationNumbers::Place OperationNumbers::find(OpId id) const {
  const auto line = static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), id) - first_.begin()) - 1;
  return {line < communicators_ ? line : line - communicators_, id - first_[line]};
}

}  // namespace orrery::simulate
