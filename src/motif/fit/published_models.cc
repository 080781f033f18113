#include "motif/fit/published_models.h"

#include <algorithm>
#include <map>

namespace orrery::motif::fit {
namespace {

struct Measured {
  std::vector<Scope> runs = {};
  std::vector<double> values = {};
};

PublishedModel model_of(Edge edge, Family family, const Measured& measured) {
  PublishedModel model{.edge = edge};
  model.is_constant = std::all_of(measured.values.begin(), measured.values.end(),
                                  [&](double value) { return value == measured.values[0]; });
  if (model.is_constant && family == Family::exponential)
    model.law = {Family::constant, {Term{}}, {measured.values[0]}};
  else model.law = fit_law(family, {}, measured.runs, measured.values);
  return model;
}

}  // namespace

PublishedModels fit_published(const Observations& observations, Family family) {
  std::map<Edge, Measured> times, bytes;
  if (observations.classes.empty()) return {};
  for (const ClassRun& run : observations.classes.front().runs) {
    const Scope scope(run.run, SizeMeaning::exponent);
    std::map<std::uint32_t, SiteBytes> after;  // bytes stand under the site before the call
    for (const auto& [edge, one] : run.edges) {
      if (edge.first == 0 || one.count <= 0) continue;
      times[edge].runs.push_back(scope);
      times[edge].values.push_back(one.sum_us / one.count);
      const auto sent = run.bytes.find(edge.second);
      if (sent == run.bytes.end() || sent->second.calls <= 0) continue;
      after[edge.first].calls += one.count;
      after[edge.first].sum += one.count * sent->second.sum / sent->second.calls;
    }
    for (const auto& [site, sum] : after) {
      bytes[{site, 0}].runs.push_back(scope);
      bytes[{site, 0}].values.push_back(sum.sum / sum.calls);
    }
  }
  PublishedModels models;
  for (const auto& [edge, measured] : times) models.times.push_back(model_of(edge, family, measured));
  for (const auto& [edge, measured] : bytes) models.bytes.push_back(model_of(edge, family, measured));
  return models;
}

}  // namespace orrery::motif::fit
