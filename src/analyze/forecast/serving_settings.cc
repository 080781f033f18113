#include "analyze/forecast/serving_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/forecast/serving_interval.h"
#include "base/parallel.h"

namespace orrery::analyze {
namespace {

double devices_of(const llm::EnginePlan& engine) {
  const double replicas =
      engine.disaggregation ? engine.disaggregation->prefill + engine.disaggregation->decode : engine.replicas;
  return engine.stages * replicas;
}

/// The lists of a sweep, as one number of a setting tells them apart.
class Settings {
 public:
  explicit Settings(const llm::ServingSpace& space) {
    const std::pair<const char*, const std::vector<std::int64_t>*> all[] = {
        {"tensor", &space.tensor},
        {"max_requests", &space.max_requests},
        {"max_batch_tokens", &space.max_batch_tokens},
        {"replicas", &space.replicas},
        {"prefill", &space.prefill},
        {"decode", &space.decode}};
    for (const auto& [name, values] : all) {
      if (!values->empty()) axes_.emplace_back(name, *values);
    }
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t size = 1;
    for (const auto& [name, values] : axes_) size *= values.size();
    return axes_.empty() ? 0 : size;
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> values(std::size_t setting) const {
    std::vector<std::pair<std::string, double>> chosen;
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      const auto& [name, values] = *axis;
      chosen.emplace_back(name, static_cast<double>(values[setting % values.size()]));
      setting /= values.size();
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes_;
};

void apply(const std::string& name, double value, llm::EnginePlan& engine) {
  if (name == "max_requests") engine.limits.max_requests = static_cast<std::uint32_t>(value);
  else if (name == "max_batch_tokens") engine.limits.max_batch_tokens = static_cast<std::uint32_t>(value);
  else if (name == "replicas") engine.replicas = value;
  else if (name == "prefill") engine.disaggregation->prefill = value;
  else if (name == "decode") engine.disaggregation->decode = value;
}

/// One setting of a sweep, as it can be run.
struct Variant {
  llm::ServingPlan plan;
  const ShapeCost* priced;
  ServingSetting setting;
};

Variant variant_of(const llm::ServingPlan& plan, const std::vector<ShapeCost>& costs,
                   std::vector<std::pair<std::string, double>> values) {
  Variant variant{plan, &costs.front(), {.values = std::move(values), .summary = {}}};
  double tensor = costs.front().tensor;
  for (const auto& [name, value] : variant.setting.values) {
    if (name == "tensor") tensor = value;
    else apply(name, value, variant.plan.engine);
  }
  for (const ShapeCost& one : costs) {
    if (one.tensor == tensor && (one.replicas == 0 || one.replicas == variant.plan.engine.replicas))
      variant.priced = &one;
  }
  variant.plan.engine.limits.kv_blocks = variant.priced->kv_blocks;
  variant.setting.devices = devices_of(variant.plan.engine) * variant.priced->tensor;
  return variant;
}

Status summarise_run(const llm::ServingPlan& plan, const llm::Requests& requests, const llm::StepCost& cost,
                     ServingSetting& setting) {
  const auto run = llm::serve(plan.engine, requests, cost);
  if (!run) return run.error();
  setting.summary = summarise(*run, requests, plan.objectives);
  return {};
}

Status add_interval(const IntervalInput& input, ServingSetting& setting) {
  if (!input.costs.has_ends()) return {};
  const auto interval = serving_interval(input, setting.summary);
  if (!interval) return interval.error();
  setting.interval = *interval;
  return {};
}

}  // namespace

Status stretch_arrivals(llm::Requests& requests, double rate_per_s) {
  if (!requests.natural_rate())
    return Error{"the requests have no rate: all arrive at one moment",
                 {},
                 Error::kNoOffset,
                 "other rates stretch arrivals about the first"};
  if (static_cast<double>(requests.size()) / rate_per_s > llm::kMostArrivalSeconds)
    return Error{
        fmt::format("at {} requests a second, arrivals last longer than {} s", rate_per_s, llm::kMostArrivalSeconds)};
  llm::stretch_to(requests, rate_per_s);
  return {};
}

Result<std::vector<ServingSetting>> run_rates(const llm::ServingPlan& plan, const llm::Requests& requests,
                                              const llm::CostRange& costs, const std::vector<double>& rates) {
  std::vector<ServingSetting> settings(rates.size());
  std::vector<std::optional<Error>> errors(rates.size());
  parallel_for(rates.size(), [&](std::size_t i) {
    llm::Requests stretched = requests;
    if (Status good = stretch_arrivals(stretched, rates[i]); !good) return void(errors[i] = good.error());
    settings[i].values = {{"rate_per_s", rates[i]}};
    Status good = summarise_run(plan, stretched, costs.middle, settings[i]);
    if (good) good = add_interval({plan, stretched, costs, rates[i]}, settings[i]);
    if (!good) errors[i] = good.error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return settings;
}

Result<SettingsRun> run_settings(const llm::ServingPlan& plan, const llm::ServingSpace& space,
                                 const llm::Requests& requests, const std::vector<ShapeCost>& costs,
                                 const std::string& why_not) {
  const Settings lists(space);
  if (lists.size() == 0)
    return Error{"the configuration lists no settings to try",
                 {},
                 Error::kNoOffset,
                 "sweep: {max_requests: [64, 256], max_batch_tokens: [2048, 8192]}"};
  if ((!space.prefill.empty() || !space.decode.empty()) && !plan.engine.disaggregation)
    return Error{"sweep.prefill and sweep.decode are about disaggregation, which the configuration does not have"};
  if (!space.replicas.empty() && plan.engine.disaggregation)
    return Error{"sweep.replicas are there beside disaggregation, which has prefill and decode"};
  std::vector<std::optional<Variant>> found(lists.size());
  std::vector<std::optional<Error>> errors(lists.size());
  parallel_for(lists.size(), [&](std::size_t i) {
    Variant variant = variant_of(plan, costs, lists.values(i));
    if (!variant.priced->costs) return void(errors[i] = Error{why_not});
    Status good = llm::check_requests(requests, llm::rules_of(variant.plan.engine));
    if (good) good = summarise_run(variant.plan, requests, variant.priced->costs->middle, variant.setting);
    if (!good) return void(errors[i] = good.error());
    found[i] = std::move(variant);
  });
  SettingsRun all;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] && all.impossible++ == 0) all.first_impossible = errors[i]->message;
  }
  std::erase_if(found, [](const std::optional<Variant>& variant) { return !variant; });
  if (found.empty()) return Error{fmt::format("no setting can serve all requests: {}", all.first_impossible)};
  // Equal ones stay in the order of the lists.
  std::stable_sort(found.begin(), found.end(), [](const std::optional<Variant>& a, const std::optional<Variant>& b) {
    return a->setting.summary.goodput_per_s() / a->setting.devices >
           b->setting.summary.goodput_per_s() / b->setting.devices;
  });
  errors.assign(std::min(found.size(), kSettingsWithInterval), std::nullopt);
  parallel_for(errors.size(), [&](std::size_t i) {
    Variant& variant = *found[i];
    if (Status good = add_interval({variant.plan, requests, *variant.priced->costs}, variant.setting); !good)
      errors[i] = good.error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  for (std::optional<Variant>& variant : found) all.settings.push_back(std::move(variant->setting));
  return all;
}

}  // namespace orrery::analyze
