// One published measurement: a row of a table with the columns of docs/LLM.md, and what it says about who measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "llm/frameworks.h"
#include "llm/measurements.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/peak_rates.h"

namespace orrery::llm {

enum class Framework : std::uint8_t {
  eager,
  megatron,
  megatron_core,
  fsdp,
  paired_devices,
  nanotron,
  nemo,
};

/// "megatron_core".
std::string_view to_string(Framework framework);

/// Which framework ran where, and what was usual for fields that a row leaves out. Everything here is a fact about who
/// measured, none is fitted.
struct Source {
  Framework framework = Framework::megatron_core;
  std::string_view flavour = {};  ///< of Megatron
  std::string_view cluster = {};
  double interleave = 1;                                 ///< of pipelines, where the row names none
  bool plain_mlp = false;                                ///< models given by their shape have two matrices in the MLP
  machine::DataType precision = machine::DataType::fp8;  ///< where the row names none
  std::string_view method = "llmcompass";                ///< of measuring operators
  double sequence = 0;                                   ///< where the row names none; 0: the row has to
  double step_tokens = 0;
  double vocabulary = 0;
  std::string_view stack = {};  ///< of serving, as data/frameworks/serving_stacks.yaml calls it; empty: serving.yaml
};

/// Numbers that the row does not give are none.
struct BacktestRow {
  std::string id, dataset, phase, device, model, metric, unit, precision, notes;
  std::string source, framework, cluster;  ///< what it cites; or outright, as data/frameworks and data/clusters say
  std::optional<double> layers, hidden, heads, kv_heads, ffn, vocabulary;
  std::optional<double> sequence, output_tokens, global_batch, micro_batch, devices;
  double tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
  std::optional<double> interleave;
  int zero_stage = 0;
  bool sharded = false;
  bool sequence_parallel = false;
  Recomputation recomputation = Recomputation::none;
  MeasuredBus bus = {};
  std::optional<double> measured;
  std::optional<double> measured_peak_gib = {};

  using Number = std::optional<double> BacktestRow::*;
  [[nodiscard]] bool has(std::initializer_list<Number> numbers) const;
};

/// What one model says of a row.
struct Estimate {
  std::string kind = {};             ///< which model made it, of what: "fsdp iteration_time", "eager decode"
  std::optional<double> value = {};  ///< in the unit of the row; none: the row does not say enough
  /// Eight of ten published measurements of the kind lay between low and high, if there are enough.
  std::optional<double> low = {}, high = {};
};

/// What notes say: "release=v24.11.1; experts=8 top_k=2" of experts is "8"; empty: nothing.
std::string_view noted(std::string_view notes, std::string_view key);
/// "release=v24.11.1", or "26.06.01 pretraining", which begins with it; none: neither.
std::optional<SoftwareRelease> release_in(std::string_view notes);
/// Only adapters were trained: the word LoRA in any case.
bool says_adapters(std::string_view notes);

/// By the columns framework and cluster; else by what the row cites; else, of models that are called as eager PyTorch's
/// two styles are, that it was that. Of all others, that they ran on Megatron-Core. Never by the name of the data set,
/// which is anybody's own. The row must outlive it.
Source source_of(const BacktestRow& row);

/// A cell that should hold a number and does not is counted, and taken for empty. An Error if a column is missing
/// without which no row can be told from another: id, dataset, phase, gpu, metric, unit. A framework that is not known
/// is counted, and taken for empty.
Result<std::vector<BacktestRow>> backtest_rows(const CsvTable& table, Diagnostics& diagnostics);

}  // namespace orrery::llm
