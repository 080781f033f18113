#include "llm/distil/measured_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "llm/diagnostics.h"

namespace orrery::llm {
namespace {

std::string_view name_of(machine::WarmFormat format) {
  return machine::kWarmFormatNames[static_cast<std::size_t>(format)];
}

/// By what a table calls devices; an empty text is any.
class SameDevice {
 public:
  SameDevice(const Catalog& catalog, const machine::Device& device) : catalog_(catalog), device_(device) {}

  bool operator()(const std::string& name) {
    const auto [known, is_new] = known_.emplace(name, name.empty() || name == device_.name);
    if (!is_new || known->second) return known->second;
    const machine::Device* found = find_device(catalog_, name);
    return known->second = found != nullptr && found->name == device_.name;
  }

 private:
  const Catalog& catalog_;
  const machine::Device& device_;
  std::map<std::string, bool> known_;
};

}  // namespace

std::vector<MeasuredKernel> measured_kernels(const Catalog& catalog, const machine::Device& device,
                                             const std::vector<KernelRow>& rows, Diagnostics& diagnostics) {
  SameDevice same(catalog, device);
  std::vector<MeasuredKernel> kernels;
  for (const KernelRow& row : rows) {
    if (!same(row.device)) continue;
    const auto at = [&] { return fmt::format("{}: {}", row.place, row.kind); };
    const auto kind = warm_kind(row.kind);
    const auto& format = row.sizes.format;
    if (!kind || row.sizes.run != KernelRun::warm) diagnostics.add(kNotDistilled, at);
    else if (!format || device.peak_flops(machine::rate_of(*format)) <= 0) diagnostics.add(kKernelFormat, at);
    else if (!has_warm_sizes(*kind, row.sizes)) diagnostics.add(kKernelWithoutSize, at);
    else if (!row.measured_us) diagnostics.add(kKernelNotMeasured, at);
    else kernels.push_back({warm_kernel(*kind, row.sizes), *row.measured_us, row.library});
  }
  return kernels;
}

std::string table_text(const machine::KernelTable& table, const std::string& origin) {
  std::string head = "# Written by orrery llm distil; docs/formats/device.md tells the fields.\n";
  for (std::size_t at = 0; at < origin.size();) {
    const std::size_t end = std::min(origin.find('\n', at), origin.size());
    head += "# " + origin.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return head + machine::to_yaml(table);
}

std::string with_tables(std::string before, const std::string& folder) {
  if (before.starts_with("tables:") || before.find("\ntables:") != std::string::npos) return before;
  if (!before.ends_with('\n')) before += '\n';
  return before + fmt::format("tables: \"{}\"  # orrery llm distil\n", folder);
}

report::Sheet distilled_sheet(const std::vector<machine::KernelTable>& tables) {
  using report::Type, report::Unit;
  report::Sheet sheet("formats");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "dtype", .title = "format"})
      .add({.name = "kv_dtype", .title = "of the cache"})
      .add({.name = "library"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "formula", .type = Type::real, .unit = Unit::pct, .title = "error by formula", .decimals = 1})
      .add({.name = "seen", .type = Type::real, .unit = Unit::pct, .title = "with table", .decimals = 1})
      .add({.name = "held_out", .type = Type::real, .unit = Unit::pct, .title = "not seen", .decimals = 1});
  for (const machine::KernelTable& table : tables) {
    const std::string_view kind = machine::kWarmKindNames[static_cast<std::size_t>(table.kind)];
    for (const machine::FormatTable& one : table.formats) {
      sheet.add_row({kind, name_of(one.format), name_of(one.cache),
                     one.library.empty() ? report::Cell(nullptr) : report::Cell(one.library), one.accuracy.rows,
                     one.accuracy.formula_pct, one.accuracy.seen_pct, one.accuracy.held_out_pct});
    }
  }
  return sheet;
}

}  // namespace orrery::llm
