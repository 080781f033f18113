#include "replay/torch/scale/scaled_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "replay/torch/scale/scaled_numbers.h"

namespace orrery::replay::torch {
namespace {

// The tensors as they were, if any of them changed; otherwise nothing.
Result<std::vector<RecordedTensor>> scale_tensors(const TensorUser& user, const TensorSites& sites, const ScaledMemory& memory,
                                                  const Factor& factor, const ScaleRefusals& refusals) {
  std::vector<RecordedTensor> before;
  bool has_changed = false;
  for (std::uint32_t site = user.first; site < user.first + user.count; ++site) {
    RecordedTensor& tensor = *sites.all[site].tensor;
    before.push_back(tensor);
    if (!memory.scale_tensor(site, factor) || !describe_again(tensor))
      return refusals.cannot_follow(user.row, fmt::format("a tensor of shape [{}] would have sizes that are no whole numbers, or too large",
                                                          fmt::join(before.back().shape, ", ")));
    has_changed |= tensor.descriptor != before.back().descriptor;
  }
  if (!has_changed) before.clear();
  return before;
}

}  // namespace

Result<std::vector<std::uint8_t>> scale_arguments(const trace::HostTrace& host, const Factor& factor, const TensorSites& sites,
                                                  const ScaledMemory& memory, const CountedIndices& counted,
                                                  const ScaleRefusals& refusals) {
  std::vector<std::uint8_t> has_changed(sites.users.size(), 0);
  for (std::size_t i = 0; i < sites.users.size(); ++i) {
    const TensorUser& user = sites.users[i];
    const auto before = scale_tensors(user, sites, memory, factor, refusals);
    if (!before) return before.error();
    if (before->empty()) continue;
    has_changed[i] = 1;
    if (user.is_collective()) continue;
    if (!scale_numbers(host, user.row, *user.schema, *before, factor, *user.call))
      return refusals.cannot_follow(user.row, "its arguments say sizes that are not those of its tensors");
    if (const Status fits = counted.check_table(user, refusals); !fits) return fits.error();
  }
  return has_changed;
}

void grow_lifetimes(const ScaledMemory& memory, const Factor& factor, Lifetimes& lifetimes) {
  for (std::uint32_t i = 0; i < lifetimes.all.size(); ++i) {
    std::int64_t& bytes = lifetimes.all[i].bytes;
    for (std::size_t n = 0; n < memory.axes_count(i); ++n) {
      std::int64_t grown = 0;
      if (!__builtin_mul_overflow(bytes, factor.numerator, &grown)) bytes = (grown + factor.denominator - 1) / factor.denominator;
    }
  }
}

}  // namespace orrery::replay::torch
