#include "llm/kernels/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/numbers.h"
#include "llm/kernels/kernel_neighbours.h"

namespace orrery::llm {
namespace {

struct SizeColumn {
  std::string_view name;
  double KernelSizes::*size;
};
using S = KernelSizes;
constexpr std::array kSizeColumns = {
    SizeColumn{"m", &S::m},
    SizeColumn{"n", &S::n},
    SizeColumn{"k", &S::k},
    SizeColumn{"batch", &S::batch},
    SizeColumn{"heads", &S::heads},
    SizeColumn{"kv_heads", &S::kv_heads},
    SizeColumn{"seq", &S::seq},
    SizeColumn{"dim", &S::dim},
    SizeColumn{"v_dim", &S::v_dim},
    SizeColumn{"hidden", &S::hidden},
    SizeColumn{"experts", &S::experts},
    SizeColumn{"top_k", &S::top_k},
    SizeColumn{"vocab", &S::vocab},
    SizeColumn{"window", &S::window},
    SizeColumn{"inter", &S::inter},
    SizeColumn{"tp", &S::tp},
};

/// Nobody timed these in any other way.
bool is_only_warm(std::string_view kind) { return kind == "moe" || kind == "mla_fwd" || kind == "mla_decode"; }

template <typename Enumerator, std::size_t Count>
std::optional<Enumerator> one_called(std::string_view name, const std::array<std::string_view, Count>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enumerator>(found - names.begin());
}

std::optional<machine::DataType> type_called(std::string_view name) {
  return one_called<machine::DataType>(name, machine::kDataTypeNames);
}

/// Takes cells out of a table whose columns are looked up once: tables of kernels are long.
class KernelCells {
 public:
  explicit KernelCells(const CsvTable& table) : table_(table) {
    for (std::size_t i = 0; i < kSizeColumns.size(); ++i) sizes_[i] = table.find(kSizeColumns[i].name);
    for (std::size_t i = 0; i < kWords.size(); ++i) words_[i] = table.find(kWords[i]);
  }

  enum Word : std::uint8_t { kind, dtype, kv_dtype, run, causal, routing, library, us, id, device };

  /// Empty where the table has no such column.
  [[nodiscard]] std::string_view word(std::size_t row, Word which) const { return at(row, words_[which]); }
  [[nodiscard]] bool has(Word which) const { return words_[which].has_value(); }

  Status take_sizes(std::size_t row, KernelSizes& sizes) const {
    for (std::size_t i = 0; i < kSizeColumns.size(); ++i) {
      const std::string_view text = at(row, sizes_[i]);
      if (text.empty()) continue;
      // Whole numbers from 1 on: anything else is a mistake of the table. A window of 0 is none.
      const std::int64_t number = parse_number<std::int64_t>(text).value_or(-1);
      const bool no_window = number == 0 && kSizeColumns[i].size == &KernelSizes::window;
      if (number < 1 && !no_window)
        return table_.error_at(row, kSizeColumns[i].name, fmt::format("'{}' is no size", text),
                               "a whole number of at least 1, or nothing");
      sizes.*kSizeColumns[i].size = static_cast<double>(number);
    }
    return {};
  }

  [[nodiscard]] Error error_at(std::size_t row, Word which, std::string_view message, std::string hint) const {
    return table_.error_at(row, kWords[which], message, std::move(hint));
  }

 private:
  static constexpr std::array<std::string_view, 10> kWords = {"kind",    "dtype",   "kv_dtype", "run", "causal",
                                                              "routing", "library", "us",       "id",  "device"};
  [[nodiscard]] std::string_view at(std::size_t row, const std::optional<std::size_t>& column) const {
    return column ? std::string_view(table_.rows[row][*column]) : std::string_view();
  }

  const CsvTable& table_;
  std::array<std::optional<std::size_t>, kSizeColumns.size()> sizes_ = {};
  std::array<std::optional<std::size_t>, kWords.size()> words_ = {};
};

void take_formats(std::string_view dtype, std::string_view kv_dtype, KernelSizes& sizes) {
  if (!dtype.empty()) {
    sizes.type = type_called(dtype);
    sizes.format = one_called<machine::WarmFormat>(dtype, machine::kWarmFormatNames);
    // Both 16-bit formats run the same kernels.
    if (sizes.type == machine::DataType::fp16) sizes.format = machine::WarmFormat::bf16;
  }
  if (!kv_dtype.empty()) sizes.cache_type = type_called(kv_dtype);
}

Status take_run(const KernelCells& cells, std::size_t row, KernelSizes& sizes) {
  constexpr std::array<std::string_view, 3> kRuns = {"alone", "step", "warm"};
  const std::string_view run = cells.word(row, KernelCells::run);
  if (run.empty()) {
    // Whoever says whose call it was, times as tables of libraries are timed; some kinds are only known that way.
    const bool only_warm = is_only_warm(cells.word(row, KernelCells::kind));
    if (only_warm || !cells.word(row, KernelCells::library).empty()) sizes.run = KernelRun::warm;
    return {};
  }
  const auto known = one_called<KernelRun>(run, kRuns);
  if (!known)
    return cells.error_at(row, KernelCells::run, fmt::format("'{}' is no way to run a kernel", run),
                          "alone, step or warm; or nothing for alone, and for warm where a library is given");
  sizes.run = *known;
  return {};
}

Status take_words(const KernelCells& cells, std::size_t row, KernelSizes& sizes) {
  take_formats(cells.word(row, KernelCells::dtype), cells.word(row, KernelCells::kv_dtype), sizes);
  if (const auto causal = cells.word(row, KernelCells::causal); !causal.empty()) {
    const bool yes = causal == "1" || causal == "true" || causal == "yes";
    if (!yes && causal != "0" && causal != "false" && causal != "no")
      return cells.error_at(row, KernelCells::causal, fmt::format("'{}' is neither yes nor no", causal),
                            "1 or 0, or nothing for 1");
    sizes.causal = yes;
  }
  if (const auto routing = cells.word(row, KernelCells::routing); !routing.empty()) {
    sizes.balanced = routing == "balanced";
    if (!sizes.balanced && !routing.starts_with("power_law"))
      return cells.error_at(row, KernelCells::routing, fmt::format("'{}' is no way to choose experts", routing),
                            "balanced, or power_law_ and its exponent");
  }
  return take_run(cells, row, sizes);
}

Result<KernelSizes> sizes_of(const KernelCells& cells, std::size_t row) {
  KernelSizes sizes;
  if (auto taken = take_words(cells, row, sizes); !taken) return taken.error();
  if (auto taken = cells.take_sizes(row, sizes); !taken) return taken.error();
  return sizes;
}

std::optional<double> measured(const KernelCells& cells, std::size_t row) {
  const auto number = parse_number<double>(cells.word(row, KernelCells::us));
  // No kernel takes no time: 0 is a cell that nobody filled in.
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

Result<std::vector<KernelRow>> kernel_rows(const CsvTable& table) {
  const KernelCells cells(table);
  if (!cells.has(KernelCells::kind))
    return Error{"line 1: there is no column 'kind'", table.file, Error::kNoOffset, "docs/LLM.md lists the columns"};
  std::vector<KernelRow> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto sizes = sizes_of(cells, row);
    if (!sizes) return sizes.error();
    const auto beside = neighbour_of(table, row);
    if (!beside) return beside.error();
    rows.push_back({.kind = std::string(cells.word(row, KernelCells::kind)),
                    .sizes = *sizes,
                    .measured_us = measured(cells, row),
                    .beside = *beside,
                    .id = std::string(cells.word(row, KernelCells::id)),
                    .device = std::string(cells.word(row, KernelCells::device)),
                    .library = std::string(cells.word(row, KernelCells::library)),
                    .place = fmt::format("{}: line {}", table.file, table.lines[row])});
  }
  return rows;
}

std::string shape_key(const KernelRow& row) {
  // Widths are fixed so that keys sort by size: neighbours in the order are neighbours in shape.
  const auto number_of = [](const auto& choice) { return choice ? static_cast<int>(*choice) : -1; };
  std::string key =
      fmt::format("{} {} {} {} {} {}", row.kind, static_cast<int>(row.sizes.run), number_of(row.sizes.type),
                  number_of(row.sizes.format), number_of(row.sizes.cache_type), static_cast<int>(row.sizes.balanced));
  for (const SizeColumn& column : kSizeColumns) key += fmt::format(" {:020.0f}", row.sizes.*column.size);
  return key + (row.sizes.causal ? "" : " full");
}

}  // namespace orrery::llm
