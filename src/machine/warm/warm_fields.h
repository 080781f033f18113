// The fields of a file of kernel tables, each said once: reader, writer, checker and fit are visitors of these lists.
#pragma once

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "machine/warm/table_accuracy.h"
#include "machine/warm/warm_kernel.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::machine {

inline constexpr std::string_view kKernelTableFormat = "orrery.kernel_table/1";
inline constexpr Range kConstantRange = {0, 1e9};
inline constexpr Range kPercent = {0, 1e6, true};

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<WarmGemm> auto& value) {
  visitor.number("tile_efficiency", value.tile_efficiency, kConstantRange);
  visitor.number("tile_edge", value.tile_edge, kConstantRange);
  visitor.number("wave_share", value.wave_share, kConstantRange);
  visitor.number("pipeline_fill", value.pipeline_fill, kConstantRange);
  visitor.number("throttle_per_e_fold", value.throttle_per_e_fold, kConstantRange);
  visitor.number("memory_share", value.memory_share, kConstantRange);
  visitor.number("floor_us", value.floor_us, kConstantRange);
  visitor.number("split_us", value.split_us, kConstantRange);
  visitor.number("unit_gb_per_s", value.unit_gb_per_s, kConstantRange);
  visitor.number("cache_share", value.cache_share, kConstantRange);
  visitor.number("cached_unit_gb_per_s", value.cached_unit_gb_per_s, kConstantRange);
  visitor.number("quantise_passes", value.quantise_passes, kConstantRange);
  visitor.number("quantise_us", value.quantise_us, kConstantRange);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<WarmForward> auto& value) {
  visitor.number("floor_us", value.floor_us, kConstantRange);
  visitor.number("efficiency", value.efficiency, kConstantRange);
  visitor.number("narrow_factor", value.narrow_factor, kConstantRange);
  visitor.number("wide_factor", value.wide_factor, kConstantRange);
  visitor.number("half_sequence", value.half_sequence, kConstantRange);
  visitor.number("wave_share", value.wave_share, kConstantRange);
  visitor.number("memory_share", value.memory_share, kConstantRange);
  visitor.number("cache_share", value.cache_share, kConstantRange);
  visitor.number("cached_unit_gb_per_s", value.cached_unit_gb_per_s, kConstantRange);
  visitor.number("corner", value.corner, kConstantRange);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<WarmDecode> auto& value) {
  visitor.number("floor_us", value.floor_us, kConstantRange);
  visitor.number("memory_share", value.memory_share, kConstantRange);
  visitor.number("cache_share", value.cache_share, kConstantRange);
  visitor.number("cached_unit_gb_per_s", value.cached_unit_gb_per_s, kConstantRange);
  visitor.number("stream_gb_per_s", value.stream_gb_per_s, kConstantRange);
  visitor.number("streams_per_unit", value.streams_per_unit, kConstantRange);
  visitor.number("own_heads_split", value.own_heads_split, kConstantRange);
  visitor.number("efficiency", value.efficiency, kConstantRange);
  visitor.number("request_ns", value.request_ns, kConstantRange);
  visitor.number("corner", value.corner, kConstantRange);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<WarmExperts> auto& value) {
  visitor.number("floor_us", value.floor_us, kConstantRange);
  visitor.number("efficiency", value.efficiency, kConstantRange);
  visitor.number("pad_rows", value.pad_rows, kConstantRange);
  visitor.number("memory_share", value.memory_share, kConstantRange);
  visitor.number("cache_share", value.cache_share, kConstantRange);
  visitor.number("cached_unit_gb_per_s", value.cached_unit_gb_per_s, kConstantRange);
  visitor.number("token_passes", value.token_passes, kConstantRange);
  visitor.number("expert_ns", value.expert_ns, kConstantRange);
  visitor.number("wave_share", value.wave_share, kConstantRange);
  visitor.number("corner", value.corner, kConstantRange);
}

/// Every constant of a kind, to be changed.
inline std::vector<double*> numbers_of(WarmConstants& constants) {
  struct List {
    std::vector<double*> values;
    void number(std::string_view, double& value, Range) { values.push_back(&value); }
  } list;
  std::visit([&](auto& kind) { describe(list, kind); }, constants);
  return std::move(list.values);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<TimeInterval> auto& value) {
  visitor.number("from_us", value.from_us, kPercent);
  visitor.number("low_ratio", value.low_ratio, kConstantRange);
  visitor.number("high_ratio", value.high_ratio, kConstantRange);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<TableAccuracy> auto& value) {
  visitor.count("rows", value.rows, Range{0, 1e12, true});
  visitor.number("formula_pct", value.formula_pct, kPercent);
  visitor.number("seen_pct", value.seen_pct, kPercent);
  visitor.number("held_out_pct", value.held_out_pct, kPercent);
}

}  // namespace orrery::machine
