#include "analyze/path/hta_summary.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/percent.h"
#include "causal/hta/kernel_type.h"

// Edges are counted by type for the graph and for the path, and those of the path are put down to what bounds them:
// delays by their type, work by where it ran and what it is called, after the same shortening of names that HTA does
// first.

namespace orrery::analyze {
namespace {

using causal::hta::CriticalPath;
using causal::hta::Edge;
using causal::hta::EdgeType;
using causal::hta::kNoRow;
using causal::hta::RowIndex;

/// What bounds an edge, and what HTA calls it; dependencies have no name there.
enum HtaBound : std::uint8_t {
  nothing,
  kernel_kernel_overhead,
  kernel_launch_overhead,
  communication,
  compute,
  data_loading,
  cpu
};
constexpr std::array<std::string_view, 7> kNames = {"",
                                                    "gpu_kernel_kernel_overhead",
                                                    "gpu_kernel_launch_overhead",
                                                    "gpu_communication_bound",
                                                    "gpu_compute_bound",
                                                    "data_loading",
                                                    "cpu_bound"};

class BoundBy {
 public:
  static Result<BoundBy> create(const CriticalPath& path, const std::vector<std::string>& patterns) {
    BoundBy result(path);
    for (const std::string& pattern : patterns) {
      auto compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
      if (!compiled->ok())
        return Error{"events that load data: \"" + pattern + "\" is not a regular expression: " + compiled->error()};
      result.data_load_.push_back(std::move(compiled));
    }
    return result;
  }

  [[nodiscard]] HtaBound of(const Edge& edge) {
    switch (edge.type) {
      case EdgeType::kernel_kernel_delay: return kernel_kernel_overhead;
      case EdgeType::kernel_launch_delay: return kernel_launch_overhead;
      case EdgeType::dependency:
      case EdgeType::sync_dependency: return nothing;
      case EdgeType::operator_: break;
    }
    if (edge.attributed == kNoRow) return nothing;
    const StringId name = path_.rows.name(edge.attributed);
    const bool on_device = path_.rows.stream[edge.attributed] >= 0;
    // Names are few and long, edges many: each name is looked at once.
    HtaBound& known = (on_device ? of_device_ : of_host_)[name];
    if (known == nothing)
      known = on_device ? of_device_name(path_.rows.trace->strings.text(name))
                        : of_host_name(path_.rows.trace->strings.text(name));
    return known;
  }

 private:
  explicit BoundBy(const CriticalPath& path)
      : path_(path),
        of_device_(path.rows.trace->strings.size(), nothing),
        of_host_(path.rows.trace->strings.size(), nothing) {}

  // HTA looks at the shortened names that its table shows: "enumerate(DataLoader)#_Iter" is enumerate#_Iter.
  static HtaBound of_device_name(std::string_view name) {
    return causal::hta::is_communication(shorten_name(name)) ? communication : compute;
  }
  [[nodiscard]] HtaBound of_host_name(std::string_view name) const {
    const std::string shown = shorten_name(name);
    const re2::StringPiece text(shown.data(), shown.size());
    const bool loads_data = std::any_of(data_load_.begin(), data_load_.end(),
                                        [&](const auto& pattern) { return RE2::PartialMatch(text, *pattern); });
    return loads_data ? data_loading : cpu;
  }

  const CriticalPath& path_;
  std::vector<HtaBound> of_device_, of_host_;  // by name; nothing: not looked at yet
  std::vector<std::unique_ptr<RE2>> data_load_;
};

void count(HtaTypeTotals& totals, const Edge& edge) {
  ++totals.edges[static_cast<std::size_t>(edge.type)];
  totals.weight[static_cast<std::size_t>(edge.type)] += edge.weight;
}

}  // namespace

std::string shorten_name(std::string_view name) {
  if (causal::hta::is_memory(name) || name.find_first_of("<(") == std::string_view::npos) return std::string(name);
  std::string kept;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '-' && i + 1 < name.size() && name[i + 1] == '>') {
      ++i;
      continue;
    }
    if (c != '>' && c != ')') {
      kept += c;
      continue;
    }
    // A bracket that closes takes away everything back to where it was opened.
    const std::size_t open = kept.rfind(c == '>' ? '<' : '(');
    kept.resize(open == std::string::npos ? 0 : open);
  }
  return kept.substr(kept.rfind(' ') + 1);
}

Result<HtaSummary> summarize(const CriticalPath& path, const std::vector<std::string>& data_load_patterns) {
  auto bound_by = BoundBy::create(path, data_load_patterns);
  if (!bound_by) return bound_by.error();
  HtaSummary summary;
  for (const Edge& edge : path.edges) count(summary.graph, edge);
  summary.breakdown.reserve(path.path_edges.size());
  std::array<std::optional<TimePs>, kNames.size()> totals;
  for (const std::uint32_t i : path.path_edges) {
    const Edge& edge = path.edges[i];
    count(summary.path, edge);
    summary.path_weight += edge.weight;
    const HtaBound bound = bound_by->of(edge);
    summary.breakdown.push_back({edge.attributed, edge.weight, edge.type, kNames[bound]});
    totals[bound] = totals[bound].value_or(0) + edge.weight;
  }
  for (std::size_t bound = 0; bound < totals.size(); ++bound) {
    if (totals[bound]) summary.bound_by.emplace(kNames[bound], *totals[bound]);
  }
  std::vector<bool> is_on_path(path.rows.size());
  for (const causal::hta::NodeNumber node : path.path_nodes) is_on_path[path.window.nodes.row[node]] = true;
  summary.path_events = static_cast<std::size_t>(std::count(is_on_path.begin(), is_on_path.end(), true));
  return summary;
}

report::Sheet hta_bound_by_sheet(const HtaSummary& summary) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("bound_by");
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "bound by", .people_only = true})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (const auto& [name, weight] : summary.bound_by) {
    // HTA leaves dependencies without a name.
    sheet.add_row({name, name.empty() ? "(dependencies)" : name, weight, share_percent(weight, summary.path_weight)});
  }
  return sheet;
}

}  // namespace orrery::analyze
