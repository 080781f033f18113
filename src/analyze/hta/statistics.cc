#include "analyze/hta/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/statistics.h"

namespace orrery::analyze::hta {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The partial sums do not overlap; adding them from the largest, the first that leaves a remainder decides the
// rounding.
double rounded_total(std::vector<double>& partials) {
  if (partials.empty()) return 0;
  double high = partials.back(), low = 0;
  partials.pop_back();
  while (!partials.empty()) {
    const double x = high, y = partials.back();
    partials.pop_back();
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  // Half-way cases: what is left below decides whether the rounding went the right way.
  if (!partials.empty() && ((low < 0 && partials.back() < 0) || (low > 0 && partials.back() > 0))) {
    const double y = low * 2, x = high + y;
    if (y == x - high) high = x;
  }
  return high;
}

}  // namespace

double exact_sum(std::span<const double> values) {
  std::vector<double> partials;
  for (double x : values) {
    std::size_t kept = 0;
    for (double y : partials) {
      // The remainder below is exact only if the larger one comes first.
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  return rounded_total(partials);
}

double divide(double a, double b) { return b == 0 ? kNotANumber : a / b; }

double mean(std::span<const double> values) { return divide(exact_sum(values), static_cast<double>(values.size())); }

double deviation(std::span<const double> values) {
  if (values.size() < 2) return kNotANumber;
  const double middle = mean(values);
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double v : values) squares.push_back((v - middle) * (v - middle));
  // With one degree of freedom less, as pandas computes it.
  return std::sqrt(exact_sum(squares) / static_cast<double>(values.size() - 1));
}

double rounded(double x, int digits) {
  if (!std::isfinite(x)) return x;
  const double scale = std::pow(10.0, digits);
  // Ties go to the even neighbour, as in numpy.
  return std::nearbyint(x * scale) / scale;
}

Description describe(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {.count = values.size(),
          .mean = mean(values),
          .std = deviation(values),
          .min = values.empty() ? kNotANumber : values.front(),
          .p25 = sorted_quantile(values, 0.25),
          .p50 = sorted_quantile(values, 0.5),
          .p75 = sorted_quantile(values, 0.75),
          .max = values.empty() ? kNotANumber : values.back()};
}

Description rounded(const Description& d, int digits) {
  return {.count = d.count,
          .mean = rounded(d.mean, digits),
          .std = rounded(d.std, digits),
          .min = rounded(d.min, digits),
          .p25 = rounded(d.p25, digits),
          .p50 = rounded(d.p50, digits),
          .p75 = rounded(d.p75, digits),
          .max = rounded(d.max, digits)};
}

void add_description_columns(report::Sheet& sheet, report::Unit unit, std::string_view prefix,
                             std::string_view suffix) {
  sheet.add(
      {.name = std::string(prefix) + "count", .type = report::Type::integer, .title = std::string(prefix) + "count"});
  // Plain numbers, as HTA has them: the heading names the unit.
  const std::string unit_title = unit == report::Unit::us ? " µs" : "";
  for (const std::string_view part : {"mean", "std", "min", "p25", "p50", "p75", "max"}) {
    const std::string name = std::string(prefix) + std::string(part);
    sheet.add(
        {.name = name + std::string(suffix), .type = report::Type::real, .unit = unit, .title = name + unit_title});
  }
}

void add_cells(const Description& d, std::vector<report::Cell>& cells) {
  cells.insert(cells.end(), {d.count, d.mean, d.std, d.min, d.p25, d.p50, d.p75, d.max});
}

}  // namespace orrery::analyze::hta
