#include "analyze/diff/request_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/int128.h"
#include "base/percent.h"
#include "base/statistics.h"
#include "report/counted.h"

namespace orrery::analyze {
namespace {

using report::Type;
using report::Unit;
using request_log::LoggedRequest;

std::optional<TimePs> part_of(const LoggedRequest& request, RequestPart part) {
  switch (part) {
    case RequestPart::ttft: return request.ttft_ps;
    case RequestPart::queue: return request.queue_ps;
    case RequestPart::prefill:
      return request.queue_ps ? std::optional(request.ttft_ps - *request.queue_ps) : std::nullopt;
    case RequestPart::tpot:
      // One token has no time per further token.
      return request.tpot_ps && *request.tpot_ps > 0 ? request.tpot_ps : std::nullopt;
    case RequestPart::latency: return request.latency_ps;
  }
  return std::nullopt;
}

using RequestPair = std::pair<const LoggedRequest*, const LoggedRequest*>;

TimePs mean_over(Int128 sum, std::size_t count) { return static_cast<TimePs>(sum / static_cast<Int128>(count)); }

PartChange change_of(const std::vector<RequestPair>& pairs, RequestPart part) {
  std::vector<TimePs> a, b;
  Int128 a_sum = 0, b_sum = 0, apart = 0;
  for (const auto& [in_a, in_b] : pairs) {
    const auto from = part_of(*in_a, part), to = part_of(*in_b, part);
    if (!from || !to) continue;
    a.push_back(*from);
    b.push_back(*to);
    a_sum += *from;
    b_sum += *to;
    apart += std::llabs(*to - *from);
  }
  PartChange change{.part = part, .requests = a.size()};
  if (a.empty()) return change;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto at = [](const std::vector<TimePs>& sorted, double share) {
    return sorted_quantile(std::span<const TimePs>(sorted), share);
  };
  change.a_mean = mean_over(a_sum, a.size());
  change.b_mean = mean_over(b_sum, b.size());
  change.a_p50 = at(a, .5), change.b_p50 = at(b, .5);
  change.a_p99 = at(a, .99), change.b_p99 = at(b, .99);
  change.mean_difference = mean_over(apart, a.size());
  return change;
}

std::string signed_text(TimePs time) { return (time > 0 ? "+" : "") + format_duration(time); }

}  // namespace

const PartChange* RequestChanges::find(RequestPart part) const {
  const auto at = std::find_if(parts.begin(), parts.end(), [&](const PartChange& one) { return one.part == part; });
  return at == parts.end() ? nullptr : &*at;
}

RequestChanges compare_requests(const request_log::RequestLog& a, const request_log::RequestLog& b) {
  std::unordered_map<std::string_view, const LoggedRequest*> by_id;
  for (const LoggedRequest& request : b.requests) by_id.emplace(request.id, &request);
  RequestChanges changes;
  std::vector<RequestPair> pairs;
  for (const LoggedRequest& request : a.requests) {
    const auto same = by_id.find(request.id);
    if (same == by_id.end()) ++changes.only_a;
    else pairs.emplace_back(&request, same->second);
  }
  changes.only_b = b.requests.size() - pairs.size();
  for (std::size_t part = 0; part < kRequestPartNames.size(); ++part) {
    PartChange change = change_of(pairs, static_cast<RequestPart>(part));
    if (change.requests > 0) changes.parts.push_back(change);
  }
  for (const auto& [in_a, in_b] : pairs) {
    const auto differ = [from_a = in_a, from_b = in_b](RequestPart part) -> std::optional<TimePs> {
      const auto from = part_of(*from_a, part), to = part_of(*from_b, part);
      return from && to ? std::optional(*to - *from) : std::nullopt;
    };
    changes.requests.push_back({.id = in_a->id,
                                .a_ttft = in_a->ttft_ps,
                                .b_ttft = in_b->ttft_ps,
                                .queue = differ(RequestPart::queue),
                                .prefill = differ(RequestPart::prefill),
                                .tpot = differ(RequestPart::tpot),
                                .latency = in_b->latency_ps - in_a->latency_ps});
  }
  std::stable_sort(
      changes.requests.begin(), changes.requests.end(),
      [](const RequestChange& x, const RequestChange& y) { return std::llabs(x.ttft()) > std::llabs(y.ttft()); });
  return changes;
}

std::string request_sentence(const RequestChanges& changes) {
  const PartChange* const ttft = changes.find(RequestPart::ttft);
  if (ttft == nullptr) return "The runs have no request in common.";
  std::string text = fmt::format("B has the first token after {} in the mean, A after {}: {:+.1f} % ({})",
                                 format_duration(ttft->b_mean), format_duration(ttft->a_mean),
                                 change_percent(ttft->a_mean, ttft->b_mean), signed_text(ttft->change()));
  const PartChange* const queue = changes.find(RequestPart::queue);
  const PartChange* const prefill = changes.find(RequestPart::prefill);
  if (queue != nullptr && queue->requests == ttft->requests)
    text += fmt::format(", of which queueing {} and prefill {}", signed_text(queue->change()),
                        signed_text(prefill->change()));
  return text + ".";
}

std::string unexplained_sentence(const RequestChanges& changes) {
  const PartChange* const ttft = changes.find(RequestPart::ttft);
  if (ttft == nullptr) return {};
  std::string text = fmt::format(
      "Of one request's time to the first token, B does not explain {} ({} of A's mean) in the "
      "mean of {}",
      format_duration(ttft->mean_difference),
      fmt::format("{:.1f} %", share_percent(ttft->mean_difference, ttft->a_mean)),
      report::counted(ttft->requests, "request"));
  const PartChange* const queue = changes.find(RequestPart::queue);
  const PartChange* const prefill = changes.find(RequestPart::prefill);
  if (queue == nullptr) return text + "; one of the runs does not say how long requests queued.";
  const bool is_queue = queue->mean_difference > prefill->mean_difference;
  return text + fmt::format(": more of it is {} ({}) than {} ({}).", is_queue ? "queueing" : "prefill",
                            format_duration(is_queue ? queue->mean_difference : prefill->mean_difference),
                            is_queue ? "prefill" : "queueing",
                            format_duration(is_queue ? prefill->mean_difference : queue->mean_difference));
}

report::Sheet part_changes_sheet(const RequestChanges& changes) {
  report::Sheet sheet("parts");
  sheet.add({.name = "part", .title = "mean"}).add({.name = "requests", .type = Type::integer, .title = "requests"});
  const auto add_time = [&](const char* name, const char* title, bool is_change = false) {
    sheet.add({.name = name, .type = Type::time, .unit = Unit::ms, .title = title, .is_change = is_change});
  };
  add_time("a", "A");
  add_time("b", "B");
  add_time("change", "change", true);
  sheet.add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change %", .is_change = true});
  add_time("a_p50", "A P50");
  add_time("b_p50", "B P50");
  add_time("a_p99", "A P99");
  add_time("b_p99", "B P99");
  add_time("mean_difference", "apart");
  for (const PartChange& part : changes.parts)
    sheet.add_row({kRequestPartNames[static_cast<std::size_t>(part.part)], part.requests, part.a_mean, part.b_mean,
                   part.change(), change_percent(part.a_mean, part.b_mean), part.a_p50, part.b_p50, part.a_p99,
                   part.b_p99, part.mean_difference});
  return sheet;
}

report::Sheet request_changes_sheet(const RequestChanges& changes) {
  report::Sheet sheet("requests");
  sheet.add({.name = "id", .title = "request"});
  for (const auto& [name, title, is_change] : {std::tuple{"a_ttft", "A first token", false},
                                               {"b_ttft", "B", false},
                                               {"ttft", "change", true},
                                               {"queue", "of it queued", true},
                                               {"prefill", "prefill", true},
                                               {"tpot", "per token", true},
                                               {"latency", "latency", true}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::ms, .title = title, .is_change = is_change});
  const auto cell = [](const std::optional<TimePs>& time) {
    return time ? report::Cell(*time) : report::Cell(nullptr);
  };
  for (const RequestChange& request : changes.requests)
    sheet.add_row({request.id, request.a_ttft, request.b_ttft, request.ttft(), cell(request.queue),
                   cell(request.prefill), cell(request.tpot), request.latency});
  return sheet;
}

}  // namespace orrery::analyze
