#include "simulate/engine/operation_numbers.h"

#include <algorithm>
#include <bit>

namespace orrery::simulate {

OperationNumbers::OperationNumbers(const workload::Membership& membership)
    : communicators_(static_cast<std::uint32_t>(membership.communicators().size())) {
  const std::uint64_t ranks = membership.job().rank_count();
  const auto structures = membership.structures();
  const bool all_known =
      std::all_of(structures.begin(), structures.end(), [](const auto& program) { return program.length.has_value(); });
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
    first_.push_back(first_.back() +
                     (all_known ? membership.structure(rank).length->sends : std::uint64_t{1} << shift));
  make_guide();
}

void OperationNumbers::make_guide() {
  guide_shift_ = std::max(
      0, static_cast<int>(std::bit_width(first_.back())) - static_cast<int>(std::bit_width(first_.size())) - 2);
  const std::uint64_t guides = (first_.back() >> guide_shift_) + 1;
  std::uint32_t line = 0;
  for (std::uint64_t guide = 0; guide <= guides; ++guide) {
    while (line + 1 < first_.size() && first_[line + 1] <= guide << guide_shift_) ++line;
    guide_.push_back(line);
  }
}

OperationNumbers::Place OperationNumbers::find(OpId id) const {
  const std::uint64_t guide = id >> guide_shift_;
  const auto begin = first_.begin() + guide_[guide] + 1, end = first_.begin() + guide_[guide + 1] + 1;
  const auto line = static_cast<std::uint32_t>(std::upper_bound(begin, end, id) - first_.begin()) - 1;
  return {line < communicators_ ? line : line - communicators_, id - first_[line]};
}

}  // namespace orrery::simulate
