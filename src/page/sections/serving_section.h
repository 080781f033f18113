// What a run of a serving engine looks like on a page: how long requests waited, what other rates do to them, and whose
// work the slowest waited for.
#pragma once

#include <span>
#include <string>

#include "analyze/forecast/request_tail.h"
#include "analyze/forecast/serving_sheets.h"
#include "page/sections/section.h"

namespace orrery::page {

/// Refers to what must outlive it.
struct ServedOnPage {
  const llm::Requests& requests;
  const llm::ServedRun& run;
  const analyze::ServingSummary& summary;
  const llm::Objectives& objectives;
  const analyze::RequestTail& tail;
  std::span<const analyze::ServingSetting> rates = {};  ///< in the order in which they were asked for; may be none
  const analyze::ServingInterval* interval = nullptr;   ///< null: not known
  std::string basis = {};                               ///< what steps and interval stand on, in a sentence
  std::string about = {};                               ///< what served what, in a sentence
};

Section serving_verdict_section(const ServedOnPage& served);
/// #requests: TTFT, TPOT, latency and queueing, each as its quantiles over the share of requests.
Section serving_requests_section(const ServedOnPage& served);
/// #rates: throughput and goodput against latency; absent without rates.
Section serving_rates_section(const ServedOnPage& served);
/// #tail: the requests of the tail, what their time went to, and whose prompts they waited for.
Section serving_tail_section(const ServedOnPage& served);

}  // namespace orrery::page
