#include "machine/warm/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/warm/warm_shape.h"

namespace orrery::machine {
namespace {

const TimeInterval& interval_at(const std::vector<TimeInterval>& intervals, double us) {
  const auto behind = std::upper_bound(intervals.begin(), intervals.end(), us,
                                       [](double time, const TimeInterval& one) { return time < one.from_us; });
  return behind == intervals.begin() ? intervals.front() : *(behind - 1);
}

double residual_factor(const Device& device, const FormatTable& table, const WarmKernel& kernel) {
  return std::exp(table.residual_at(coordinates_of(device, kernel)));
}

/// Of `own`, where the kernel lies on the device that was measured, what it is here, where it takes so many seconds.
TimeInterval carried_over(const FormatTable& table, const WarmKernel& kernel, TimeInterval own, double seconds) {
  const Lender& lender = *table.lender;
  const double there =
      warm_time(*lender.device, lender.constants, kernel).seconds * residual_factor(*lender.device, table, kernel);
  const double apart = std::hypot(lender.apart, lender.change_in_doubt * std::log(seconds / there));
  return with_error(own, apart, apart);
}

}  // namespace

const FormatTable* KernelTable::find(const WarmKernel& kernel, std::string_view library) const {
  const WarmFormat cache = kernel.cache_element_bytes < 2 ? WarmFormat::fp8 : WarmFormat::bf16;
  const FormatTable* found = nullptr;
  for (const FormatTable& one : formats) {
    if (one.format != kernel.format || one.cache != cache) continue;
    if (one.library == library) return &one;
    if (found == nullptr) found = &one;
  }
  return found;
}

void FormatTable::add_measured(const WarmKernel& kernel) {
  groups.insert(group_of(kernel));
  const std::vector<double> sizes = steps_of(kernel);
  steps.resize(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) steps[i].insert(sizes[i]);
}

bool FormatTable::was_measured(const WarmKernel& kernel) const {
  const std::vector<double> sizes = steps_of(kernel);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].contains(sizes[i])) return false;
  }
  return groups.contains(group_of(kernel));
}

double FormatTable::residual_at(std::span<const double> place) const {
  double sum = 0;
  for (const ResidualTable& layer : layers) sum += layer.at(place);
  return sum;
}

WarmPrice warm_price(const Device& device, const FormatTable& table, const WarmKernel& kernel) {
  const WarmTime time = warm_time(device, table.constants, kernel);
  const double seconds = time.seconds * residual_factor(device, table, kernel);
  WarmPrice price{.seconds = seconds, .low_s = seconds, .high_s = seconds, .bound = time.bound};
  const std::vector<TimeInterval>& intervals = table.was_measured(kernel) ? table.intervals : table.unseen_intervals;
  if (intervals.empty()) return price;
  TimeInterval interval = interval_at(intervals, seconds * 1e6);
  if (table.lender != nullptr) interval = carried_over(table, kernel, interval, seconds);
  price.low_s = seconds * interval.low_ratio;
  price.high_s = seconds * interval.high_ratio;
  return price;
}

std::string table_file(WarmKind kind) { return fmt::format("{}.yaml", kWarmKindNames[static_cast<std::size_t>(kind)]); }

}  // namespace orrery::machine
