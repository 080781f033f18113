#include "llm/backtest/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numbers.h"
#include "llm/diagnostics.h"

namespace orrery::llm {
namespace {

using machine::DataType;

constexpr std::array kSources = {
    // Our own measurements on one device, by eager PyTorch.
    Source{.dataset = "h200_train", .framework = Framework::eager},
    Source{.dataset = "h200_prefill", .framework = Framework::eager},
    Source{.dataset = "h200_decode", .framework = Framework::eager},
    // Bang et al., vTrain, MICRO 2024.
    Source{.dataset = "vtrain_single",
           .framework = Framework::megatron,
           .flavour = "megatron_deepspeed",
           .cluster = "vtrain"},
    Source{.dataset = "vtrain_multi",
           .framework = Framework::megatron,
           .flavour = "megatron_deepspeed",
           .cluster = "vtrain"},
    // Korthikanti et al., 2022, Table 5; Narayanan et al., SC 2021, Tables 1 (interleaved schedule) and 2; Smith et
    // al., 2022.
    Source{
        .dataset = "korthikanti22_t5", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    Source{.dataset = "narayanan21_t1",
           .framework = Framework::megatron,
           .flavour = "megatron_lm",
           .cluster = "selene",
           .interleave = 2},
    Source{
        .dataset = "narayanan21_t2", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    Source{.dataset = "mtnlg530b", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    // Megatron-LM's own table of weak scaling on H100: GPT models, whose MLP has two matrices.
    Source{.dataset = "megatron_h100_weak", .framework = Framework::megatron_core, .interleave = 2, .plain_mlp = true},
    Source{.dataset = "nvidia_megatron_bridge", .framework = Framework::megatron_core},
    Source{.dataset = "llama3_t4", .framework = Framework::megatron_core, .interleave = 8},
    Source{.dataset = "mosaic_mpt", .framework = Framework::fsdp},
    // Llama-2 7B; the source gives tokens per step, its scripts the rest.
    Source{.dataset = "uci_4xA100",
           .framework = Framework::paired_devices,
           .sequence = 4096,
           .step_tokens = 524288,
           .vocabulary = 32000},
    Source{.dataset = "hf_nanotron_h100", .framework = Framework::nanotron, .precision = DataType::bf16},
    Source{.dataset = "rapid_ncu_gemm", .method = "ncu"},
    Source{.dataset = "llmcompass_ops", .method = "llmcompass"},
};
constexpr Source kUnknown = {};

}  // namespace

std::string_view to_string(Framework framework) {
  constexpr std::array<std::string_view, 6> kNames = {"eager", "megatron",       "megatron_core",
                                                      "fsdp",  "paired_devices", "nanotron"};
  return kNames[static_cast<std::size_t>(framework)];
}

const Source& source_of(std::string_view dataset) {
  for (const Source& source : kSources) {
    if (source.dataset == dataset) return source;
  }
  return kUnknown;
}

namespace {

constexpr std::array<std::string_view, 6> kRequiredColumns = {"id", "dataset", "phase", "gpu", "metric", "unit"};

/// Takes cells of one row by the names of their columns.
class RowCells {
 public:
  RowCells(const CsvTable& table, std::size_t row, Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  [[nodiscard]] std::string text(std::string_view column) const {
    const auto at = table_.find(column);
    return at ? table_.rows[row_][*at] : std::string();
  }
  [[nodiscard]] std::optional<double> real(std::string_view column) const {
    std::string cell = text(column);
    std::erase(cell, ' ');
    if (cell.empty()) return std::nullopt;
    if (const auto number = parse_finite(cell)) return number;
    diagnostics_.add(kNoNumber, [&] {
      return fmt::format("{}: line {}, column '{}': '{}'", table_.file, table_.lines[row_], column, cell);
    });
    return std::nullopt;
  }
  /// Sizes and degrees: 0 stands for "not said", as an empty cell does.
  [[nodiscard]] std::optional<double> size(std::string_view column) const {
    const auto number = real(column);
    if (!number || std::trunc(*number) < 1) return std::nullopt;
    return std::trunc(*number);
  }
  [[nodiscard]] double degree(std::string_view column) const { return size(column).value_or(1); }

 private:
  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

/// "3", "dist-opt(1)", "fsdp(2)": the stage is the digit. "fsdp" alone is a framework's own way of sharding.
void take_zero(const std::string& text, BacktestRow& row) {
  row.sharded = text.starts_with("fsdp") && text.find('(') == std::string::npos;
  const auto digit = std::find_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  row.zero_stage = row.sharded || digit == text.end() ? 0 : *digit - '0';
}

Recomputation recomputation_of(std::string_view text) {
  if (text == "full") return Recomputation::full;
  return text == "selective" ? Recomputation::selective : Recomputation::none;
}

BacktestRow row_of(const RowCells& cells) {
  BacktestRow row{.id = cells.text("id"),
                  .dataset = cells.text("dataset"),
                  .phase = cells.text("phase"),
                  .device = cells.text("gpu"),
                  .model = cells.text("model"),
                  .metric = cells.text("metric"),
                  .unit = cells.text("unit"),
                  .precision = cells.text("precision"),
                  .notes = cells.text("notes"),
                  .layers = cells.size("layers"),
                  .hidden = cells.size("hidden"),
                  .heads = cells.size("heads"),
                  .kv_heads = cells.size("kv_heads"),
                  .ffn = cells.size("ffn"),
                  .vocabulary = cells.size("vocab"),
                  .sequence = cells.size("seq"),
                  .output_tokens = cells.size("decode_len"),
                  .global_batch = cells.size("gbs"),
                  .micro_batch = cells.size("mbs"),
                  .devices = cells.size("n_gpus"),
                  .tensor = cells.degree("tp"),
                  .pipeline = cells.degree("pp"),
                  .data = cells.degree("dp"),
                  .context = cells.degree("cp"),
                  .expert = cells.degree("ep"),
                  .interleave = cells.size("vpp"),
                  .recomputation = recomputation_of(cells.text("recompute")),
                  .measured = cells.real("value")};
  take_zero(cells.text("zero"), row);
  const std::string sequence_parallel = cells.text("sp");
  row.sequence_parallel = sequence_parallel == "1" || sequence_parallel == "True" || sequence_parallel == "true";
  return row;
}

}  // namespace

bool BacktestRow::has(std::initializer_list<Number> numbers) const {
  return std::all_of(numbers.begin(), numbers.end(), [this](Number number) { return (this->*number).has_value(); });
}

Result<std::vector<BacktestRow>> backtest_rows(const CsvTable& table, Diagnostics& diagnostics) {
  for (const std::string_view column : kRequiredColumns) {
    if (!table.find(column))
      return Error{fmt::format("line 1: there is no column '{}'", column), table.file, Error::kNoOffset,
                   "docs/LLM.md lists the columns"};
  }
  std::vector<BacktestRow> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) rows.push_back(row_of(RowCells(table, row, diagnostics)));
  return rows;
}

}  // namespace orrery::llm
