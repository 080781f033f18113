#include "llm/backtest/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/numbers.h"
#include "llm/diagnostics.h"

// A table's columns become a row; what a table does not say (framework, cluster, interleaving, vocabulary) is known of
// the publication that a row cites. The column framework overrides that.

namespace orrery::llm {
namespace {

using machine::DataType;

/// Who measured, by a text that rows which cite it have in their column source.
struct Publication {
  std::string_view cited;
  Source source;
};

constexpr Source kNanotron = {.framework = Framework::nanotron, .cluster = "aws_p5", .precision = DataType::bf16};
/// NeMo's last container before it ran Megatron-Bridge had the version 25.07.
constexpr SoftwareRelease kFirstBridge = {.year = 25, .month = 9};

constexpr Source kMegatronLm = {.framework = Framework::megatron, .flavour = "megatron_lm_2021", .cluster = "selene"};

constexpr std::array kPublications = {
    // Our own measurements on one device.
    Publication{"eager PyTorch", {.framework = Framework::eager}},
    // Bang et al., vTrain, MICRO 2024.
    Publication{"VIA-Research/vTrain",
                {.framework = Framework::megatron, .flavour = "megatron_deepspeed_2021", .cluster = "vtrain"}},
    // Korthikanti et al., 2022.
    Publication{"arXiv:2205.05198 Table 5",
                {.framework = Framework::megatron, .flavour = "megatron_lm_2022", .cluster = "selene"}},
    // Narayanan et al., SC 2021: Table 1 has the interleaved schedule.
    Publication{
        "arXiv:2104.04473 Table 1",
        {.framework = Framework::megatron, .flavour = "megatron_lm_2021", .cluster = "selene", .interleave = 2}},
    Publication{"arXiv:2104.04473 Table 2", kMegatronLm},
    // Smith et al., 2022.
    Publication{"arXiv:2201.11990", kMegatronLm},
    // Megatron-LM's own table of weak scaling on H100: GPT models, whose MLP has two matrices.
    Publication{"NVIDIA/Megatron-LM", {.framework = Framework::megatron_core, .interleave = 2, .plain_mlp = true}},
    // Llama 3, Table 4.
    Publication{"arXiv:2407.21783", {.framework = Framework::megatron_core, .interleave = 8}},
    Publication{"NVIDIA-NeMo/Megatron-Bridge", {.framework = Framework::megatron_core}},
    Publication{"mosaicml/llm-foundry", {.framework = Framework::fsdp}},
    // Llama-2 7B; the source gives tokens per step, its scripts the rest.
    Publication{"uci_train",
                {.framework = Framework::paired_devices, .sequence = 4096, .step_tokens = 524288, .vocabulary = 32000}},
    Publication{"docs.nvidia.com/nim", {.precision = DataType::bf16, .stack = "nim"}},
    Publication{"nanotron", kNanotron},
    Publication{"ncu_metrics", {.method = "ncu"}},
};

/// As the column framework names them.
struct NamedFramework {
  std::string_view name;
  Framework framework;
  std::string_view flavour = {};
};
constexpr std::array kFrameworks = {
    NamedFramework{"pytorch_eager", Framework::eager},
    NamedFramework{"megatron_lm_2021", Framework::megatron, "megatron_lm_2021"},
    NamedFramework{"megatron_lm_2022", Framework::megatron, "megatron_lm_2022"},
    NamedFramework{"megatron_deepspeed_2021", Framework::megatron, "megatron_deepspeed_2021"},
    NamedFramework{"megatron_core", Framework::megatron_core},
    NamedFramework{"pytorch_fsdp", Framework::fsdp},
    NamedFramework{"paired_devices", Framework::paired_devices},
    NamedFramework{"nanotron", Framework::nanotron},
    NamedFramework{"nemo", Framework::nemo},
};
const NamedFramework* find_framework(std::string_view name) {
  const auto found =
      std::find_if(kFrameworks.begin(), kFrameworks.end(), [&](const NamedFramework& one) { return one.name == name; });
  return found == kFrameworks.end() ? nullptr : &*found;
}

Source cited_source(const BacktestRow& row) {
  for (const Publication& one : kPublications) {
    if (row.source.find(one.cited) != std::string::npos) return one.source;
  }
  // Eager steps are told by how their blocks are written, which no published model is called.
  if (row.model == "gpt" || row.model == "llama") return {.framework = Framework::eager};
  // Nanotron's benchmark is the one whose jobs time their own collectives beside their steps.
  if (row.bus.is_measured()) return kNanotron;
  const auto release = release_in(row.notes);
  return {.framework = release && is_since(*release, kFirstBridge) ? Framework::megatron_core : Framework::nemo};
}

}  // namespace

std::string_view to_string(Framework framework) {
  constexpr std::array<std::string_view, 7> kNames = {"eager",          "megatron", "megatron_core", "fsdp",
                                                      "paired_devices", "nanotron", "nemo"};
  return kNames[static_cast<std::size_t>(framework)];
}

std::string_view noted(std::string_view notes, std::string_view key) {
  for (std::size_t at = notes.find(key); at != std::string_view::npos; at = notes.find(key, at + 1)) {
    const std::size_t value = at + key.size();
    const bool is_word = at == 0 || notes[at - 1] == ' ' || notes[at - 1] == ';';
    if (!is_word || value >= notes.size() || notes[value] != '=') continue;
    const std::string_view rest = notes.substr(value + 1);
    return rest.substr(0, rest.find_first_of("; "));
  }
  return {};
}

std::optional<SoftwareRelease> release_in(std::string_view notes) {
  std::string_view text = noted(notes, "release");
  if (text.empty()) return parse_release(notes);
  if (text.starts_with('v')) text.remove_prefix(1);
  return parse_release(text);
}

bool says_adapters(std::string_view notes) {
  constexpr std::string_view kWord = "lora";
  return std::search(notes.begin(), notes.end(), kWord.begin(), kWord.end(),
                     [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; }) != notes.end();
}

Source source_of(const BacktestRow& row) {
  Source source = cited_source(row);
  if (const NamedFramework* named = find_framework(row.framework)) {
    source.framework = named->framework;
    source.flavour = named->flavour;
  }
  if (!row.cluster.empty()) source.cluster = row.cluster;
  return source;
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
  /// 0 or less stands for "not said", too.
  [[nodiscard]] std::optional<double> bandwidth(std::string_view column) const {
    const auto number = real(column);
    return number && *number > 0 ? number : std::nullopt;
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
                  .source = cells.text("source"),
                  .framework = cells.text("framework"),
                  .cluster = cells.text("cluster"),
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
                  .bus = {.all_reduce = cells.bandwidth("all_reduce_gb_per_s"),
                          .all_gather = cells.bandwidth("all_gather_gb_per_s"),
                          .reduce_scatter = cells.bandwidth("reduce_scatter_gb_per_s")},
                  .measured = cells.real("value")};
  if (cells.text("second_metric") == "peak_gib") row.measured_peak_gib = cells.real("second_value");
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
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    rows.push_back(row_of(RowCells(table, row, diagnostics)));
    const std::string& framework = rows.back().framework;
    if (!framework.empty() && find_framework(framework) == nullptr)
      diagnostics.add(kUnknownFramework, [&] { return fmt::format("{}: '{}'", rows.back().id, framework); });
  }
  return rows;
}

}  // namespace orrery::llm
