#include "analyze/forecast/matrix_forecast.h"

namespace orrery::analyze {

Result<MatrixForecast> forecast_matrix(const MatrixInput& input, Diagnostics& diagnostics) {
  const llm::MatrixPlan& plan = input.plan;
  auto workload = llm::matrix_workload(plan, input.device);
  if (!workload) return workload.error();
  MatrixForecast forecast;
  forecast.workload = std::move(*workload);
  auto run = run_planned(forecast.workload, input.machine, input.network, input.kept, diagnostics);
  if (!run) return run.error();
  forecast.run = std::move(*run);
  forecast.time_ps = forecast.run.schedule.makespan_ps();
  forecast.times = StageReader(forecast.workload, forecast.run.schedule).times(0, 0, forecast.time_ps);
  forecast.devices = plan.devices();
  const double rate = plan.flop() / (static_cast<double>(forecast.time_ps) * 1e-12) / forecast.devices;
  forecast.tflops = rate * 1e-12;
  forecast.efficiency_pct = 100 * rate / input.device.peak_flops(plan.precision);
  forecast.peak_bytes = llm::matrix_bytes(plan);
  forecast.memory_bytes = input.device.memory_bytes();
  return forecast;
}

}  // namespace orrery::analyze
