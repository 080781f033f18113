// What HTA says about its critical path: counts, weights by type, and what bounds the path.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "causal/hta/critical_path.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// One row of HTA's breakdown per edge of the path, front to back.
struct HtaBreakdownRow {
  causal::hta::RowIndex attributed = causal::hta::kNoRow;
  TimePs duration = 0;
  causal::hta::EdgeType type{};
  std::string_view bound_by;  ///< a constant: cpu_bound, data_loading, gpu_compute_bound, ...; empty for dependencies
};

struct HtaTypeTotals {
  std::array<std::uint64_t, causal::hta::kEdgeTypes> edges{};
  std::array<TimePs, causal::hta::kEdgeTypes> weight{};
};

struct HtaSummary {
  HtaTypeTotals graph;
  HtaTypeTotals path;
  TimePs path_weight = 0;
  std::size_t path_events = 0;
  std::vector<HtaBreakdownRow> breakdown;
  std::map<std::string_view, TimePs> bound_by;  ///< by the constants of the rows
};

/// `data_load_patterns`: regular expressions searched in names (HTA's data_load_events). Fails on a malformed one.
Result<HtaSummary> summarize(const causal::hta::CriticalPath& path, const std::vector<std::string>& data_load_patterns);

/// What bounds the path, by HTA's names: kind, on_path_us, share_pct.
report::Sheet hta_bound_by_sheet(const HtaSummary& summary);

/// HTA's shortened names: without template arguments, parameters and return type. Copies and sets ("Memset (Device)"),
/// and names without either kind of opening bracket, stay whole.
std::string shorten_name(std::string_view name);

}  // namespace orrery::analyze
