// A distributed matrix product, run on a machine.
#pragma once

#include "analyze/forecast/llm_forecast.h"
#include "analyze/schedule/stage_times.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/steps/matrix_plan.h"
#include "machine/machine.h"
#include "simulate/run.h"
#include "workload/workload.h"

namespace orrery::analyze {

struct MatrixForecast {
  workload::Workload workload;
  simulate::Outcome run;
  TimePs time_ps = 0;
  StageTimes times;           ///< of one device; axes are llm::kMatrixAxisNames, in their order
  double tflops = 0;          ///< per device
  double efficiency_pct = 0;  ///< of the devices' peak rate in the format of the product
  double devices = 0;
  double peak_bytes = 0;
  double memory_bytes = 0;  ///< of a device

  [[nodiscard]] bool fits() const { return peak_bytes <= memory_bytes; }
};

struct MatrixInput {
  const llm::MatrixPlan& plan;
  const machine::Device& device;
  const machine::Machine& machine;
  const simulate::Pricing network;
  KeptOfRun kept = {};
};

/// The Error is that of the simulation.
Result<MatrixForecast> forecast_matrix(const MatrixInput& input, Diagnostics& diagnostics);

}  // namespace orrery::analyze
