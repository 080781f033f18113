#include "analyze/forecast/request_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyze/forecast/serving_sheets.h"
#include "base/int128.h"
#include "base/statistics.h"
#include "report/counted.h"

namespace orrery::analyze {
namespace {

using report::Type;
using report::Unit;

/// What tail requests waited for one other's prompt.
struct OtherPrompt {
  TimePs in_step_ps = 0;  ///< in the same steps
  TimePs queued_ps = 0;   ///< before they were admitted
  std::size_t held = 0;   ///< how many of the tail

  [[nodiscard]] TimePs sum() const { return in_step_ps + queued_ps; }
};

/// Watches the steps while requests of the tail wait for their first token.
class TailWatch {
 public:
  TailWatch(const llm::ServedRun& run, const std::vector<llm::RequestIndex>& tail) : run_(run) {
    for (const llm::RequestIndex request : tail) {
      const std::uint32_t replica = run.records[request].replica;
      if (replica >= waiting_.size()) waiting_.resize(replica + 1);
      waiting_[replica].push_back(request);
    }
  }

  void watch(const llm::StepRecord& step, const llm::Replica& replica) {
    if (step.replica >= waiting_.size()) return;
    std::vector<llm::RequestIndex>& tail = waiting_[step.replica];
    const TimePs whole = step.end_ps - step.begin_ps, rest = whole - step.fixed_ps;
    std::erase_if(tail, [&](llm::RequestIndex request) { return run_.records[request].first_ps <= step.begin_ps; });
    for (const llm::RequestIndex request : tail) {
      const llm::RequestRecord& record = run_.records[request];
      if (record.arrival_ps >= step.end_ps) continue;
      const bool queues = record.admitted_ps < 0 || record.admitted_ps > step.begin_ps;
      // Of the step in progress only what was left of it.
      const TimePs from = std::max(step.begin_ps, record.arrival_ps);
      for (const llm::Sequence& other : replica.batch_members()) {
        if (other.decodes() || other.request == request) continue;
        const auto part = static_cast<TimePs>(Int128{rest} * other.piece / replica.batch().tokens);
        OtherPrompt& held = others_[other.request];
        if (queues)
          held.queued_ps += static_cast<TimePs>(Int128{part} * (step.end_ps - from) / std::max<TimePs>(1, whole));
        else held.in_step_ps += part;
        if (pairs_.insert(std::uint64_t{other.request} << 32 | request).second) ++held.held;
      }
    }
  }

  [[nodiscard]] std::vector<std::pair<llm::RequestIndex, OtherPrompt>> longest_first() const {
    std::vector<std::pair<llm::RequestIndex, OtherPrompt>> all(others_.begin(), others_.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.second.sum() != b.second.sum() ? a.second.sum() > b.second.sum() : a.first < b.first;
    });
    return all;
  }

 private:
  const llm::ServedRun& run_;
  std::vector<std::vector<llm::RequestIndex>> waiting_;  // by replica: those without a first token, in order of arrival
  std::unordered_map<llm::RequestIndex, OtherPrompt> others_;
  std::unordered_set<std::uint64_t> pairs_;  // of others with those they held up
};

std::vector<llm::RequestIndex> slowest(const llm::ServedRun& run, double share) {
  std::vector<TimePs> times;
  for (const llm::RequestRecord& record : run.records) times.push_back(ttft_of(record));
  std::sort(times.begin(), times.end());
  const TimePs from = sorted_quantile(std::span<const TimePs>(times), share);
  std::vector<llm::RequestIndex> tail;
  for (llm::RequestIndex request = 0; request < run.records.size(); ++request) {
    if (ttft_of(run.records[request]) >= from) tail.push_back(request);
  }
  return tail;
}

/// Rows by what time went to, the longest first.
report::Sheet parts_sheet(const llm::ServedRun& run, const std::vector<llm::RequestIndex>& tail) {
  std::vector<std::pair<std::string, TimePs>> parts;
  parts.reserve(std::size(llm::kQueueCauseNames) + 4);  // and the four below
  for (const std::string_view cause : llm::kQueueCauseNames) parts.emplace_back(fmt::format("queued: {}", cause), 0);
  for (const char* part : {"own prompt", "prompts of others", "tokens of others", "steps themselves"})
    parts.emplace_back(part, 0);
  TimePs sum = 0;
  for (const llm::RequestIndex request : tail) {
    const llm::RequestRecord& r = run.records[request];
    for (std::size_t cause = 0; cause < llm::kQueueCauses; ++cause) parts[cause].second += r.queued_ps[cause];
    const TimePs in_steps[] = {r.own_ps, r.prefill_of_others_ps, r.decode_of_others_ps, r.step_ps};
    for (std::size_t i = 0; i < 4; ++i) parts[llm::kQueueCauses + i].second += in_steps[i];
    sum += ttft_of(r);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  report::Sheet sheet("tail_blame");
  sheet.add({.name = "part", .title = "time to the first token"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::ms, .title = "mean of the tail"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (const auto& [part, time] : parts) {
    if (time == 0) continue;
    sheet.add_row({part, time / static_cast<TimePs>(tail.size()),
                   100 * static_cast<double>(time) / static_cast<double>(std::max<TimePs>(1, sum))});
  }
  return sheet;
}

}  // namespace

Result<RequestTail> blame_tail(const llm::EnginePlan& plan, const llm::Requests& requests, const llm::StepCost& cost,
                               const llm::ServedRun& run, double share) {
  std::vector<llm::RequestIndex> tail = slowest(run, share);
  TailWatch watch(run, tail);
  const auto again = llm::serve(plan, requests, cost, [&](const llm::StepRecord& step, const llm::Replica& replica) {
    watch.watch(step, replica);
  });
  if (!again) return again.error();
  report::Sheet others("tail_others");
  others.add({.name = "id", .title = "prompt of"})
      .add({.name = "prompt", .type = Type::integer, .title = "tokens"})
      .add({.name = "held", .type = Type::integer, .title = "requests that waited"})
      .add({.name = "queued", .type = Type::time, .unit = Unit::ms, .title = "while they queued"})
      .add({.name = "in_step", .type = Type::time, .unit = Unit::ms, .title = "in the same steps"});
  const auto longest = watch.longest_first();
  for (const auto& [request, other] : longest)
    others.add_row({requests.name(request), requests.prompt[request], other.held, other.queued_ps, other.in_step_ps});
  std::string sentence =
      fmt::format("The slowest {} by first token ({} to {}) waited", report::counted(tail.size(), "request"),
                  requests.name(tail.front()), requests.name(tail.back()));
  if (longest.empty()) sentence += " for nobody's prompt.";
  else
    sentence += fmt::format(" longest for the prompt of {} ({} tokens): {} in all.", requests.name(longest[0].first),
                            format_count(requests.prompt[longest[0].first]), format_duration(longest[0].second.sum()));
  report::Sheet parts = parts_sheet(run, tail);
  const auto is_slower = [&](llm::RequestIndex a, llm::RequestIndex b) {
    return ttft_of(run.records[a]) > ttft_of(run.records[b]);
  };
  std::stable_sort(tail.begin(), tail.end(), is_slower);
  return RequestTail{std::move(sentence), ttft_of(run.records[tail.back()]), std::move(parts),
                     request_blame_sheet("tail_requests", run, requests, tail), std::move(others)};
}

}  // namespace orrery::analyze
