// What happens when a workload runs on a machine.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ask/context.h"
#include "ask/fields.h"
#include "ask/workloads/simulation.h"
#include "ask/workloads/simulation_inputs.h"
#include "machine/device/peak_rates.h"
#include "simulate/astra/simulation.h"

namespace orrery::ask {

/// The simulators that can be reproduced exactly.
inline constexpr std::pair<std::string_view, simulate::astra::Backend> kAstraBackendWords[] = {
    {"astra-unaware", simulate::astra::Backend::unaware},
    {"astra-aware", simulate::astra::Backend::aware},
    {"astra-aware-md", simulate::astra::Backend::aware_multi_dim}};
inline constexpr std::pair<std::string_view, machine::DataType> kRooflineWords[] = {
    {"fp64", machine::DataType::fp64}, {"fp32", machine::DataType::fp32}, {"tf32", machine::DataType::tf32},
    {"bf16", machine::DataType::bf16}, {"fp16", machine::DataType::fp16}, {"fp8", machine::DataType::fp8},
    {"int8", machine::DataType::int8}};

struct SimulateRequest {
  SimulationInputs inputs = {};
  RunRequest run = {};
  std::optional<simulate::astra::Backend> compat = {};  ///< ASTRA-sim's answer to the nanosecond; none: ours
  /// Compute times from operations, bytes and the machine's rates for this type; none: as recorded.
  std::optional<machine::DataType> roofline = {};
  /// How many times as long computing takes while an all-to-all of its rank runs; none: exchanges slow nothing down.
  std::optional<double> exchange_slowdown = {};
};
template <typename Visitor>
void fields(SimulateRequest& request, Visitor&& visit) {
  fields(request.inputs, visit);
  fields(request.run, visit);
  visit("compat", choice(request.compat, kAstraBackendWords));
  visit("roofline", choice(request.roofline, kRooflineWords));
  visit("exchange-slowdown", request.exchange_slowdown);
}

Result<report::Answer> run(const SimulateRequest& request, Context& context);

}  // namespace orrery::ask
