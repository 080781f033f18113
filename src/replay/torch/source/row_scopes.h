// In which recorded step and in which annotations something of a rank lies, for edits that are limited to some.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "causal/host/host_match.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

// Rows of a host trace that are ranges which the program named, and steps among them.

/// record_function("forward"), ProfilerStep#3; not the rows that stand for threads.
inline bool is_user_range(const RankSource& source, std::uint32_t row) {
  constexpr std::int64_t kUserScope = 7;
  return source.host->scope[row] == kUserScope && source.host->op_schema[row] == 0 &&
         causal::is_operator_row(source.strings->text(source.host->name[row]));
}

inline bool is_step_name(std::string_view range) { return range.starts_with("ProfilerStep"); }

inline constexpr std::int64_t kNoStepNumber = -1;

/// Per visit the number that the name of its step ends in (ProfilerStep#3); kNoStepNumber: it lies in none.
std::vector<std::int64_t> step_numbers(const RankSource& source);

/// A moment counts by the row that it lies in; without one, by the visit that it comes before.
class RowScope {
 public:
  /// `steps`: step_numbers, which must outlive this. A range of the program holds what its thread does inside of it,
  /// and what the autograd engine's threads do meanwhile: the backward pass was given to them. O(visits) if annotations
  /// matter.
  RowScope(const RankSource& source, const std::vector<std::int64_t>& steps, const analyze::EditScope& scope,
           const std::optional<analyze::NamePattern>& inside);

  [[nodiscard]] bool contains_row(std::uint32_t row) const { return contains(source_.order.begin[row]); }
  [[nodiscard]] bool contains(const HostMoment& moment) const;

 private:
  [[nodiscard]] bool contains(std::uint32_t visit) const;

  const RankSource& source_;
  const std::vector<std::int64_t>& steps_;
  const std::optional<analyze::NumberSet>& wanted_;
  std::vector<std::uint8_t> is_inside_;  // per visit; empty: annotations do not matter
};

}  // namespace orrery::replay::torch
