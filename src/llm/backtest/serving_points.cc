#include "llm/backtest/serving_points.h"

#include <fmt/format.h>

#include <array>

#include "base/numbers.h"
#include "llm/diagnostics.h"

namespace orrery::llm {
namespace {

constexpr std::array<std::string_view, 9> kPointColumns = {"id",     "model",       "gpu",    "stack",   "precision",
                                                           "tensor", "concurrency", "prompt", "generate"};

/// A whole number of at least 1. An empty cell is `usual`, where there is such a thing.
Status take_count(const CsvTable& table, std::size_t row, std::string_view column, std::optional<double> usual,
                  double& into) {
  const std::string_view text = table.cell(row, column);
  if (text.empty() && usual) return into = *usual, Status();
  const std::int64_t number = parse_number<std::int64_t>(text).value_or(0);
  if (number < 1)
    return table.error_at(row, column, fmt::format("'{}' is no whole number of at least 1", text),
                          "counts of devices, requests and tokens");
  into = static_cast<double>(number);
  return {};
}

Status take_measured(const CsvTable& table, std::size_t row, std::string_view column, std::optional<double>& into) {
  const std::string_view text = table.cell(row, column);
  if (text.empty()) return {};
  into = parse_finite(text);
  if (!into || *into <= 0)
    return table.error_at(row, column, fmt::format("'{}' is no time", text), "milliseconds, or nothing");
  return {};
}

Status take_loop(const CsvTable& table, std::size_t row, ServingPoint& point) {
  LoopShape& loop = point.loop;
  double ignored = 1, devices = 0;
  for (const auto& [column, usual, into] :
       {std::tuple<std::string_view, std::optional<double>, double*>{"tensor", std::nullopt, &loop.tensor},
        {"data", 1, &loop.replicas},
        {"expert", 1, &ignored},  // experts lie on all devices, however they are cut
        {"devices", 0, &devices},
        {"concurrency", std::nullopt, &loop.requests},
        {"prompt", std::nullopt, &loop.prompt},
        {"generate", std::nullopt, &loop.generate}}) {
    if (Status taken = take_count(table, row, column, usual, *into); !taken) return taken;
  }
  if (devices > 0) point.devices = devices;
  if (Status taken = take_measured(table, row, "ttft_ms", point.ttft_ms); !taken) return taken;
  return take_measured(table, row, "tpot_ms", point.tpot_ms);
}

}  // namespace

bool is_serving_table(const CsvTable& table) { return table.find("stack") && table.find("concurrency"); }

Result<std::vector<ServingPoint>> serving_points(const CsvTable& table) {
  for (const std::string_view column : kPointColumns) {
    if (!table.find(column))
      return Error{fmt::format("line 1: there is no column '{}'", column), table.file, Error::kNoOffset,
                   "docs/LLM.md lists the columns of serving points"};
  }
  std::vector<ServingPoint> points;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto text = [&](std::string_view column) { return std::string(table.cell(row, column)); };
    ServingPoint point{.id = text("id"),
                       .dataset = text("dataset"),
                       .model = text("model"),
                       .device = text("gpu"),
                       .stack = text("stack"),
                       .precision = text("precision")};
    if (point.dataset.empty()) point.dataset = "serving points";
    if (Status taken = take_loop(table, row, point); !taken) return taken.error();
    points.push_back(std::move(point));
  }
  return points;
}

namespace {

/// Model hubs put an organisation before the name: "openai/gpt-oss-120b".
std::string_view without_organisation(std::string_view model) {
  const std::size_t slash = model.rfind('/');
  return slash == std::string_view::npos ? model : model.substr(slash + 1);
}

}  // namespace

std::optional<KnownPoint> known_point(const Catalog& catalog, const ServingPoint& point, Diagnostics& diagnostics) {
  const auto unknown = [&](const DiagnosticKind& kind, const std::string& word) {
    diagnostics.add(kind, [&] { return fmt::format("{}: '{}'", point.id, word); });
    return std::nullopt;
  };
  KnownPoint known{.device = find_device(catalog, point.device),
                   .model = known_architecture(catalog.architectures, without_organisation(point.model)),
                   .loop = point.loop};
  if (known.device == nullptr) return unknown(kUnknownDevice, point.device);
  if (known.model == nullptr || known.model->hybrid) return unknown(kUnknownArchitecture, point.model);
  const WeightFormat* format = weight_format_called(point.precision);
  if (format == nullptr) return unknown(kUnknownPrecision, point.precision);
  known.loop.format = *format;
  const double devices = known.loop.tensor * known.loop.replicas;
  if (point.devices && *point.devices != devices)
    return unknown(kUnevenServer, fmt::format("{} devices, tensor x data {}", *point.devices, devices));
  return known;
}

}  // namespace orrery::llm
