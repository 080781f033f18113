// What a run of a serving engine says, as Sheets: every request, what all wait for, and what it adds up to.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llm/engine/serving_plan.h"
#include "llm/engine/serving_run.h"
#include "report/facts.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Of many durations: their mean, and what so many percent of them do not exceed (linear between neighbours).
struct Spread {
  double mean_ms = 0, p50_ms = 0, p90_ms = 0, p95_ms = 0, p99_ms = 0;
};

/// What users ask of a request, in the order of tables.
enum class RequestMetric : std::uint8_t { ttft, tpot, itl, latency, queue };
inline constexpr std::array<std::string_view, 5> kRequestMetricNames = {"ttft", "tpot", "itl", "latency", "queue"};

struct ServingSummary {
  std::array<Spread, kRequestMetricNames.size()> spreads;  ///< by RequestMetric
  std::size_t requests = 0;
  std::uint64_t steps = 0, preemptions = 0, cached_tokens = 0, tokens = 0;
  double makespan_s = 0;  ///< from the first arrival to the last token
  std::size_t within_objectives = 0;

  [[nodiscard]] const Spread& of(RequestMetric metric) const { return spreads[static_cast<std::size_t>(metric)]; }
  [[nodiscard]] double per_s(double count) const { return makespan_s > 0 ? count / makespan_s : 0; }
  [[nodiscard]] double goodput_per_s() const { return per_s(static_cast<double>(within_objectives)); }
};

// Of one request that has ended.
TimePs ttft_of(const llm::RequestRecord& record);
/// Per token after the first; 0 with one token.
TimePs tpot_of(const llm::RequestRecord& record, std::uint32_t generate);
TimePs latency_of(const llm::RequestRecord& record);
bool meets(const llm::RequestRecord& record, std::uint32_t generate, const llm::Objectives& objectives);

/// Of all requests in their order; times per token of those with more than one, and none between tokens.
std::vector<TimePs> request_times(const llm::ServedRun& run, const llm::Requests& requests, RequestMetric metric);

/// Where 8 of 10 would lie.
struct SpreadInterval {
  std::array<Spread, kRequestMetricNames.size()> low, high;  ///< by RequestMetric
};
struct ServingInterval : SpreadInterval {
  std::vector<llm::RequestRecord> fast, slow;  ///< the same requests at both ends of what steps cost
};

/// Times per token are of requests with more than one.
ServingSummary summarise(const llm::ServedRun& run, const llm::Requests& requests, const llm::Objectives& objectives);

/// Members of the object that is open: ttft_ms, tpot_ms, itl_ms, latency_ms, queue_ms with mean, p50, p90, p95, p99;
/// counts and rates. With an interval also ttft_low_ms, ttft_high_ms, ...
void tell_summary(report::Facts& facts, const ServingSummary& summary, const SpreadInterval* interval = nullptr);

/// "times": what, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, and the interval of the last.
report::Sheet serving_times_sheet(const ServingSummary& summary, const SpreadInterval* interval = nullptr);
/// "rates", a row.
report::Sheet serving_totals_sheet(const ServingSummary& summary, const llm::Objectives& objectives);

/// "requests": id, arrival_s, prompt, generate, ttft_ms, tpot_ms, latency_ms, queue_ms (arrival to first admission),
/// preemptions, cached_tokens, replica: what formats/request_log reads; with an interval also ttft_low_ms,
/// ttft_high_ms, tpot_low_ms, ...: by what steps cost.
report::Sheet requests_sheet(const llm::ServedRun& run, const llm::Requests& requests,
                             const ServingInterval* interval = nullptr);

/// "blame": of each request's time to its first token what went to queueing, to its own prompt, to prompts and decodes
/// of others in the same steps, and to what steps take whatever is in them; and the largest cause of queueing.
report::Sheet request_blame_sheet(const llm::ServedRun& run, const llm::Requests& requests);
/// The same of some of them, in this order.
report::Sheet request_blame_sheet(std::string name, const llm::ServedRun& run, const llm::Requests& requests,
                                  std::span<const llm::RequestIndex> which);

/// One setting of several: names and values of what differs, and its summary.
struct ServingSetting {
  std::vector<std::pair<std::string, double>> values;
  ServingSummary summary;
  double devices = 1;
  std::optional<SpreadInterval> interval = {};  ///< none: not asked for, or the costs have none
};
/// `name`: what differs first, times, rates; a row per setting, empty where it has no interval.
report::Sheet settings_sheet(std::string name, const std::vector<ServingSetting>& settings);
/// A list of objects in the list that `key` opens.
void tell_settings(report::Facts& facts, std::string_view key, const std::vector<ServingSetting>& settings);

}  // namespace orrery::analyze
