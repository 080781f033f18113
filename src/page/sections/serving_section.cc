#include "page/sections/serving_section.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "analyze/forecast/serving_settings.h"
#include "base/percent.h"
#include "page/sections/serving_pictures.h"
#include "page/sections/sheet_table.h"
#include "report/counted.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using analyze::RequestMetric;
using report::HtmlWriter;
using report::Sheet;

constexpr std::size_t kRequestsShown = 30;

std::string ms_text(double ms) {
  return time_text(static_cast<TimePs>(std::llround(ms * static_cast<double>(kPsPerMs))));
}

void write_serving_table(HtmlWriter& html, const Sheet& sheet, const char* title, std::string_view rest) {
  if (sheet.rows() == 0) return;
  html.open("div", {{"data-table", sheet.name()}}).element("h3", {}, title);
  write_sheet_table(html, sheet, {.caption = title, .rows = kRequestsShown, .rest = rest, .left_out = {}});
  html.close("div");
}

}  // namespace

Section serving_verdict_section(const ServedOnPage& served) {
  Section section{"verdict", "Run", {}, {}};
  HtmlWriter html(section.html);
  const analyze::ServingSummary& summary = served.summary;
  const analyze::Spread &ttft = summary.of(RequestMetric::ttft), &tpot = summary.of(RequestMetric::tpot);
  html.open("section", {{"id", "verdict"},
                        {"data-ttft-p99-ms", fmt::format("{}", ttft.p99_ms)},
                        {"data-tpot-p99-ms", fmt::format("{}", tpot.p99_ms)},
                        {"data-requests", std::to_string(summary.requests)}});
  html.open("h1").element("strong", {}, ms_text(ttft.p99_ms)).text(" to the first token at P99").close("h1");
  std::string text = fmt::format(
      "{}. Half of the requests have it after {}, and a token every {}; {:.3g} requests end "
      "a second, {} tokens.",
      served.about, ms_text(ttft.p50_ms), ms_text(tpot.p50_ms), summary.per_s(static_cast<double>(summary.requests)),
      format_count(static_cast<std::uint64_t>(std::llround(summary.per_s(static_cast<double>(summary.tokens))))));
  if (served.objectives.any())
    text += fmt::format(" {} of the requests meet the objectives: {:.3g} a second.",
                        percent_text(100 * static_cast<double>(summary.within_objectives) /
                                     static_cast<double>(std::max<std::size_t>(1, summary.requests))),
                        summary.goodput_per_s());
  if (!served.basis.empty()) text += " " + served.basis;
  html.element("p", {{"class", "about"}}, text).close("section");
  return section;
}

Section serving_requests_section(const ServedOnPage& served) {
  Section section{"requests", "Requests", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "requests"}}).element("h2", {}, "What requests wait for");
  html.element("p", {{"class", "about"}},
               "From the fastest request at the left to the slowest at the right, as high as it waited; the lines are "
               "P50, P90 and P99, and the objective.");
  html.open("div", {{"class", "link-pictures curves"}});
  const llm::Objectives& asked = served.objectives;
  const std::optional<double> nothing;
  for (const auto& [metric, title, most_ms] :
       {std::tuple(RequestMetric::ttft, "time to the first token", asked.ttft_ms),
        std::tuple(RequestMetric::tpot, "time per token after it", asked.tpot_ms),
        std::tuple(RequestMetric::latency, "latency", asked.latency_ms),
        std::tuple(RequestMetric::queue, "queueing, of the first token's time", nothing)})
    write_quantiles(html, analyze::kRequestMetricNames[static_cast<std::size_t>(metric)], title,
                    analyze::request_times(served.run, served.requests, metric), most_ms);
  html.close("div");
  write_serving_table(html, analyze::serving_times_sheet(served.summary, served.interval), "Times", "times");
  write_serving_table(html, analyze::serving_totals_sheet(served.summary, asked), "All together", "rows");
  html.close("section");
  return section;
}

Section serving_rates_section(const ServedOnPage& served) {
  if (served.rates.empty()) return {"rates", "", {}, "no other rates of arrival were asked for (--rates 1,2,4)."};
  Section section{"rates", "Rates", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "rates"}}).element("h2", {}, "Throughput against latency");
  html.element("p", {{"class", "about"}},
               served.objectives.any()
                   ? "A point per rate of arrivals: upwards requests per second that end (orange), and those that meet "
                     "every objective (green); to the right the P99, on a logarithmic scale."
                   : "A point per rate of arrivals: upwards requests per second that end; to the right the P99, on a "
                     "logarithmic scale. No objectives are given, which every request meets.");
  if (served.rates.front().interval)
    html.element("p", {{"class", "about"}}, "A pale line is the 80 % interval of the P99.");
  html.open("div", {{"class", "link-pictures curves"}});
  write_rate_curve(html, served.rates, RequestMetric::ttft, "P99 of the time to the first token");
  write_rate_curve(html, served.rates, RequestMetric::latency, "P99 of the latency");
  html.close("div");
  const std::vector<analyze::ServingSetting> rows(served.rates.begin(), served.rates.end());
  write_serving_table(html, analyze::settings_sheet("rates", rows), "Rates", "rates");
  html.close("section");
  return section;
}

Section serving_tail_section(const ServedOnPage& served) {
  Section section{"tail", "Tail", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "tail"}, {"data-from-ps", std::to_string(served.tail.from_ps)}});
  html.element("h2", {}, "The slowest first tokens");
  html.element("p", {{"class", "about"}}, served.tail.sentence);
  write_serving_table(html, served.tail.parts, "What their time went to", "parts");
  write_serving_table(html, served.tail.requests, "Request by request", "requests");
  write_serving_table(html, served.tail.others, "Whose prompts they waited for", "prompts");
  html.close("section");
  return section;
}

}  // namespace orrery::page
