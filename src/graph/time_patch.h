// Changes to a column of times that itself stays untouched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/column.h"
#include "graph/types.h"

namespace orrery::graph {

/// Records changes in a log (16 bytes each) and turns into a full copy of the column once an eighth of it is written to, so that
/// a handful of changes costs nothing and changing everything costs no more than a copy. Later changes apply on top of earlier ones;
/// a removed value stays removed. Values are clamped to +-kMaxWeightPs.
class TimePatch {
 public:
  /// `base` may be empty: `size` zeros. It must outlive the patch.
  TimePatch(std::span<const TimePs> base, std::size_t size) : base_(base), size_(size) {}

  void set(std::uint32_t index, TimePs value) { record({index, Kind::set, std::clamp(value, -kMaxWeightPs, kMaxWeightPs)}); }
  /// Rounds half away from zero; exact below 2^53 ps (2.5 hours). A factor that is not a number changes nothing.
  void scale(std::uint32_t index, double factor);
  void remove(std::uint32_t index) { record({index, Kind::set, kRemovedWeight}); }

  [[nodiscard]] bool empty() const { return first_ == kNone; }
  /// The smallest index that was changed; kNone without changes.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The changed values: either `dense` with all values, or pairs by ascending index.
  struct Folded {
    std::shared_ptr<const Column<TimePs>> dense;
    Column<std::uint32_t> indices;
    Column<TimePs> values;
  };
  [[nodiscard]] Folded fold() const;

 private:
  enum class Kind : std::uint32_t { set, scale };
  struct Change {
    std::uint32_t index;
    Kind kind;
    std::int64_t value;  // the bits of a double for Kind::scale
  };

  void record(Change change);
  void make_dense();
  static TimePs apply(TimePs value, const Change& change);
  [[nodiscard]] TimePs base(std::uint32_t index) const { return base_.empty() ? 0 : base_[index]; }

  std::span<const TimePs> base_;
  std::size_t size_;
  std::uint32_t first_ = kNone;
  std::vector<Change> log_;                // empty once dense
  std::shared_ptr<Column<TimePs>> dense_;  // copied before a change when somebody else holds it too
};

}  // namespace orrery::graph
