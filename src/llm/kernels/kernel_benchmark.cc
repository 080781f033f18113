#include "llm/kernels/kernel_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <variant>

#include "base/numbers.h"
#include "llm/diagnostics.h"
#include "llm/kernels/free_constants.h"
#include "llm/kernels/kernel_kinds.h"
#include "llm/kernels/neighbour_slowdown.h"
#include "llm/kernels/warm_rows.h"
#include "llm/measurements.h"
#include "report/bar.h"

// Kernels alone or in a step have formulas per kind (kernel_kinds.h), warm ones tables (machine/warm). Every price says
// on whose figures it stands, and has an interval only where such kernels were measured.

namespace orrery::llm {

namespace {

/// Shown in place of a device's name where a price follows from rates alone.
constexpr const char* kRates = "rates";
/// And of a warm one from tables of the device itself.
constexpr const char* kMeasured = "measured";
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
  const double slowdown = neighbour_slowdown(row.kind, on.device, row.sizes, row.beside);
  return kernel_seconds(*kind, on.device, row.sizes) * slowdown * 1e6;
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

/// A window as long as the sequence takes nothing away.
bool has_window(const KernelSizes& sizes) { return sizes.window > 0 && sizes.window < sizes.seq; }

/// Whether kernels like this were among those that intervals stand on: alone, in 16 bits, attention with a mask and
/// equal heads, with a window at most forward.
bool is_as_measured(std::string_view kind, const KernelSizes& sizes) {
  const bool known_format = !sizes.type || sizes.element_bytes() == 2;
  const bool known_window = !has_window(sizes) || kind == "sdpa_fwd";
  const bool plain_attention = sizes.causal && sizes.kv_heads == 0 && sizes.v_dim == 0 && known_window;
  return sizes.run == KernelRun::alone && known_format && plain_attention;
}

/// Ratios to the same kernel without a window, measured to predicted, between which eight of ten lie: 875 pairs of warm
/// kernels of B200, GB200 and L40S, which the constants of windows had not seen, each device weighing the same. 83 % of
/// H100's and 88 of H200's lie there.
constexpr double kWindowLow = 0.65, kWindowHigh = 1.44;

void set_interval(KernelPrice& price, const KernelSizes& sizes, const machine::Device& device) {
  for (const machine::KernelAccuracy& one : device.accuracy) {
    if (one.kind != price.kind) continue;
    machine::TimeInterval interval{.low_ratio = one.low_ratio, .high_ratio = one.high_ratio};
    if (has_window(sizes)) interval = machine::with_error(interval, std::log(kWindowLow), std::log(kWindowHigh));
    price.low_us = *price.us * interval.low_ratio;
    price.high_us = *price.us * interval.high_ratio;
  }
}

// How far apart the same product through two libraries is, as a logarithm: 3 % (A100) to 11 % (GB200) on average.
constexpr double kLibrariesApart = 0.1;

/// What another library's call may take: its own kernel, and perhaps nothing for quantising, which some leave to
/// others.
void widen_to_other_library(const KernelDevice& on, const machine::FormatTable& table,
                            const machine::WarmKernel& kernel, machine::WarmPrice& price) {
  double bare = 1;
  if (const auto* product = std::get_if<machine::WarmGemm>(&table.constants)) {
    machine::WarmGemm without = *product;
    without.quantise_passes = without.quantise_us = 0;
    bare = machine::warm_time(on.device, without, kernel).seconds /
           machine::warm_time(on.device, table.constants, kernel).seconds;
  }
  const machine::TimeInterval interval =
      machine::with_error({.low_ratio = price.low_s / price.seconds, .high_ratio = price.high_s / price.seconds},
                          kLibrariesApart, kLibrariesApart);
  price.low_s = price.seconds * interval.low_ratio * bare;
  price.high_s = price.seconds * interval.high_ratio;
}

void price_warm(const KernelRow& row, const KernelDevice& on, Diagnostics& diagnostics, KernelPrice& price) {
  const auto at = [&] { return fmt::format("{}: {}", row.place, row.kind); };
  const auto kind = warm_kind(row.kind);
  if (!kind) return diagnostics.add(find_kernel_kind(row.kind) == nullptr ? kUnknownKernel : kUnmeasuredKernel, at);
  const auto& format = row.sizes.format;
  if (!format || on.device.peak_flops(machine::rate_of(*format)) <= 0) return diagnostics.add(kKernelFormat, at);
  if (!has_warm_sizes(*kind, row.sizes)) return diagnostics.add(kKernelWithoutSize, at);
  const machine::WarmKernel kernel = warm_kernel(*kind, row.sizes);
  const machine::FormatTable* table = on.warm.find(kernel, row.library);
  if (table == nullptr) return diagnostics.add(kUnmeasuredKernel, at);
  const bool relative = on.warm.is_relative();
  machine::WarmPrice found = machine::warm_price(on.device, *table, kernel);
  const bool other_library = !row.library.empty() && !table->library.empty() && row.library != table->library;
  if (other_library) widen_to_other_library(on, *table, kernel, found);
  KernelSizes rated = row.sizes;  // products of these formats run at the rate of a plain one
  rated.type = machine::rate_of(*format);
  const double us = neighbour_slowdown(row.kind, on.device, rated, row.beside) * 1e6;
  price.us = found.seconds * us;
  price.low_us = found.low_s * us;
  price.high_us = found.high_s * us;
  price.bound = machine::kBoundNames[static_cast<std::size_t>(found.bound)];
  if (!relative) price.unseen_pct = table->accuracy.held_out_pct;
  price.basis = relative ? on.warm.owner() : std::string(kMeasured);
  if (other_library) {
    price.basis += fmt::format(", {}", table->library);
    diagnostics.add(kEstimatedKernel, [&] {
      return fmt::format("{}: from calls of {}, which are not those of {}", at(), table->library, row.library);
    });
  }
  if (relative)
    diagnostics.add(kEstimatedKernel, [&] {
      const bool distant = on.warm.kinship() == machine::Kinship::distant;
      return fmt::format("{}: from the tables of {}{}", at(), on.warm.owner(), distant ? ", a distant relative" : "");
    });
}

}  // namespace

KernelPrice price_kernel(const KernelRow& row, const KernelDevice& on, Diagnostics& diagnostics) {
  KernelPrice price{.kind = row.kind, .id = row.id, .measured_us = row.measured_us};
  if (row.sizes.run == KernelRun::warm) {
    price_warm(row, on, diagnostics, price);
    return price;
  }
  const KernelKind* kind = find_kernel_kind(row.kind);
  price.us = price_of(row, kind, on, diagnostics);
  if (!price.us) return price;
  price.basis = basis_of(row, *kind, on);
  if (!price.basis.empty())
    diagnostics.add(kEstimatedKernel, [&] {
      const std::string source = price.basis == kRates ? "its rates" : "the shares of " + price.basis;
      return fmt::format("{}: {}: from {}", row.place, row.kind, source);
    });
  const bool measured = price.basis.empty() && is_as_measured(row.kind, row.sizes) && !row.beside.is_there();
  if (measured) set_interval(price, row.sizes, on.device);
  return price;
}

Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, KernelDevices& devices,
                                               Diagnostics& diagnostics) {
  const auto rows = kernel_rows(table);
  if (!rows) return rows.error();
  std::vector<KernelPrice> prices;
  prices.reserve(rows->size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const KernelRow& row = (*rows)[i];
    const auto on = devices.called(row.device);
    if (!on) return table.error_at(i, "device", on.error().message, on.error().hint);
    if (const auto kind = warm_kind(row.kind); kind && row.sizes.run == KernelRun::warm) {
      if (auto read = (*on)->warm.read(*kind); !read) return read.error();
    }
    prices.push_back(price_kernel(row, **on, diagnostics));
  }
  return prices;
}

Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const KernelDevice& on,
                                               Diagnostics& diagnostics) {
  KernelDevices devices(nullptr, on);
  return price_kernels(table, devices, diagnostics);
}

report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices) {
  using report::Type, report::Unit;
  report::Sheet sheet("rows");
  sheet.add({.name = "id"})
      .add({.name = "kind", .title = "kernel"})
      .add({.name = "us", .type = Type::real, .unit = Unit::us, .title = "µs"})
      .add({.name = "low", .type = Type::real, .unit = Unit::us})
      .add({.name = "high", .type = Type::real, .unit = Unit::us})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "basis", .title = "estimated from"})
      .add({.name = "bound"})
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
    const auto word = [](std::string_view text) { return text.empty() ? report::Cell(nullptr) : report::Cell(text); };
    sheet.add_row({word(one.id), one.kind, cell(one.us), cell(one.low_us), cell(one.high_us), interval, word(one.basis),
                   word(one.bound), cell(one.measured_us), cell(error)});
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
