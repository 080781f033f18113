// Changes to a column of times that itself stays untouched.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/column.h"
#include "graph/types.h"

namespace orrery::graph {

/// Records changes in a log (16 bytes each) and turns into a full copy of the column once an eighth of it is written to, so that
/// a handful of changes costs nothing and changing everything costs no more than a copy. The last change of a value counts. Values are
/// clamped to +-kMaxWeightPs.
class TimePatch {
 public:
  /// `base` may be empty: `size` zeros. It must outlive the patch.
  TimePatch(std::span<const TimePs> base, std::size_t size) : base_(base), size_(size) {}

  void set(std::uint32_t index, TimePs value);

  [[nodiscard]] bool empty() const { return log_.empty() && dense_ == nullptr; }

  /// The changed values: either `dense` with all values, or pairs by ascending index.
  struct Folded {
    std::shared_ptr<const Column<TimePs>> dense;
    Column<std::uint32_t> indices;
    Column<TimePs> values;
  };
  [[nodiscard]] Folded fold() const;

 private:
  struct Change {
    std::uint32_t index;
    TimePs value;
  };

  void make_dense();

  std::span<const TimePs> base_;
  std::size_t size_;
  std::vector<Change> log_;                // empty once dense
  std::shared_ptr<Column<TimePs>> dense_;  // copied before a change when somebody else holds it too
};

}  // namespace orrery::graph
