// Integers that count 0, 1, 2, ...: as indices they reach as far as there are of them, so that a table has to have as
// many rows.
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/scale/scale_refusals.h"

namespace orrery::replay::torch {

/// Refers to `sites`, which have to be as recorded when it is made.
class CountedIndices {
 public:
  explicit CountedIndices(const TensorSites& sites);

  /// How many the integers of a call or collective count, as recorded; 0: that is not known.
  [[nodiscard]] std::int64_t count_of(const TensorUser& user) const;
  /// After a call was scaled: an Error where it looks up more than its table has.
  [[nodiscard]] Status check_table(const TensorUser& user, const ScaleRefusals& refusals) const;

 private:
  const TensorSites& sites_;
  std::map<std::uint32_t, std::int64_t> counts_;  // by lifetime
};

}  // namespace orrery::replay::torch
