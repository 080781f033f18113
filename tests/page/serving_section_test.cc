#include "page/sections/serving_section.h"

#include <doctest/doctest.h>

#include "page/serving_page.h"

namespace orrery::page {
namespace {

bool has_text(const std::string& html, std::string_view part) { return html.find(part) != std::string::npos; }

/// A hundred requests through one replica, a millisecond apart.
struct SmallRun {
  llm::Requests requests;
  llm::EnginePlan plan;
  const llm::LinearCost cost{{.step_us = 1000, .token_us = 10}};
  llm::ServedRun run;

  SmallRun() {
    for (int i = 0; i < 100; ++i)
      requests.add("<r" + std::to_string(i) + ">", i * kPsPerMs, 64, 1 + static_cast<unsigned>(i) % 3);
    plan.limits.kv_blocks = 1000;
    plan.limits.max_requests = 8;
    run = *llm::serve(plan, requests, cost);
  }
};

}  // namespace

TEST_CASE("the page of a serving run has its quantiles, its rates and its tail") {
  const SmallRun small;
  const llm::Objectives objectives{.ttft_ms = 5};
  const auto summary = analyze::summarise(small.run, small.requests, objectives);
  const auto tail = analyze::blame_tail(small.plan, small.requests, small.cost, small.run, 0.99);
  REQUIRE(tail.ok());
  const std::vector<analyze::ServingSetting> rates = {{{{"rate_per_s", 2.0}}, summary, 1},
                                                      {{{"rate_per_s", 4.0}}, summary, 1}};
  ServedOnPage served{.requests = small.requests,
                      .run = small.run,
                      .summary = summary,
                      .objectives = objectives,
                      .tail = *tail,
                      .rates = rates};
  const Page page = make_serving_page(served, "x", {}, Diagnostics());
  REQUIRE(page.sections.size() == 6);
  const std::string &requests = page.sections[1].html, &curve = page.sections[2].html, &slowest = page.sections[3].html;
  for (const char* metric : {"ttft", "tpot", "latency", "queue"})
    CHECK(has_text(requests, "data-metric=\"" + std::string(metric) + "\""));
  CHECK(has_text(requests, "class=\"objective\""));
  CHECK(has_text(curve, "data-rate=\"4\""));
  // All latencies may be alike, and names are hostile.
  CHECK_FALSE(has_text(curve, "nan"));
  CHECK(has_text(slowest, "&lt;r"));
  CHECK(has_text(slowest, "data-table=\"tail_others\""));
  CHECK_FALSE(has_text(requests, "80 % interval"));
  const analyze::ServingInterval interval;
  served.interval = &interval;
  served.basis = "Steps are sums of kernels.";
  CHECK(has_text(serving_requests_section(served).html, "80 % interval"));
  CHECK(has_text(serving_verdict_section(served).html, served.basis));
  served.rates = {};
  CHECK(serving_rates_section(served).html.empty());
}

}  // namespace orrery::page
