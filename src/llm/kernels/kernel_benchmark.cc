#include "llm/kernels/kernel_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/numbers.h"
#include "llm/diagnostics.h"
#include "llm/kernels/free_constants.h"
#include "llm/kernels/kernel_kinds.h"
#include "llm/kernels/relative.h"
#include "llm/measurements.h"
#include "report/bar.h"

// A device without measured kernels takes those of a device of its generation, scaled by what they depend on:
// bandwidth, units, the link to the host. Every price says on whose figures it stands, and has an interval only where
// such kernels were measured.

namespace orrery::llm {

machine::StandaloneKernels scaled_kernels(const machine::Device& from, const machine::Device& to) {
  machine::StandaloneKernels kernels = *from.standalone;
  const double memory = to.memory_bytes_per_s() / from.memory_bytes_per_s();
  for (machine::StreamingKernel* kernel : {&kernels.add, &kernels.gelu, &kernels.device_copy})
    kernel->bandwidth_gb_per_s *= memory;
  for (machine::NamedKernel& named : kernels.kinds) named.kernel.bandwidth_gb_per_s *= memory;
  for (machine::RowAlgorithm& algorithm : kernels.softmax.algorithms) algorithm.bandwidth_gb_per_s *= memory;
  // All units together keep their share of the bandwidth: with more of them, each has less of it.
  const double units = static_cast<double>(to.compute_unit_count) / static_cast<double>(from.compute_unit_count);
  kernels.norm.column_ns *= units / memory;
  // Where a host link is not known, copies are as on the other device: both are PCI Express as a rule.
  if (to.host_link_gb_per_s && from.host_link_gb_per_s)
    kernels.host_copy.bandwidth_gb_per_s *= *to.host_link_gb_per_s / *from.host_link_gb_per_s;
  kernels.estimated = {"add", "gelu", "softmax", "norm", "host_copy", "device_copy", "attention", "block"};
  return kernels;
}

KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device) {
  if (device.standalone) return {std::move(device)};
  const auto timed = [](const machine::Device& one) { return one.standalone.has_value(); };
  const machine::Device* source = nearest_relative(known, device, timed);
  if (source == nullptr) return {std::move(device)};
  device.standalone = scaled_kernels(*source, device);
  return {std::move(device), source->name};
}

namespace {

/// Shown in place of a device's name where a price follows from rates alone.
constexpr const char* kRates = "rates";
constexpr std::string_view kAlone = "standalone.";

std::optional<double> price_of(const KernelRow& row, const KernelKind* kind, const KernelDevice& on,
                               Diagnostics& diagnostics) {
  const auto at = [&] { return fmt::format("{}: {}", row.place, row.kind); };
  // The first reason counts: what comes behind asks for what was found before it.
  if (kind == nullptr) return diagnostics.add(kUnknownKernel, at), std::nullopt;
  const bool lacks_figures = kind->standalone && row.sizes.run == KernelRun::alone && !on.device.standalone;
  if (lacks_figures) return diagnostics.add(kUnmeasuredKernel, at), std::nullopt;
  if (!has_format(*kind, row.sizes, on.device)) return diagnostics.add(kKernelFormat, at), std::nullopt;
  if (!has_sizes(*kind, row.sizes)) return diagnostics.add(kKernelWithoutSize, at), std::nullopt;
  return kernel_seconds(*kind, on.device, row.sizes) * 1e6;
}

/// Whose figures a price stands on, where they are not the device's own for that kind of kernel.
std::string basis_of(const KernelRow& row, const KernelKind& kind, const KernelDevice& on) {
  if (!was_timed(kind, on.device, row.sizes.run)) return kRates;
  const std::string group = group_of(row);
  if (!group.starts_with(kAlone)) return on.device.constants_from;
  const auto& estimated = on.device.standalone->estimated;
  if (std::find(estimated.begin(), estimated.end(), group.substr(kAlone.size())) == estimated.end()) return {};
  return on.shares_of.empty() ? "another device" : on.shares_of;
}

/// Whether kernels like this were among those that intervals stand on: alone, in 16 bits, attention with a mask and
/// equal heads.
bool is_as_measured(const KernelSizes& sizes) {
  const bool known_format = !sizes.type || sizes.element_bytes() == 2;
  return sizes.run == KernelRun::alone && known_format && sizes.causal && sizes.kv_heads == 0 && sizes.v_dim == 0;
}

void set_interval(KernelPrice& price, const machine::Device& device) {
  for (const machine::KernelAccuracy& one : device.accuracy) {
    if (one.kind != price.kind) continue;
    price.low_us = *price.us * one.low_ratio;
    price.high_us = *price.us * one.high_ratio;
  }
}

}  // namespace

KernelPrice price_kernel(const KernelRow& row, const KernelDevice& on, Diagnostics& diagnostics) {
  KernelPrice price{.kind = row.kind, .measured_us = row.measured_us};
  const KernelKind* kind = find_kernel_kind(row.kind);
  price.us = price_of(row, kind, on, diagnostics);
  if (!price.us) return price;
  price.basis = basis_of(row, *kind, on);
  if (!price.basis.empty())
    diagnostics.add(kEstimatedKernel, [&] {
      const std::string source = price.basis == kRates ? "its rates" : "the shares of " + price.basis;
      return fmt::format("{}: {}: from {}", row.place, row.kind, source);
    });
  if (price.basis.empty() && is_as_measured(row.sizes)) set_interval(price, on.device);
  return price;
}

Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const KernelDevice& on,
                                               Diagnostics& diagnostics) {
  const auto rows = kernel_rows(table);
  if (!rows) return rows.error();
  std::vector<KernelPrice> prices;
  for (const KernelRow& row : *rows) prices.push_back(price_kernel(row, on, diagnostics));
  return prices;
}

report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices) {
  using report::Type, report::Unit;
  report::Sheet sheet("rows");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "us", .type = Type::real, .unit = Unit::us, .title = "µs"})
      .add({.name = "low", .type = Type::real, .unit = Unit::us})
      .add({.name = "high", .type = Type::real, .unit = Unit::us})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "basis", .title = "estimated from"})
      .add({.name = "measured", .type = Type::real, .unit = Unit::us, .title = "measured µs"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true});
  for (const KernelPrice& one : prices) {
    const auto cell = [](const std::optional<double>& number) {
      return number ? report::Cell(*number) : report::Cell(nullptr);
    };
    std::optional<double> error;
    if (one.us && one.measured_us) error = error_pct(*one.us, *one.measured_us);
    const std::string interval = one.low_us ? fmt::format("{} to {}", report::plain_digits(*one.low_us, 4),
                                                          report::plain_digits(*one.high_us, 4))
                                            : "-";
    sheet.add_row({one.kind, cell(one.us), cell(one.low_us), cell(one.high_us), interval,
                   one.basis.empty() ? report::Cell(nullptr) : report::Cell(one.basis), cell(one.measured_us),
                   cell(error)});
  }
  return sheet;
}

report::Sheet kernel_kind_sheet(const std::vector<KernelPrice>& prices) {
  using report::Type, report::Unit;
  std::map<std::string, std::pair<std::size_t, std::vector<double>>> kinds;
  for (const KernelPrice& one : prices) {
    auto& [rows, errors] = kinds[one.kind];
    ++rows;
    if (one.us && one.measured_us) errors.push_back(error_pct(*one.us, *one.measured_us));
  }
  report::Sheet sheet("kinds");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "mean_error", .type = Type::real, .unit = Unit::pct, .title = "mean error", .decimals = 1})
      .add({.name = "median_error", .type = Type::real, .unit = Unit::pct, .title = "median", .decimals = 1})
      .add({.name = "bias", .type = Type::real, .unit = Unit::pct, .title = "bias", .is_change = true, .decimals = 1});
  for (const auto& [kind, counted] : kinds) {
    const ErrorSummary errors = summarise_errors(counted.second);
    if (errors.rows == 0) sheet.add_row({kind, counted.first, nullptr, nullptr, nullptr});
    else sheet.add_row({kind, counted.first, errors.mean_pct, errors.median_pct, errors.bias_pct});
  }
  return sheet;
}

}  // namespace orrery::llm
