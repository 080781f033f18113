#include "analyze/whatif/job_calibration.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "simulate/graph_transfers.h"

namespace orrery::analyze {
namespace {

double besides_alpha(const TransferSample& sample) { return static_cast<double>(sample.measured - sample.alpha); }

std::vector<TransferSample> spread(std::span<const TransferSample> samples) {
  if (samples.size() <= kMostSamples) return {samples.begin(), samples.end()};
  std::vector<TransferSample> taken;
  for (std::size_t i = 0; i < kMostSamples; ++i) taken.push_back(samples[i * samples.size() / kMostSamples]);
  return taken;
}

/// 0: no two samples differ in beta.
double median_slope(std::span<const TransferSample> samples) {
  return median(pair_slopes(samples, std::mem_fn(&TransferSample::beta), besides_alpha));
}

double median_ratio(std::span<const TransferSample> samples) {
  std::vector<double> ratios;
  for (const TransferSample& sample : samples) {
    if (sample.beta > 0) ratios.push_back(besides_alpha(sample) / static_cast<double>(sample.beta));
  }
  return median(ratios);
}

double median_alpha(std::span<const TransferSample> samples) {
  std::vector<double> alphas;
  for (const TransferSample& sample : samples) alphas.push_back(static_cast<double>(sample.alpha));
  return median(alphas);
}

double median_rest(std::span<const TransferSample> samples, double slope) {
  std::vector<double> rests;
  for (const TransferSample& sample : samples)
    rests.push_back(besides_alpha(sample) - slope * static_cast<double>(sample.beta));
  return median(rests);
}

double median_error_percent(std::span<const TransferSample> samples, double constant, double slope) {
  std::vector<double> errors;
  for (const TransferSample& sample : samples) {
    if (sample.measured <= 0) continue;
    const double off = besides_alpha(sample) - constant - slope * static_cast<double>(sample.beta);
    errors.push_back(100 * std::abs(off) / static_cast<double>(sample.measured));
  }
  return median(errors);
}

}  // namespace

TransferFit fit_transfers(std::span<const TransferSample> all) {
  const std::vector<TransferSample> samples = spread(all);
  double slope = median_slope(samples);
  double constant = slope > 0 ? median_rest(samples, slope) : 0;
  if (!(slope > 0) || constant + median_alpha(samples) < 0) {
    constant = 0;
    slope = median_ratio(samples);
  }
  if (!(slope > 0)) {
    slope = 1;
    constant = median_rest(samples, slope);
  }
  return {{.alpha_ps = static_cast<TimePs>(std::llround(constant)), .efficiency = 1 / slope},
          median_error_percent(samples, constant, slope)};
}

namespace {

/// Each round halves what is left of the error, or does better: two that share all the time are right after one.
constexpr int kRounds = 4;

/// Per operation: whether it shared a link with another one; and sets by which algorithm it is done. Links as the model
/// has them; time as measured.
Result<std::vector<bool>> find_overlapped(simulate::Lowering& lowering, JobTransfers& transfers) {
  struct Holder {
    TimePs until = -1;
    std::uint32_t operation = 0;
  };
  const std::vector<MeasuredTransfer>& measured = transfers.measured;
  std::vector<std::uint32_t> by_begin(measured.size());
  std::iota(by_begin.begin(), by_begin.end(), 0U);
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return measured[a].begin < measured[b].begin; });
  std::vector<Holder> holders(lowering.network().links().size());  // of each link: who holds it longest of those so far
  std::vector<bool> overlapped(measured.size());
  for (const std::uint32_t i : by_begin) {
    const auto plan = lowering.plan(transfers.operations[i]);
    if (!plan) return plan.error();
    // What is learnt holds for the algorithm that it is learnt with: another one, because a network is faster, would be
    // as if the library had been exchanged, too.
    if (!(*plan)->phases.empty()) transfers.operations[i].algorithm = (*plan)->algorithm;
    for (const simulate::PlanPhase& phase : (*plan)->phases) {
      for (const simulate::LinkShare& share : phase.shares) {
        Holder& holder = holders[share.link];
        if (holder.until > measured[i].begin && holder.operation != i)
          overlapped[i] = overlapped[holder.operation] = true;
        if (measured[i].end > holder.until) holder = {measured[i].end, i};
      }
    }
  }
  return overlapped;
}

/// The operations of one kind and number of members.
struct Kind {
  std::vector<std::uint32_t> operations;
  std::vector<std::uint32_t> compared;  ///< of these, those that tell something
  CalibrationRow row;

  void fit(const JobTransfers& transfers, std::span<const simulate::Price> alone) {
    std::vector<TransferSample> samples;
    for (const std::uint32_t i : compared)
      samples.push_back({transfers.measured[i].transfer, alone[i].alpha_ps, alone[i].beta_ps});
    const TransferFit fit = samples.empty() ? TransferFit{} : fit_transfers(samples);
    row.calibration = fit.calibration;
    row.error_percent = fit.error_percent;
  }
};

using Kinds = std::map<std::pair<std::string_view, std::uint32_t>,
                       Kind>;  // by text: numbers of strings depend on the order of files

Kinds find_kinds(const causal::CausalGraph& job, const JobTransfers& transfers, const std::vector<bool>& overlapped) {
  Kinds kinds;
  for (std::uint32_t i = 0; i < transfers.operations.size(); ++i) {
    const causal::JobOperation& operation = job.operations[transfers.measured[i].operation];
    Kind& kind = kinds[{job.strings.text(operation.what), operation.members}];
    kind.row.what = operation.what;
    kind.row.members = operation.members;
    kind.operations.push_back(i);
  }
  for (auto& [key, kind] : kinds) {
    std::vector<std::uint32_t> comparable, alone;
    for (const std::uint32_t i : kind.operations) {
      if (!transfers.measured[i].comparable) continue;
      comparable.push_back(i);
      if (!overlapped[i]) alone.push_back(i);
    }
    kind.row.overlapped = alone.empty() && !comparable.empty();
    kind.compared = std::move(alone.empty() ? comparable : alone);
    kind.row.operations = kind.compared.size();
  }
  return kinds;
}

void set_calibrations(const Kinds& kinds, JobTransfers& transfers) {
  for (const auto& [key, kind] : kinds) {
    for (const std::uint32_t i : kind.operations) transfers.operations[i].calibration = kind.row.calibration;
  }
}

/// What operations of kinds that were never alone would take alone, if they were slowed down in the simulation as they
/// are by one another.
Status find_shared_prices(const causal::CausalGraph& job, const Kinds& kinds, const JobTransfers& transfers,
                          simulate::PhasedModel& model, std::vector<simulate::Price>& prices) {
  model.keep_prices(true);
  const auto simulated =
      simulate::simulate_transfers(graph::Edits(job.graph), transfers.operations, transfers.transfers, model);
  if (!simulated) return simulated.error();
  for (const auto& [key, kind] : kinds) {
    if (!kind.row.overlapped) continue;
    for (const std::uint32_t i : kind.compared) {
      // Its bytes were inflated by the efficiency so far; that is what is being asked for.
      const double flowing =
          static_cast<double>(model.price(i).beta_ps) * transfers.operations[i].calibration.efficiency;
      prices[i].beta_ps = static_cast<TimePs>(std::llround(flowing));
    }
  }
  model.keep_prices(false);
  return {};
}

}  // namespace

Result<std::vector<CalibrationRow>> calibrate(const causal::CausalGraph& job, simulate::Lowering& lowering,
                                              simulate::PhasedModel& model, JobTransfers& transfers) {
  const Result<std::vector<bool>> overlapped = find_overlapped(lowering, transfers);
  if (!overlapped) return overlapped.error();
  std::vector<simulate::Price> prices;
  for (const simulate::CommOp& op : transfers.operations) {
    const Result<simulate::Price> price = model.estimate(op);
    if (!price) return price.error();
    prices.push_back(*price);
  }
  Kinds kinds = find_kinds(job, transfers, *overlapped);
  bool any_overlapped = false;
  for (auto& [key, kind] : kinds) {
    kind.fit(transfers, prices);
    any_overlapped = any_overlapped || kind.row.overlapped;
  }
  set_calibrations(kinds, transfers);
  for (int round = 0; any_overlapped && round < kRounds; ++round) {
    if (const Status status = find_shared_prices(job, kinds, transfers, model, prices); !status) return status.error();
    for (auto& [key, kind] : kinds) {
      if (kind.row.overlapped) kind.fit(transfers, prices);
    }
    set_calibrations(kinds, transfers);
  }
  std::vector<CalibrationRow> rows;
  for (const auto& [key, kind] : kinds) rows.push_back(kind.row);
  return rows;
}

}  // namespace orrery::analyze
