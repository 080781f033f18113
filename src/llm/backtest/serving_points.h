// Measured serving points: mean times of a server that always has the same number of requests, as published sweeps of
// vLLM, SGLang and TensorRT-LLM give them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "base/result.h"
#include "llm/catalog.h"
#include "llm/serving/closed_loop.h"

namespace orrery::llm {

/// As a table says it.
struct ServingPoint {
  std::string id, dataset, model, device, stack, precision;
  std::optional<double> devices = {};                ///< of the whole server
  LoopShape loop = {};                               ///< without the format
  std::optional<double> ttft_ms = {}, tpot_ms = {};  ///< measured
};

/// A point whose device, model and precision are known; points into the catalog.
struct KnownPoint {
  const machine::Device* device = nullptr;
  const Architecture* model = nullptr;
  LoopShape loop = {};
};

/// A table with the columns stack and concurrency, which no other has.
bool is_serving_table(const CsvTable& table);

/// An Error names line and column of a cell that is no number of the kind, or the column that is missing: id, model,
/// gpu, stack, precision, tensor, concurrency, prompt, generate.
Result<std::vector<ServingPoint>> serving_points(const CsvTable& table);

/// None: counted, by the word that is not known.
std::optional<KnownPoint> known_point(const Catalog& catalog, const ServingPoint& point, Diagnostics& diagnostics);

}  // namespace orrery::llm
