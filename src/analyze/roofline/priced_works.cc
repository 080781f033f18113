#include "analyze/roofline/priced_works.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "causal/step_name.h"

namespace orrery::analyze {
namespace {

using machine::DataType;

/// Libraries write the format they compute in into the names of their kernels; s1688 is the instruction for tf32.
bool says_tf32(std::string_view kernel) {
  return kernel.find("tf32") != std::string_view::npos || kernel.find("s1688") != std::string_view::npos;
}

/// Sums over the requests of a step, out of its name; none if the name is that of no step, or does not say how long its
/// requests are.
std::optional<RequestLengths> request_lengths(const trace::Trace& trace, std::string_view step) {
  const std::optional<causal::StepName> name = causal::step_name_in(trace, step);
  if (!name) return std::nullopt;
  const auto requests = [](const std::optional<std::int64_t>& count) { return count.value_or(0) > 0; };
  const bool knows_context = !requests(name->context_requests) || name->context_query_keys;
  const bool knows_generation = !requests(name->generation_requests) || name->generation_query_keys;
  if (!knows_context || !knows_generation) return std::nullopt;
  const auto value = [](const std::optional<std::int64_t>& number) { return static_cast<double>(number.value_or(0)); };
  return RequestLengths{.context_query_squares = value(name->context_query_squares),
                        .context_query_keys = value(name->context_query_keys),
                        .generation_query_keys = value(name->generation_query_keys),
                        .kv_tokens = value(name->context_kv_tokens) + value(name->generation_kv_tokens)};
}

class Pricer {
 public:
  Pricer(const DeviceRank& devices, WorkOrigins& origins, const machine::Device& device)
      : devices_(devices), origins_(origins), device_(device) {}

  PricedWorks price() {
    const std::size_t works = devices_.timeline.works.size();
    result_.of_work.assign(works, PricedWorks::kNoCall);
    for (std::uint32_t w = 0; w < works; ++w) {
      if (!devices_.belongs(w)) continue;
      const std::uint32_t place = call_of(w);
      if (place == PricedWorks::kNoCall) continue;
      result_.of_work[w] = place;
      PricedCall& call = result_.calls[place];
      call.time += devices_.time_of(w);
      ++call.works;
      if (call.cost && call.cost->type == DataType::fp32 && says_tf32(kernel_of(w))) {
        call.peak = DataType::tf32;
        call.on_matrix_units = true;
      }
    }
    for (PricedCall& call : result_.calls) set_roof(call);
    return std::move(result_);
  }

 private:
  std::string_view kernel_of(std::uint32_t w) const { return devices_.trace->strings.text(devices_.name_of(w)); }

  /// The place of the call that `w` is a work of; a new one if it is its first.
  std::uint32_t call_of(std::uint32_t w) {
    const WorkOrigin origin = origins_.of(w);
    if (origin.operators.empty()) return PricedWorks::kNoCall;
    const std::optional<RequestLengths> lengths = lengths_around(w);
    // The innermost that has a formula; without one, the innermost.
    std::size_t chosen = origin.operators.size() - 1;
    std::optional<OperatorCost> cost;
    for (std::size_t i = origin.operators.size(); i-- > 0 && !cost;) {
      cost = cost_of_call(origin.operators[i], lengths);
      if (cost) chosen = i;
    }
    const OperatorCall& call = origin.operators[chosen];
    const std::uint32_t launch = origins_.launches().launch_of_work[w];
    const auto [at, is_new] =
        places_.try_emplace({launch, call.number}, static_cast<std::uint32_t>(result_.calls.size()));
    if (is_new) {
      PricedCall priced{.call = call, .cost = cost, .roof = std::nullopt};
      if (cost) {
        priced.peak = cost->type;
        priced.on_matrix_units = cost->type != DataType::fp32;
      }
      result_.calls.push_back(priced);
    }
    return at->second;
  }

  /// Each distinct call is priced once; layers repeat them.
  std::optional<OperatorCost> cost_of_call(const OperatorCall& call, const std::optional<RequestLengths>& lengths) {
    if (lengths) return cost_of(call, &*lengths);
    const auto [at, is_new] = costs_.try_emplace({call.name, call.shapes, call.types, call.values});
    if (is_new) at->second = cost_of(call, nullptr);
    return at->second;
  }

  std::optional<RequestLengths> lengths_around(std::uint32_t w) {
    for (const trace::EventIndex e : origins_.annotations_around(w)) {
      const auto [at, is_new] = lengths_.try_emplace(devices_.rank->name[e]);
      if (is_new) at->second = request_lengths(*devices_.trace, devices_.trace->name(*devices_.rank, e));
      if (at->second) return at->second;
    }
    return std::nullopt;
  }

  void set_roof(PricedCall& call) const {
    if (!call.cost) return;
    const double peak = peak_of(device_, call), bandwidth = device_.memory_bytes_per_s();
    if ((call.cost->flops > 0 && peak <= 0) || bandwidth <= 0) return;
    const double compute = call.cost->flops > 0 ? call.cost->flops / peak : 0, memory = call.cost->bytes / bandwidth;
    const double ps = std::max(compute, memory) * static_cast<double>(kPsPerSecond);
    if (!(ps < static_cast<double>(trace::kMaxMomentPs))) return;
    call.roof = static_cast<TimePs>(std::ceil(ps));
    call.is_compute_bound = compute > memory;
  }

  const DeviceRank& devices_;
  WorkOrigins& origins_;
  const machine::Device& device_;
  PricedWorks result_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> places_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>,
           std::optional<OperatorCost>>
      costs_;
  std::unordered_map<StringId, std::optional<RequestLengths>> lengths_;
};

}  // namespace

double peak_of(const machine::Device& device, const PricedCall& call) {
  if (!call.on_matrix_units) return device.vector_peak_tflops[call.peak].value_or(0) * 1e12;
  return device.peak_flops(call.peak);
}

PricedWorks price_works(const DeviceRank& devices, WorkOrigins& origins, const machine::Device& device) {
  return Pricer(devices, origins, device).price();
}

}  // namespace orrery::analyze
