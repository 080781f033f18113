#include "job/common_steps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "causal/step_name.h"
#include "job/job_clocks.h"

namespace orrery::job {
namespace {

constexpr DiagnosticKind kStepsNotCommon{"J807", Severity::warning, "steps that not all ranks recorded",
                                         "they were left out"};
constexpr TimePs kFarApart = TimePs{600} * 1'000'000 * kPsPerUs;

}  // namespace

std::vector<trace::EventIndex> find_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const trace::ContentOrder& content,
                                          const std::optional<std::string>& annotation) {
  return annotation ? causal::find_annotated(trace, rank, content, *annotation)
                    : causal::find_steps(trace, rank, content);
}

std::vector<std::string> step_keys(const trace::Trace& trace, const trace::RankTrace& rank,
                                   std::span<const trace::EventIndex> events) {
  std::map<std::string_view, std::size_t> times;
  std::vector<std::string> keys;
  for (const trace::EventIndex event : events) {
    const std::string_view name = trace.name(rank, event);
    const auto number = rank.field(trace::Field::step).find(event);
    // A number that the recorder gives counts where the name has none: a rank may have begun to record later than the
    // others.
    if (number) keys.push_back(std::string(name) + "\n" + std::to_string(*number));
    else keys.push_back(std::string(name) + "\n" + std::to_string(times[name]++));
  }
  return keys;
}

std::string_view name_in_key(std::string_view key) { return key.substr(0, key.rfind('\n')); }

Result<std::vector<std::string>> common_steps(const trace::Trace& trace,
                                              std::span<const std::vector<std::string>> ranks,
                                              Diagnostics& diagnostics) {
  std::vector<std::set<std::string>> of_rank;
  std::set<std::string> all;
  for (const std::vector<std::string>& keys : ranks) {
    of_rank.emplace_back(keys.begin(), keys.end());
    all.insert(keys.begin(), keys.end());
  }
  std::vector<std::string> order;
  if (all.empty()) return order;
  order = ranks.front();
  std::erase_if(order, [&](const std::string& key) {
    return std::any_of(of_rank.begin(), of_rank.end(), [&](const auto& rank) { return !rank.contains(key); });
  });
  // Replicas of an engine serve requests of their own: their steps need not have a name in common.
  const auto is_engine_step = [&](const std::string& key) {
    return causal::step_name_in(trace, name_in_key(key)).has_value();
  };
  if (order.empty() && std::all_of(all.begin(), all.end(), is_engine_step)) return order;
  if (order.empty()) return of_other_runs("the ranks have no step in common");
  if (all.size() != order.size()) diagnostics.add_many(kStepsNotCommon, all.size() - order.size(), {});
  return order;
}

Status check_same_time(std::span<const causal::StepWindow> ranks) {
  TimePs latest_begin = std::numeric_limits<TimePs>::min(), first_end = std::numeric_limits<TimePs>::max();
  for (const causal::StepWindow& rank : ranks)
    latest_begin = std::max(latest_begin, rank.begin), first_end = std::min(first_end, rank.end);
  if (latest_begin - first_end > kFarApart)
    return of_other_runs("the recordings of some ranks are more than ten minutes apart");
  return {};
}

Error no_such_step(const std::optional<std::string>& annotation, const std::string& path) {
  return {"no host event's name contains \"" + annotation.value_or("ProfilerStep#") + "\"", path, Error::kNoOffset,
          "see the annotations with: orrery info"};
}

Error no_such_instance(std::size_t steps, std::size_t instance, const std::string& path) {
  return {"there are " + std::to_string(steps) + " matching events on all ranks; instance " + std::to_string(instance) +
              " does not exist",
          path, Error::kNoOffset, "instances count from 0, by start"};
}

}  // namespace orrery::job
