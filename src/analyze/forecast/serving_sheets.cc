#include "analyze/forecast/serving_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "base/int128.h"
#include "base/statistics.h"

namespace orrery::analyze {
namespace {

using report::Type;
using report::Unit;

double in_ms(double ps) { return ps / static_cast<double>(kPsPerMs); }

/// Reorders what it is given.
Spread spread_of(std::vector<TimePs>& values) {
  if (values.empty()) return {};
  Int128 sum = 0;
  for (const TimePs value : values) sum += value;
  std::size_t done = 0;
  // Shares ascend: what is below one of them is done with.
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto lower = static_cast<std::size_t>(place);
    const auto value = static_cast<double>(nth_smallest(std::span(values).subspan(done), lower - done));
    done = lower;
    const auto above = std::span(values).subspan(lower + 1);
    const double next = above.empty() ? value : static_cast<double>(*std::min_element(above.begin(), above.end()));
    return in_ms(value + (next - value) * (place - static_cast<double>(lower)));
  };
  Spread spread{.mean_ms = in_ms(static_cast<double>(sum) / static_cast<double>(values.size()))};
  spread.p50_ms = at(.5);
  spread.p90_ms = at(.9);
  spread.p95_ms = at(.95);
  spread.p99_ms = at(.99);
  return spread;
}

/// The same of values that are there several times each, without writing them out.
Spread spread_of(std::vector<llm::TokenGap> gaps) {
  if (gaps.empty()) return {};
  std::sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.gap_ps < b.gap_ps; });
  Int128 sum = 0;
  std::uint64_t count = 0;
  for (const llm::TokenGap& gap : gaps) {
    sum += Int128{gap.gap_ps} * gap.count;
    count += gap.count;
  }
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(count - 1);
    const auto lower = static_cast<std::uint64_t>(place);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      before += gaps[i].count;
      if (before <= lower) continue;
      const auto value = static_cast<double>(gaps[i].gap_ps);
      // The neighbour is the next value only behind the last of these.
      const bool has_next = before == lower + 1 && i + 1 < gaps.size();
      const double next = has_next ? static_cast<double>(gaps[i + 1].gap_ps) : value;
      return in_ms(value + (next - value) * (place - static_cast<double>(lower)));
    }
    return in_ms(static_cast<double>(gaps.back().gap_ps));
  };
  return {in_ms(static_cast<double>(sum) / static_cast<double>(count)), at(.5), at(.9), at(.95), at(.99)};
}

void tell_spread(report::Facts& facts, std::string_view key, const Spread& spread) {
  facts.key(key).begin_object();
  facts.field("mean", spread.mean_ms).field("p50", spread.p50_ms).field("p90", spread.p90_ms);
  facts.field("p95", spread.p95_ms).field("p99", spread.p99_ms);
  facts.end_object();
}

std::string_view largest_cause(const llm::RequestRecord& record) {
  const auto largest = std::max_element(record.queued_ps.begin(), record.queued_ps.end());
  return *largest == 0 ? std::string_view("nothing")
                       : llm::kQueueCauseNames[static_cast<std::size_t>(largest - record.queued_ps.begin())];
}

}  // namespace

TimePs ttft_of(const llm::RequestRecord& record) { return record.first_ps - record.arrival_ps; }
TimePs latency_of(const llm::RequestRecord& record) { return record.last_ps - record.arrival_ps; }
TimePs tpot_of(const llm::RequestRecord& record, std::uint32_t generate) {
  if (generate < 2) return 0;
  const TimePs all = record.last_ps - record.first_ps, tokens = generate - 1;
  return (all + tokens / 2) / tokens;
}

bool meets(const llm::RequestRecord& record, std::uint32_t generate, const llm::Objectives& objectives) {
  const auto within = [](TimePs time, const std::optional<double>& most_ms) {
    return !most_ms || in_ms(static_cast<double>(time)) <= *most_ms;
  };
  return within(ttft_of(record), objectives.ttft_ms) && within(tpot_of(record, generate), objectives.tpot_ms) &&
         within(latency_of(record), objectives.latency_ms);
}

std::vector<TimePs> request_times(const llm::ServedRun& run, const llm::Requests& requests, RequestMetric metric) {
  std::vector<TimePs> times;
  times.reserve(run.records.size());
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const llm::RequestRecord& record = run.records[i];
    switch (metric) {
      case RequestMetric::ttft: times.push_back(ttft_of(record)); break;
      case RequestMetric::tpot:
        if (requests.generate[i] > 1) times.push_back(tpot_of(record, requests.generate[i]));
        break;
      case RequestMetric::latency: times.push_back(latency_of(record)); break;
      case RequestMetric::queue: times.push_back(record.admitted_ps - record.arrival_ps); break;
      case RequestMetric::itl: break;  // of tokens, not of requests
    }
  }
  return times;
}

ServingSummary summarise(const llm::ServedRun& run, const llm::Requests& requests, const llm::Objectives& objectives) {
  ServingSummary summary;
  summary.requests = run.records.size();
  summary.steps = run.steps;
  summary.preemptions = run.preemptions;
  summary.cached_tokens = run.cached_tokens;
  summary.makespan_s = static_cast<double>(run.makespan_ps) / static_cast<double>(kPsPerSecond);
  for (const RequestMetric metric :
       {RequestMetric::ttft, RequestMetric::tpot, RequestMetric::latency, RequestMetric::queue}) {
    std::vector<TimePs> values = request_times(run, requests, metric);
    summary.spreads[static_cast<std::size_t>(metric)] = spread_of(values);
  }
  summary.spreads[static_cast<std::size_t>(RequestMetric::itl)] = spread_of(run.gaps);
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    summary.tokens += requests.generate[i];
    if (meets(run.records[i], requests.generate[i], objectives)) ++summary.within_objectives;
  }
  return summary;
}

void tell_summary(report::Facts& facts, const ServingSummary& summary, const SpreadInterval* interval) {
  for (std::size_t metric = 0; metric < kRequestMetricNames.size(); ++metric) {
    const std::string_view name = kRequestMetricNames[metric];
    tell_spread(facts, fmt::format("{}_ms", name), summary.spreads[metric]);
    if (interval == nullptr) continue;
    tell_spread(facts, fmt::format("{}_low_ms", name), interval->low[metric]);
    tell_spread(facts, fmt::format("{}_high_ms", name), interval->high[metric]);
  }
  facts.field("requests", summary.requests).field("steps", summary.steps).field("preemptions", summary.preemptions);
  facts.field("cached_tokens", summary.cached_tokens).field("makespan_s", summary.makespan_s);
  facts.field("tokens_per_s", summary.per_s(static_cast<double>(summary.tokens)));
  facts.field("requests_per_s", summary.per_s(static_cast<double>(summary.requests)));
  facts.field("goodput_per_s", summary.goodput_per_s());
  facts.field("within_objectives_share", static_cast<double>(summary.within_objectives) /
                                             static_cast<double>(std::max<std::size_t>(1, summary.requests)));
}

report::Sheet serving_times_sheet(const ServingSummary& summary, const SpreadInterval* interval) {
  report::Sheet sheet("times");
  sheet.add({.name = "what", .title = "milliseconds"});
  for (const char* name : {"mean", "p50", "p90", "p95", "p99"})
    sheet.add({.name = fmt::format("{}_ms", name), .type = Type::real, .title = name, .decimals = 2});
  if (interval != nullptr) sheet.add({.name = "p99_interval", .title = "80 % interval of p99", .people_only = true});
  for (std::size_t metric = 0; metric < kRequestMetricNames.size(); ++metric) {
    const Spread& s = summary.spreads[metric];
    std::vector<report::Cell> cells = {kRequestMetricNames[metric], s.mean_ms, s.p50_ms, s.p90_ms, s.p95_ms, s.p99_ms};
    std::string between;
    if (interval != nullptr) {
      between = fmt::format("{:.2f} to {:.2f}", interval->low[metric].p99_ms, interval->high[metric].p99_ms);
      cells.emplace_back(between);
    }
    sheet.add_row(cells);
  }
  return sheet;
}

report::Sheet serving_totals_sheet(const ServingSummary& summary, const llm::Objectives& objectives) {
  report::Sheet sheet("totals");
  const auto requests = static_cast<double>(summary.requests);
  sheet.add({.name = "requests", .type = Type::integer, .title = "requests"})
      .add({.name = "makespan_s", .type = Type::real, .title = "seconds", .decimals = 2})
      .add({.name = "requests_per_s", .type = Type::real, .title = "requests/s", .decimals = 2})
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s", .decimals = 0})
      .add({.name = "steps", .type = Type::integer, .title = "steps"})
      .add({.name = "preemptions", .type = Type::integer, .title = "preemptions"})
      .add({.name = "cached_tokens", .type = Type::integer, .title = "tokens found in the cache"});
  if (objectives.any())
    sheet.add({.name = "goodput_per_s", .type = Type::real, .title = "good requests/s", .decimals = 2})
        .add({.name = "within_objectives", .type = Type::real, .unit = Unit::pct, .title = "within objectives"});
  std::vector<report::Cell> cells = {summary.requests,        summary.makespan_s,
                                     summary.per_s(requests), summary.per_s(static_cast<double>(summary.tokens)),
                                     summary.steps,           summary.preemptions,
                                     summary.cached_tokens};
  if (objectives.any()) {
    cells.emplace_back(summary.goodput_per_s());
    cells.emplace_back(100 * static_cast<double>(summary.within_objectives) / requests);
  }
  sheet.add_row(cells);
  return sheet;
}

report::Sheet requests_sheet(const llm::ServedRun& run, const llm::Requests& requests,
                             const ServingInterval* interval) {
  report::Sheet sheet("requests");
  sheet.add({.name = "id", .title = "request"})
      .add({.name = "arrival_s", .type = Type::real, .decimals = report::kExact})
      .add({.name = "prompt", .type = Type::integer})
      .add({.name = "generate", .type = Type::integer});
  for (const auto& [name, title] :
       {std::pair{"ttft", "first token"}, {"tpot", "per token"}, {"latency", "latency"}, {"queue", "queued"}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::ms, .title = title});
  sheet.add({.name = "preemptions", .type = Type::integer, .title = "preempted"})
      .add({.name = "cached_tokens", .type = Type::integer, .title = "tokens found"})
      .add({.name = "replica", .type = Type::integer, .title = "replica"});
  if (interval != nullptr) {
    for (const char* name : {"ttft_low", "ttft_high", "tpot_low", "tpot_high", "latency_low", "latency_high"})
      sheet.add({.name = name, .type = Type::time, .unit = Unit::ms});
  }
  std::vector<report::Cell> cells;
  for (llm::RequestIndex i = 0; i < run.records.size(); ++i) {
    const llm::RequestRecord& r = run.records[i];
    const std::uint32_t tokens = requests.generate[i];
    cells = {requests.name(i),   static_cast<double>(r.arrival_ps) / static_cast<double>(kPsPerSecond),
             requests.prompt[i], tokens,
             ttft_of(r),         tpot_of(r, tokens),
             latency_of(r),      r.admitted_ps - r.arrival_ps,
             r.preemptions,      r.cached_tokens,
             r.replica};
    if (interval != nullptr) {
      // Another schedule may serve one request sooner although its steps are slower.
      const auto add = [&](const auto& time_of) {
        const TimePs here = time_of(r), fast = time_of(interval->fast[i]), slow = time_of(interval->slow[i]);
        cells.emplace_back(std::min({here, fast, slow}));
        cells.emplace_back(std::max({here, fast, slow}));
      };
      add(ttft_of);
      add([&](const llm::RequestRecord& record) { return tpot_of(record, tokens); });
      add(latency_of);
    }
    sheet.add_row(cells);
  }
  return sheet;
}

report::Sheet request_blame_sheet(const llm::ServedRun& run, const llm::Requests& requests) {
  std::vector<llm::RequestIndex> all(run.records.size());
  std::iota(all.begin(), all.end(), llm::RequestIndex{0});
  return request_blame_sheet("blame", run, requests, all);
}

report::Sheet request_blame_sheet(std::string name, const llm::ServedRun& run, const llm::Requests& requests,
                                  std::span<const llm::RequestIndex> which) {
  report::Sheet sheet(std::move(name));
  sheet.add({.name = "id", .title = "request"});
  for (const auto& [part, title] : {std::pair{"queue", "queued"},
                                    {"own", "own prompt"},
                                    {"prefill_of_others", "prompts of others"},
                                    {"decode_of_others", "tokens of others"},
                                    {"step", "steps themselves"}})
    sheet.add({.name = part, .type = Type::time, .unit = Unit::ms, .title = title});
  sheet.add({.name = "because", .title = "queued for"});
  for (const llm::RequestIndex i : which) {
    const llm::RequestRecord& r = run.records[i];
    TimePs queued = 0;
    for (const TimePs cause : r.queued_ps) queued += cause;
    sheet.add_row({requests.name(i), queued, r.own_ps, r.prefill_of_others_ps, r.decode_of_others_ps, r.step_ps,
                   largest_cause(r)});
  }
  return sheet;
}

report::Sheet settings_sheet(std::string name, const std::vector<ServingSetting>& settings) {
  report::Sheet sheet(std::move(name));
  if (settings.empty()) return sheet;
  for (const auto& [value, unused] : settings.front().values)
    sheet.add({.name = value, .type = Type::real, .title = value, .decimals = report::kExact});
  for (const char* column : {"ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p99_ms", "latency_p99_ms"})
    sheet.add({.name = column, .type = Type::real, .title = column, .decimals = 1});
  const bool has_intervals = std::any_of(settings.begin(), settings.end(),
                                         [](const ServingSetting& setting) { return setting.interval.has_value(); });
  constexpr std::array kWithInterval = {RequestMetric::ttft, RequestMetric::tpot, RequestMetric::latency};
  if (has_intervals) {
    sheet.add({.name = "ttft_p99_interval", .title = "80 % of ttft_p99_ms", .people_only = true});
    for (const RequestMetric metric : kWithInterval) {
      for (const char* end : {"low", "high"})
        sheet.add({.name = fmt::format("{}_p99_{}_ms", kRequestMetricNames[static_cast<std::size_t>(metric)], end),
                   .type = Type::real});
    }
  }
  sheet.add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s", .decimals = 0})
      .add({.name = "goodput_per_s", .type = Type::real, .title = "good requests/s", .decimals = 3})
      .add({.name = "within_objectives", .type = Type::real, .unit = Unit::pct, .title = "within objectives"});
  for (const ServingSetting& setting : settings) {
    std::vector<report::Cell> cells;
    for (const auto& [unused, value] : setting.values) cells.emplace_back(value);
    const ServingSummary& s = setting.summary;
    const Spread &ttft = s.of(RequestMetric::ttft), &tpot = s.of(RequestMetric::tpot);
    for (const double value : {ttft.p50_ms, ttft.p99_ms, tpot.p50_ms, tpot.p99_ms, s.of(RequestMetric::latency).p99_ms})
      cells.emplace_back(value);
    std::string between;
    const auto end_of = [&](const auto& ends, RequestMetric metric) {
      return report::Cell(ends[static_cast<std::size_t>(metric)].p99_ms);
    };
    if (has_intervals && setting.interval) {
      const SpreadInterval& interval = *setting.interval;
      const auto first_token = static_cast<std::size_t>(RequestMetric::ttft);
      between = fmt::format("{:.1f} to {:.1f}", interval.low[first_token].p99_ms, interval.high[first_token].p99_ms);
      cells.emplace_back(between);
      for (const RequestMetric metric : kWithInterval) {
        cells.push_back(end_of(interval.low, metric));
        cells.push_back(end_of(interval.high, metric));
      }
    } else if (has_intervals) {
      cells.resize(cells.size() + 1 + 2 * kWithInterval.size(), report::Cell(nullptr));
    }
    for (const double value : {s.per_s(static_cast<double>(s.tokens)), s.goodput_per_s(),
                               100 * static_cast<double>(s.within_objectives) / static_cast<double>(s.requests)})
      cells.emplace_back(value);
    sheet.add_row(cells);
  }
  return sheet;
}

void tell_settings(report::Facts& facts, std::string_view key, const std::vector<ServingSetting>& settings) {
  facts.key(key).begin_array();
  for (const ServingSetting& setting : settings) {
    facts.begin_object();
    for (const auto& [name, value] : setting.values) {
      // Counts stay whole numbers.
      if (value == std::floor(value) && std::abs(value) < 1e15) facts.field(name, static_cast<std::int64_t>(value));
      else facts.field(name, value);
    }
    tell_summary(facts, setting.summary, setting.interval ? &*setting.interval : nullptr);
    facts.end_object();
  }
  facts.end_array();
}

}  // namespace orrery::analyze
