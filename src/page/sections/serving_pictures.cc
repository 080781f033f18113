#include "page/sections/serving_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "page/sections/section.h"
#include "page/sections/stairs.h"

namespace orrery::page {
namespace {

using analyze::RequestMetric;
using analyze::ServingSetting;
using report::HtmlWriter;

// A point per half a percent of the requests: P99 is one of them.
constexpr std::size_t kQuantiles = 201;
constexpr int kQuantilesHeight = 200;
constexpr double kCurveWidth = 640, kRatesHeight = 240, kCurveMargin = 28;

TimePs ps_of(double ms) { return static_cast<TimePs>(std::llround(ms * static_cast<double>(kPsPerMs))); }

double requests_per_s(const analyze::ServingSummary& summary) {
  return summary.per_s(static_cast<double>(summary.requests));
}

/// Where a rate stands on the curve.
struct RatePoint {
  double rate = 0, latency_ms = 0, throughput = 0, goodput = 0;
  double low_ms = 0, high_ms = 0;  ///< of the latency's interval; both the latency where there is none
  double x = 0, low_x = 0, high_x = 0;
};

std::vector<RatePoint> rate_points(std::span<const ServingSetting> rates, RequestMetric metric) {
  std::vector<RatePoint> points;
  for (const ServingSetting& setting : rates) {
    RatePoint point{.rate = setting.values.front().second,
                    .latency_ms = setting.summary.of(metric).p99_ms,
                    .throughput = requests_per_s(setting.summary),
                    .goodput = setting.summary.goodput_per_s()};
    const auto place = static_cast<std::size_t>(metric);
    point.low_ms = setting.interval ? setting.interval->low[place].p99_ms : point.latency_ms;
    point.high_ms = setting.interval ? setting.interval->high[place].p99_ms : point.latency_ms;
    points.push_back(point);
  }
  // Latency explodes where an engine is full: only its order of magnitude fits a picture.
  const auto scale = [](double ms) { return std::log(std::max(ms, 1e-6)); };
  double least = scale(points.front().low_ms), most = least;
  for (const RatePoint& point : points) {
    least = std::min(least, scale(point.low_ms));
    most = std::max(most, scale(point.high_ms));
  }
  const auto x_of = [&](double ms) {
    const double share = most > least ? (scale(ms) - least) / (most - least) : 0.5;
    return kCurveMargin + share * (kCurveWidth - 2 * kCurveMargin);
  };
  for (RatePoint& point : points)
    point.x = x_of(point.latency_ms), point.low_x = x_of(point.low_ms), point.high_x = x_of(point.high_ms);
  return points;
}

void write_points(HtmlWriter& html, const std::vector<RatePoint>& points, double RatePoint::*value, double most,
                  std::string_view name) {
  const auto y_of = [&](const RatePoint& point) {
    return kRatesHeight - kCurveMargin - point.*value / most * (kRatesHeight - 2 * kCurveMargin);
  };
  std::string line;
  for (const RatePoint& point : points) line += fmt::format("{:.1f},{:.1f} ", point.x, y_of(point));
  html.open("g", {{"class", std::string(name)}}).raw(fmt::format("<polyline points=\"{}\"/>", line));
  for (const RatePoint& point : points) {
    if (point.high_ms > point.low_ms)
      html.raw(fmt::format("<line class=\"interval\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>",
                           point.low_x, point.high_x, y_of(point)));
    html.open("circle", {{"cx", fmt::format("{:.1f}", point.x)},
                         {"cy", fmt::format("{:.1f}", y_of(point))},
                         {"r", "4"},
                         {"data-rate", fmt::format("{}", point.rate)},
                         {"data-p99-ms", fmt::format("{}", point.latency_ms)},
                         {"data-per-s", fmt::format("{}", point.*value)}});
    html.element("title", {},
                 fmt::format("{} requests arrive a second: {} of {:.3g}, P99 {}", point.rate, name, point.*value,
                             time_text(ps_of(point.latency_ms))));
    html.close("circle");
    html.element("text", {{"x", fmt::format("{:.1f}", point.x + 6)}, {"y", fmt::format("{:.1f}", y_of(point) - 6)}},
                 fmt::format("{}", point.rate));
  }
  html.close("g");
}

}  // namespace

void write_quantiles(HtmlWriter& html, std::string_view name, std::string_view title, std::vector<TimePs> times,
                     std::optional<double> most_ms) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return sorted_quantile(std::span<const TimePs>(times), share); };
  std::vector<std::uint64_t> series;
  std::string written = "[";
  for (std::size_t i = 0; i < kQuantiles; ++i) {
    series.push_back(static_cast<std::uint64_t>(
        std::max<TimePs>(0, at(static_cast<double>(i) / static_cast<double>(kQuantiles - 1)))));
    written += fmt::format("{}{}", i == 0 ? "" : ",", series.back());
  }
  const auto top = static_cast<double>(std::max<std::uint64_t>(series.back(), 1));
  html.open("figure", {{"data-metric", std::string(name)},
                       {"data-p50-ps", std::to_string(at(.5))},
                       {"data-p99-ps", std::to_string(at(.99))},
                       {"data-series", written + "]"}});
  html.open("figcaption").element("code", {}, title);
  html.element("span", {{"class", "number"}},
               fmt::format("P50 {}, P90 {}, P99 {}, at most {}", time_text(at(.5)), time_text(at(.9)),
                           time_text(at(.99)), time_text(times.back())));
  html.close("figcaption");
  html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", kQuantiles, kQuantilesHeight)},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", fmt::format("{} by share of requests, P50 {}, P99 {}", title, time_text(at(.5)),
                                               time_text(at(.99)))}});
  html.raw(fmt::format("<path d=\"{}\"/>", stairs(series, top, kQuantilesHeight)));
  for (const double share : {.5, .9, .99})
    html.raw(fmt::format("<line class=\"quantile\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"/>",
                         share * static_cast<double>(kQuantiles - 1) + 0.5, kQuantilesHeight));
  if (most_ms && static_cast<double>(ps_of(*most_ms)) <= top)
    html.raw(fmt::format("<line class=\"objective\" x1=\"0\" x2=\"{0}\" y1=\"{1:.1f}\" y2=\"{1:.1f}\"/>", kQuantiles,
                         kQuantilesHeight * (1 - static_cast<double>(ps_of(*most_ms)) / top)));
  html.close("svg").close("figure");
}

void write_rate_curve(HtmlWriter& html, std::span<const ServingSetting> rates, RequestMetric metric,
                      std::string_view title) {
  if (rates.empty()) return;
  const std::vector<RatePoint> points = rate_points(rates, metric);
  double most = 1e-9;
  for (const RatePoint& point : points) most = std::max({most, point.throughput, point.goodput});
  const auto [least, largest] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.latency_ms < b.latency_ms; });
  html.open("figure", {{"data-metric", std::string(analyze::kRequestMetricNames[static_cast<std::size_t>(metric)])}});
  html.open("figcaption").element("code", {}, title);
  html.element("span", {{"class", "number"}},
               fmt::format("{} to {}; up to {:.3g} requests/s", time_text(ps_of(least->latency_ms)),
                           time_text(ps_of(largest->latency_ms)), most));
  html.close("figcaption");
  html.open("svg", {{"class", "rates"},
                    {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", kCurveWidth, kRatesHeight)},
                    {"role", "img"},
                    {"aria-label", fmt::format("Throughput and goodput against {}", title)}});
  write_points(html, points, &RatePoint::throughput, most, "throughput");
  write_points(html, points, &RatePoint::goodput, most, "goodput");
  html.close("svg").close("figure");
}

}  // namespace orrery::page
