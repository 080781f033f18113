#include "motif/chain_rates.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace orrery::motif {
namespace {

using Context = std::vector<std::uint32_t>;

/// The longest context that the past `history` ends with.
std::optional<std::size_t> context_after(const std::map<Context, std::size_t>& contexts, Context history) {
  for (; !history.empty(); history.erase(history.begin())) {
    if (const auto found = contexts.find(history); found != contexts.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> step_rates(const Flow& chain, const Scope& scope) {
  std::map<Context, std::size_t> contexts;
  for (const ChainStep& step : chain.steps) contexts.emplace(step.context, contexts.size());
  std::vector<double> laws, sums(contexts.size(), 0);
  for (const ChainStep& step : chain.steps) {
    laws.push_back(std::max(0.0, step.times.at(scope)));  // a straight line may have crossed 0 on the way here
    sums[contexts.at(step.context)] += laws.back();
  }
  // visits = entry + shares^T visits
  const auto count = static_cast<Eigen::Index>(contexts.size());
  Eigen::MatrixXd system = Eigen::MatrixXd::Identity(count, count);
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const ChainStep& step = chain.steps[i];
    const std::size_t from = contexts.at(step.context);
    if (step.next == ChainStep::kEnd || sums[from] <= 0) continue;
    Context history = step.context;
    history.push_back(step.next);
    // A block without a step of its own is where the chain ends.
    if (const auto to = context_after(contexts, std::move(history)))
      system(static_cast<Eigen::Index>(*to), static_cast<Eigen::Index>(from)) -= laws[i] / sums[from];
  }
  const auto entry = contexts.find({});
  if (entry == contexts.end()) return laws;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  right(static_cast<Eigen::Index>(entry->second)) = 1;
  const Eigen::VectorXd visits = system.fullPivLu().solve(right);
  const bool solved =
      visits.allFinite() && visits.minCoeff() > -1e-9 && visits.maxCoeff() < 1e12 && (system * visits - right).norm() < 1e-6;
  if (!solved) return laws;
  std::vector<double> rates;
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const std::size_t from = contexts.at(chain.steps[i].context);
    rates.push_back(sums[from] > 0 ? std::max(0.0, visits(static_cast<Eigen::Index>(from))) * laws[i] / sums[from] : 0);
  }
  return rates;
}

}  // namespace orrery::motif
