#include "analyze/whatif/interference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/capture/operand_lists.h"
#include "analyze/capture/work_origins.h"
#include "analyze/device/device_rank.h"
#include "match/exchange.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

/// Each round settles at least the earliest kernels that were wrong, and what is left shrinks by the share that a
/// neighbour costs: a few rounds do. The bound is for what goes to and fro between two answers.
constexpr int kMostRounds = 24;
/// What no clock of a recorder tells apart.
constexpr TimePs kSettledPs = kPsPerNs;

// Kernels that are alike show what neighbours cost if some of them ran mostly beside others and some mostly alone: of
// single ones it is not clear what made them longer.
constexpr int kFewestAlike = 4;
constexpr double kMostOfLaw = 1.5;  // beyond, something else made them longer
constexpr double kMostLost = 0.9;   // of the time beside others

/// What a communication kernel takes, as recorded; negative: not known.
struct Footprint {
  double blocks = -1, bytes = -1;
};

/// What tells kernels apart that take different times: name, grid, and what is multiplied.
using KernelKey = std::tuple<StringId, StringId, double, double, double>;

/// By the operands of its operator, where a rule says which; negative: none does.
double bytes_by_rule(const DeviceRank& devices, std::uint32_t work, WorkOrigins& origins) {
  const causal::CommunicationFacts* const facts = devices.communication.find(work);
  if (facts == nullptr || !facts->bytes_input) return -1;
  const WorkOrigin origin = origins.of(work);
  return static_cast<double>(bytes_of_operand(origin.shapes(), origin.types(), *facts->bytes_input).value_or(-1));
}

struct RecordedWorks {
  std::vector<Footprint> footprints;  ///< per owner of the job: of communication on devices
  std::vector<StringId> grids;        ///< per owner: of kernels; 0: not known
};

Result<RecordedWorks> recorded_works(const causal::CausalGraph& job, const trace::Trace& trace) {
  RecordedWorks found{std::vector<Footprint>(job.owners.size()), std::vector<StringId>(job.owners.size(), 0)};
  causal::WindowRequest whole;
  whole.annotation = "";
  for (std::uint32_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    Diagnostics said;  // whoever made the graph said it
    const auto devices = look_at_devices(trace, rank, whole, false, said);
    if (!devices) return devices.error();
    WorkOrigins origins(trace, rank, devices->timeline);
    const std::vector<std::uint32_t> owner_of = causal::owners_of_works(job, rank, devices->timeline);
    for (std::uint32_t w = 0; w < owner_of.size(); ++w) {
      if (owner_of[w] == causal::kNoWork) continue;
      const trace::EventIndex event = devices->timeline.works[w].event;
      const auto grid = rank.field(trace::Field::grid_text).find(event);
      if (grid) found.grids[owner_of[w]] = static_cast<StringId>(*grid);
      if (devices->types[w] != WorkType::communication) continue;
      Footprint& footprint = found.footprints[owner_of[w]];
      const double blocks = grid ? elements_of_list(trace.strings.text(static_cast<StringId>(*grid))) : 0;
      if (blocks > 0) footprint.blocks = blocks;
      if (const auto bytes = match::bytes_of(trace, {.node = node, .event = event}))
        footprint.bytes = static_cast<double>(*bytes);
      else footprint.bytes = bytes_by_rule(*devices, w, origins);
    }
  }
  return found;
}

machine::Sensitivity sensitivity_of(const std::optional<OperatorKind>& kind) {
  if (!kind) return machine::kMixBeside;
  switch (*kind) {
    case OperatorKind::attention: return machine::kAttentionBeside;
    case OperatorKind::norm: return machine::kNormBeside;
    case OperatorKind::softmax: return machine::kSoftmaxBeside;
    case OperatorKind::elementwise:
    case OperatorKind::copy: return machine::kStreamBeside;
    default: return machine::kMixBeside;
  }
}

/// What is carried between devices is read on one and written on another; a reduction is carried twice.
double memory_bytes_of(const causal::CausalGraph& job, const causal::JobOperation* operation, double bytes) {
  const bool reduces = operation != nullptr && job.strings.text(operation->what) == "all_reduce";
  return std::max(bytes, 0.0) * (reduces ? 4 : 2);
}

}  // namespace

Result<Interference> Interference::find(const causal::CausalGraph& job, const trace::Trace& trace,
                                        const machine::Device& device, std::span<const OwnerPrice> prices) {
  if (device.compute_unit_count <= 0 || device.memory_bytes_per_s() <= 0)
    return Error{"the device does not say how many units it has and how fast its memory is", device.name,
                 Error::kNoOffset, "compute_unit_count and memory.bandwidth_gb_per_s in its description"};
  const auto works = recorded_works(job, trace);
  if (!works) return works.error();
  Interference found;
  found.device_ = device;
  std::map<std::pair<std::uint32_t, std::int64_t>, OnDevice> by_device;
  std::map<KernelKey, std::uint32_t> kernels;
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const EdgeKind kind = job.kind(slot);
    if (kind != EdgeKind::kernel && kind != EdgeKind::communication) continue;
    const graph::NodeId source = job.graph.source(slot), target = job.graph.target(slot);
    const bool is_transfer = job.is_transfer(slot);
    const std::uint32_t owner = is_transfer ? job.parts[job.part_of(source)].owner : job.graph.edge_tag(slot);
    // Collectives of the host take no units.
    if (owner == graph::kNoTag || job.owners[owner].device < 0) continue;
    if (!is_transfer && causal::is_part(job, slot)) continue;
    OnDevice& on = by_device[{job.rank_of(slot), job.owners[owner].device}];
    if (kind == EdgeKind::kernel) {
      const OwnerPrice* const price = prices.empty() ? nullptr : &prices[owner];
      Computing kernel{.slot = slot, .begin = source, .recorded = job.graph.weight(slot)};
      if (price != nullptr) kernel.sensitivity = sensitivity_of(price->kind), kernel.product = price->product;
      else kernel.sensitivity = machine::kMixBeside;
      const machine::GemmShape product = kernel.product.value_or(machine::GemmShape());
      const KernelKey key{job.owners[owner].name, works->grids[owner], product.m, product.n, product.k};
      kernel.alike = kernels.emplace(key, static_cast<std::uint32_t>(kernels.size())).first->second;
      if (kernel.recorded > 0) on.computing.push_back(kernel);
      continue;
    }
    const causal::JobOperation* const operation =
        is_transfer ? &job.operations[job.parts[job.part_of(source)].operation] : nullptr;
    Footprint footprint = works->footprints[owner];
    if (footprint.bytes < 0 && operation != nullptr) footprint.bytes = static_cast<double>(operation->bytes);
    if (footprint.blocks < 0 || footprint.bytes < 0) ++found.without_size_;
    on.communicating.push_back({.arrival = is_transfer ? job.parts[job.part_of(source)].arrival : source,
                                .ready = source,
                                .end = target,
                                .units = footprint.blocks < 0 ? machine::kAllToAllUnits : footprint.blocks,
                                .memory_bytes = memory_bytes_of(job, operation, footprint.bytes)});
  }
  for (auto& [key, on] : by_device) {
    if (!on.computing.empty() && !on.communicating.empty()) found.devices_.push_back(std::move(on));
  }
  found.fit(job);
  for (OnDevice& on : found.devices_) {
    const std::vector<Stretch> beside =
        stretches(on, found.most_gb_per_s(), [&](graph::NodeId node) { return job.time[node]; });
    InterferenceCost ignored;
    for (Computing& kernel : on.computing)
      kernel.alone = found.time_alone(kernel, beside, job.time[kernel.begin], kernel.recorded, ignored);
  }
  return found;
}

// Of kernels that are alike, what each takes alone is the same: time - share x lost. The share that leaves the least
// variance between them is the covariance of both over the variance of what the law says.
void Interference::fit(const causal::CausalGraph& job) {
  struct Sums {
    int beside = 0, alone = 0;  // for most of their time
    double count = 0, time = 0, lost = 0, time_lost = 0, lost_lost = 0;
    [[nodiscard]] double covariance() const { return time_lost - time * lost / count; }
    [[nodiscard]] double variance() const { return lost_lost - lost * lost / count; }
    [[nodiscard]] bool shows_it() const { return beside >= kFewestAlike && alone >= kFewestAlike && variance() > 0; }
  };
  std::map<std::uint32_t, Sums> by_kernel;
  for (const OnDevice& on : devices_) {
    const std::vector<Stretch> beside =
        stretches(on, most_gb_per_s(), [&](graph::NodeId node) { return job.time[node]; });
    for (const Computing& kernel : on.computing) {
      InterferenceCost by_law;
      static_cast<void>(time_alone(kernel, beside, job.time[kernel.begin], kernel.recorded, by_law));
      const double time = to_us(kernel.recorded), lost = to_us(by_law.lost);
      Sums& sums = by_kernel[kernel.alike];
      ++sums.count;
      ++(2 * by_law.beside > kernel.recorded ? sums.beside : sums.alone);
      sums.time += time, sums.lost += lost, sums.time_lost += time * lost, sums.lost_lost += lost * lost;
    }
  }
  double covariance = 0, variance = 0;
  for (const auto& [kernel, sums] : by_kernel) {
    if (sums.shows_it()) covariance += sums.covariance(), variance += sums.variance();
  }
  if (variance > 0) of_law_ = std::clamp(covariance / variance, 0.0, kMostOfLaw);
  for (OnDevice& on : devices_) {
    for (Computing& kernel : on.computing) {
      const Sums& sums = by_kernel.at(kernel.alike);
      kernel.of_law =
          sums.shows_it() ? std::clamp(sums.covariance() / sums.variance(), 0.0, kMostOfLaw) : of_law_.value_or(1);
    }
  }
}

template <typename TimeOf>
std::vector<Interference::Stretch> Interference::stretches(const OnDevice& device, double most_gb_per_s,
                                                           TimeOf&& time_of) {
  struct Change {
    TimePs at;
    int count;
    double units, gb_per_s;
  };
  std::vector<Change> changes;
  for (const Communicating& one : device.communicating) {
    const TimePs arrival = time_of(one.arrival), ready = time_of(one.ready), end = time_of(one.end);
    if (end <= arrival) continue;
    changes.push_back({arrival, 1, one.units, 0});
    changes.push_back({end, -1, -one.units, 0});
    if (end <= ready || one.memory_bytes <= 0) continue;
    const double rate = std::min(one.memory_bytes * 1e3 / static_cast<double>(end - ready), most_gb_per_s);
    changes.push_back({ready, 1, 0, rate});
    changes.push_back({end, -1, 0, -rate});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at, a.count, a.units, a.gb_per_s) < std::tie(b.at, b.count, b.units, b.gb_per_s);
  });
  std::vector<Stretch> found = {{INT64_MIN, {}}};
  int there = 0;
  machine::Neighbour now;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    there += changes[i].count;
    now.units += changes[i].units;
    now.gb_per_s += changes[i].gb_per_s;
    // Sums of reals leave something over where nothing is.
    if (there == 0) now = {};
    if (i + 1 < changes.size() && changes[i + 1].at == changes[i].at) continue;
    found.push_back({changes[i].at, {now.units, std::min(now.gb_per_s, most_gb_per_s)}});
  }
  return found;
}

double Interference::slowdown(const Computing& kernel, const machine::Neighbour& neighbour) const {
  if (!neighbour.is_there()) return 1;
  const double by_law = kernel.product ? machine::product_slowdown(device_, *kernel.product, neighbour)
                                       : machine::slowdown(device_, kernel.sensitivity, neighbour);
  return 1 / (1 - std::min(kernel.of_law * (1 - 1 / by_law), kMostLost));
}

namespace {

/// The last that begins at `time` or before.
template <typename Stretches>
std::size_t place_at(const Stretches& stretches, TimePs time) {
  const auto after = std::upper_bound(stretches.begin(), stretches.end(), time,
                                      [](TimePs at, const auto& stretch) { return at < stretch.from; });
  return static_cast<std::size_t>(after - stretches.begin()) - 1;
}

}  // namespace

double Interference::time_alone(const Computing& kernel, std::span<const Stretch> stretches, TimePs begin,
                                TimePs length, InterferenceCost& cost) const {
  const TimePs end = begin + length;
  double alone = 0;
  TimePs beside = 0;
  for (std::size_t i = place_at(stretches, begin); i < stretches.size() && stretches[i].from < end; ++i) {
    const TimePs from = std::max(begin, stretches[i].from),
                 to = i + 1 < stretches.size() ? std::min(end, stretches[i + 1].from) : end;
    alone += static_cast<double>(to - from) / slowdown(kernel, stretches[i].neighbour);
    if (stretches[i].neighbour.is_there()) beside += to - from;
  }
  cost.kernels += beside > 0 ? 1 : 0;
  cost.beside += beside;
  cost.lost += length - std::llround(alone);
  return alone;
}

TimePs Interference::time_beside(const Computing& kernel, std::span<const Stretch> stretches, TimePs begin,
                                 double alone) const {
  double at = 0;  // since `begin`
  for (std::size_t i = place_at(stretches, begin); i < stretches.size(); ++i) {
    const double slower = slowdown(kernel, stretches[i].neighbour);
    const bool is_last = i + 1 == stretches.size();
    const double room = is_last ? 0 : static_cast<double>(stretches[i + 1].from - begin) - at;
    if (is_last || alone * slower <= room) return std::llround(at + alone * slower);
    alone -= room / slower;
    at += room;
  }
  return std::llround(at + alone);
}

std::vector<SolvedJob> Interference::solve(const causal::CausalGraph& job, std::vector<PausedJob> scenarios) const {
  std::vector<SolvedJob> solved = solve_paused(job, scenarios);
  // What edits make of each kernel alone; by scenario, device and kernel.
  std::vector<std::vector<std::vector<double>>> alone(scenarios.size());
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    for (const OnDevice& on : devices_) {
      std::vector<double>& of_device = alone[s].emplace_back();
      for (const Computing& kernel : on.computing)
        of_device.push_back(kernel.alone * static_cast<double>(solved[s].unpaused.weight(kernel.slot)) /
                            static_cast<double>(kernel.recorded));
    }
  }
  std::vector<std::size_t> unsettled;
  for (std::size_t s = 0; s < scenarios.size() && !devices_.empty(); ++s) unsettled.push_back(s);
  for (int round = 0; round < kMostRounds && !unsettled.empty(); ++round) {
    std::vector<std::size_t> changed;
    std::vector<PausedJob> next;
    for (const std::size_t s : unsettled) {
      const graph::Solution& run = solved[s].solution;
      bool is_settled = true;
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        const std::vector<Stretch> beside =
            stretches(devices_[d], most_gb_per_s(), [&](graph::NodeId node) { return run.finish(node); });
        for (std::size_t k = 0; k < devices_[d].computing.size(); ++k) {
          const Computing& kernel = devices_[d].computing[k];
          const TimePs length = time_beside(kernel, beside, run.finish(kernel.begin), alone[s][d][k]);
          const TimePs before = solved[s].unpaused.weight(kernel.slot);
          if (std::abs(length - before) < kSettledPs) continue;
          scenarios[s].edits.set_weight(kernel.slot, length);
          is_settled = false;
        }
      }
      if (is_settled) continue;
      changed.push_back(s);
      next.push_back(scenarios[s]);
    }
    std::vector<SolvedJob> again = solve_paused(job, std::move(next));
    for (std::size_t i = 0; i < changed.size(); ++i) solved[changed[i]] = std::move(again[i]);
    unsettled = std::move(changed);
  }
  return solved;
}

InterferenceCost Interference::recorded(const causal::CausalGraph& job) const {
  InterferenceCost cost;
  for (const OnDevice& on : devices_) {
    const std::vector<Stretch> beside =
        stretches(on, most_gb_per_s(), [&](graph::NodeId node) { return job.time[node]; });
    for (const Computing& kernel : on.computing)
      static_cast<void>(time_alone(kernel, beside, job.time[kernel.begin], kernel.recorded, cost));
  }
  return cost;
}

InterferenceCost Interference::in_run(const graph::Solution& run) const {
  InterferenceCost cost;
  for (const OnDevice& on : devices_) {
    const std::vector<Stretch> beside =
        stretches(on, most_gb_per_s(), [&](graph::NodeId node) { return run.finish(node); });
    for (const Computing& kernel : on.computing)
      static_cast<void>(time_alone(kernel, beside, run.finish(kernel.begin), run.weight(kernel.slot), cost));
  }
  return cost;
}

}  // namespace orrery::analyze
