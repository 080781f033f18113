// What a replay is asked to change about sizes: "batch 2", "sequence 0.5", "size:2048 2".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// A fraction in lowest terms.
struct Factor {
  std::int64_t numerator = 1, denominator = 1;
  [[nodiscard]] bool is_one() const { return numerator == denominator; }
  /// So many times as large; nothing if that is no whole number, or none that fits.
  [[nodiscard]] std::optional<std::int64_t> times(std::int64_t size) const;
};

struct ScaleRequest {
  enum class What : std::uint8_t { batch, sequence, size };
  What what = What::batch;
  std::int64_t size = 0;  ///< of What::size
  Factor factor;
  std::string text;  ///< as it was asked
};

/// Errors of Kind::misuse: a selector that there is not, a factor that is none or out of all reason.
Result<ScaleRequest> parse_scale(std::string_view selector, std::string_view factor);

// What is said where a recording cannot have another size. Nothing is written then.

/// Refers to what it is made of.
class ScaleRefusals {
 public:
  ScaleRefusals(const ScaleRequest& request, const RankSource& source) : request_(request), source_(source) {}

  /// "aten::foo (node 17) cannot follow where batch is scaled by 2: it sorts"
  [[nodiscard]] Error cannot_follow(std::uint32_t row, const std::string& why) const;
  /// There is no such dimension.
  [[nodiscard]] Error nothing_selected() const;
  [[nodiscard]] Error no_whole_number(std::int64_t size) const;

 private:
  const ScaleRequest& request_;
  const RankSource& source_;
};

}  // namespace orrery::replay::torch
