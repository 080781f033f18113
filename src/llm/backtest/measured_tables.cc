#include "llm/backtest/measured_tables.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/numbers.h"
#include "llm/backtest/serving_points.h"
#include "llm/collectives/collective_prices.h"
#include "llm/collectives/collective_rows.h"
#include "llm/diagnostics.h"
#include "llm/kernels/kernel_benchmark.h"

namespace orrery::llm {
namespace {

/// A measurement is somebody's.
Status check_devices(const CsvTable& table) {
  if (!table.find("device"))
    return Error{"line 1: there is no column 'device'", table.file, Error::kNoOffset, "docs/LLM.md lists the columns"};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.cell(row, "device").empty())
      return table.error_at(row, "device", "no device is named", "whose measurement is it?");
  }
  return {};
}

BacktestRow measured_row(std::string id, const std::string& kind, const std::string& device,
                         std::optional<double> measured) {
  BacktestRow row;
  row.id = std::move(id);
  row.dataset = fmt::format("{} on {}", kind, device);
  row.phase = "op";
  row.device = device;
  row.metric = "latency";
  row.unit = "us";
  row.measured = measured;
  return row;
}

std::string id_of(const CsvTable& table, std::size_t row) {
  return table.find("id") ? std::string(table.cell(row, "id")) : fmt::format("{}", row + 1);
}

}  // namespace

bool is_kernel_table(const CsvTable& table) { return table.find("kind").has_value() && !table.find("dataset"); }

Result<ScoredTable> score_kernels(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics) {
  if (const Status named = check_devices(table); !named) return named.error();
  // All rows name their device: the usual one is asked for nothing.
  KernelDevices devices(&catalog, {catalog.devices.front()});
  const auto prices = price_kernels(table, devices, diagnostics);
  if (!prices) return prices.error();
  ScoredTable scored;
  for (std::size_t row = 0; row < prices->size(); ++row) {
    const KernelPrice& price = (*prices)[row];
    const std::string device(table.cell(row, "device"));
    scored.rows.push_back(measured_row(id_of(table, row), price.kind, device, price.measured_us));
    Prediction& prediction = scored.predictions.emplace_back();
    static_cast<Estimate&>(prediction) = {price.kind, price.us, price.low_us, price.high_us};
    prediction.unseen_pct = price.unseen_pct;
    const bool own = price.basis.empty() || price.basis == "measured";
    prediction.rests_on = own ? "data/devices, " + device : price.basis;
  }
  return scored;
}

Result<ScoredTable> score_collectives(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics) {
  const auto rows = collective_rows(table);
  if (!rows) return rows.error();
  if (const Status named = check_devices(table); !named) return named.error();
  // All rows name their device: the usual one is asked for nothing.
  const auto prices = price_collectives(table, *rows, catalog, catalog.devices.front(), diagnostics);
  if (!prices) return prices.error();
  ScoredTable scored;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const CollectiveRow& row = (*rows)[i];
    const std::string op(machine::kNodeCollectiveNames[static_cast<std::size_t>(row.op)]);
    scored.rows.push_back(measured_row(row.id, op, row.device, row.measured_us));
    Prediction& prediction = scored.predictions.emplace_back();
    prediction.kind = op;
    if (const std::optional<CollectiveEstimate>& price = (*prices)[i]) {
      static_cast<Estimate&>(prediction) = {op, price->us, price->low_us, price->high_us};
      prediction.unseen_pct = price->unseen_pct;
      prediction.rests_on = fmt::format("collectives.yaml of {}", price->measured_on);
    }
  }
  return scored;
}

Result<ScoredTable> score_serving(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics) {
  const auto points = serving_points(table);
  if (!points) return points.error();
  const KindAccuracy& unseen = catalog.stacks.unseen;
  ScoredTable scored;
  for (const ServingPoint& point : *points) {
    BacktestRow row;
    row.id = point.id;
    row.dataset = point.dataset;
    row.phase = "infer";
    row.device = point.device;
    row.model = point.model;
    row.metric = "tpot";
    row.unit = "ms";
    row.measured = point.tpot_ms;
    scored.rows.push_back(std::move(row));
    Prediction& prediction = scored.predictions.emplace_back();
    prediction.kind = "served tpot";
    prediction.served = ServedTimes{};
    const auto known = known_point(catalog, point, diagnostics);
    if (!known) continue;
    const StackRates* rates = find_stack(catalog.stacks, point.stack, known->device->generation);
    if (rates == nullptr) {
      diagnostics.add(kUnknownStack, [&] { return fmt::format("{}: '{}'", point.id, point.stack); });
      continue;
    }
    const LoopTimes times = closed_loop(*known->device, catalog.stacks, *rates, *known->model, known->loop);
    constexpr double kMsPerSecond = 1e3;
    prediction.served->ttft_ms = times.benchmark_s * kMsPerSecond;
    prediction.value = times.token_s * kMsPerSecond;
    prediction.low = *prediction.value * unseen.low_ratio;
    prediction.high = *prediction.value * unseen.high_ratio;
    prediction.unseen_pct = unseen.unseen_pct;
    prediction.rests_on = "data/frameworks/serving_stacks.yaml";
  }
  return scored;
}

}  // namespace orrery::llm
