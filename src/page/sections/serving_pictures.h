// Pictures of a run of a serving engine: quantiles of what requests waited for, and rates against latency.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/forecast/serving_sheets.h"
#include "base/units.h"
#include "report/html_writer.h"

namespace orrery::page {

/// How many percent of requests (from left to right) wait how long (upwards, the longest at the top), with P50, P90 and
/// P99 marked, and what was asked for. Nothing of no times.
void write_quantiles(report::HtmlWriter& html, std::string_view name, std::string_view title, std::vector<TimePs> times,
                     std::optional<double> most_ms);

/// Requests per second that end (throughput), and those that meet the objectives (goodput), upwards; the P99 of
/// `metric`, on a logarithmic scale, to the right. A point per rate, joined in their order.
void write_rate_curve(report::HtmlWriter& html, std::span<const analyze::ServingSetting> rates,
                      analyze::RequestMetric metric, std::string_view title);

}  // namespace orrery::page
