#include "llm/kernel_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "llm/diagnostics.h"
#include "llm/eager_block.h"
#include "llm/error_summary.h"
#include "machine/kernel_standalone.h"

namespace orrery::llm {
namespace {

/// The sizes in one row: what is not there is 0, which no size is.
struct KernelSizes {
  double m = 0, n = 0, k = 0, batch = 0, heads = 0, seq = 0, dim = 0, hidden = 0;
  std::optional<machine::DataType> type = machine::DataType::bf16;  ///< none: a name that is no number format
};

struct SizeColumn {
  std::string_view name;
  double KernelSizes::*size;
};
constexpr std::array kSizeColumns = {SizeColumn{"m", &KernelSizes::m},         SizeColumn{"n", &KernelSizes::n},
                                     SizeColumn{"k", &KernelSizes::k},         SizeColumn{"batch", &KernelSizes::batch},
                                     SizeColumn{"heads", &KernelSizes::heads}, SizeColumn{"seq", &KernelSizes::seq},
                                     SizeColumn{"dim", &KernelSizes::dim},     SizeColumn{"hidden", &KernelSizes::hidden}};

double block_seconds(const machine::Device& device, const machine::BlockKernel& kernel, const KernelSizes& s, bool with_backward) {
  const BlockShape block{.style = BlockStyle::gpt,
                         .batch = s.batch,
                         .sequence = s.seq,
                         .hidden = s.hidden,
                         .ffn = 4 * s.hidden,
                         .heads = s.heads,
                         .kv_width = s.hidden};
  const double forward = kernel.factor * seconds_of(device, forward_kernels(block)).sum();
  if (!with_backward) return kernel.forward_us * 1e-6 + forward;
  return kernel.both_us * 1e-6 + forward + kernel.factor * seconds_of(device, backward_kernels(block)).sum();
}

using Price = double (*)(const machine::Device&, const KernelSizes&);

/// In which number formats a kind can be priced.
enum class Formats : std::uint8_t {
  any,      ///< bytes are copied whatever they mean
  rated,    ///< those that the device has a rate for
  two_byte  ///< those that the figures were measured in
};

/// A kind of kernel, the sizes it needs, and its price. Kinds that need figures of stand-alone kernels are asked only where the device has them.
struct PricedKind {
  std::string_view name;
  Formats formats;
  bool standalone;
  std::vector<double KernelSizes::*> needs;
  Price seconds;
};

machine::AttentionShape attention_shape(const KernelSizes& s) { return {s.batch, s.heads, s.dim, s.seq}; }

const std::vector<PricedKind>& priced_kinds() {
  using D = machine::Device;
  using S = KernelSizes;
  static const std::vector<PricedKind> kinds = {
      {"gemm",
       Formats::rated,
       false,
       {&S::m, &S::n, &S::k},
       [](const D& d, const S& s) {
         return machine::gemm_seconds(d, {.m = s.m, .n = s.n, .k = s.k, .batch = s.batch > 0 ? s.batch : 1, .type = *s.type},
                                      machine::alone(d));
       }},
      // The benchmark adds a tensor to itself: one pass in, one out.
      {"add",
       Formats::two_byte,
       true,
       {&S::m, &S::n},
       [](const D& d, const S& s) { return machine::streaming_seconds(d.standalone->add, 2 * kElementBytes * s.m * s.n); }},
      {"gelu",
       Formats::two_byte,
       true,
       {&S::m, &S::n},
       [](const D& d, const S& s) { return machine::streaming_seconds(d.standalone->gelu, 2 * kElementBytes * s.m * s.n); }},
      {"softmax",
       Formats::two_byte,
       true,
       {&S::m, &S::n},
       [](const D& d, const S& s) { return machine::softmax_seconds(d.standalone->softmax, s.m, s.n); }},
      {"layernorm",
       Formats::two_byte,
       true,
       {&S::m, &S::n},
       [](const D& d, const S& s) {
         return machine::norm_seconds(d.standalone->norm, static_cast<double>(d.compute_unit_count), s.m, s.n);
       }},
      {"rmsnorm",
       Formats::two_byte,
       true,
       {&S::m, &S::n},
       [](const D& d, const S& s) {
         return machine::norm_seconds(d.standalone->norm, static_cast<double>(d.compute_unit_count), s.m, s.n);
       }},
      // Of copies, m is the number of bytes.
      {"copy_h2d",
       Formats::any,
       true,
       {&S::m},
       [](const D& d, const S& s) { return machine::streaming_seconds(d.standalone->host_copy, s.m); }},
      {"copy_d2h",
       Formats::any,
       true,
       {&S::m},
       [](const D& d, const S& s) { return machine::streaming_seconds(d.standalone->host_copy, s.m); }},
      {"copy_d2d",
       Formats::any,
       true,
       {&S::m},
       [](const D& d, const S& s) { return machine::streaming_seconds(d.standalone->device_copy, 2 * s.m); }},
      {"sdpa_fwd",
       Formats::two_byte,
       true,
       {&S::batch, &S::heads, &S::seq, &S::dim},
       [](const D& d, const S& s) { return machine::attention_alone_seconds(d, d.standalone->attention, attention_shape(s), false); }},
      {"sdpa_fwd_bwd",
       Formats::two_byte,
       true,
       {&S::batch, &S::heads, &S::seq, &S::dim},
       [](const D& d, const S& s) { return machine::attention_alone_seconds(d, d.standalone->attention, attention_shape(s), true); }},
      {"gpt_layer_fwd",
       Formats::two_byte,
       true,
       {&S::batch, &S::heads, &S::seq, &S::hidden},
       [](const D& d, const S& s) { return block_seconds(d, d.standalone->block, s, false); }},
      {"gpt_layer_fwd_bwd",
       Formats::two_byte,
       true,
       {&S::batch, &S::heads, &S::seq, &S::hidden},
       [](const D& d, const S& s) { return block_seconds(d, d.standalone->block, s, true); }},
  };
  return kinds;
}

std::optional<machine::DataType> type_called(std::string_view name) {
  const auto& names = machine::kDataTypeNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<machine::DataType>(found - names.begin());
}

bool has_model(Formats formats, const std::optional<machine::DataType>& type, const machine::Device& device) {
  switch (formats) {
    case Formats::any: return true;
    case Formats::rated: return type && device.peak_flops(*type) > 0;
    case Formats::two_byte: break;
  }
  return type == machine::DataType::bf16 || type == machine::DataType::fp16;
}

Result<KernelSizes> sizes_of(const CsvTable& table, std::size_t row) {
  KernelSizes sizes;
  if (const auto at = table.find("dtype"); at && !table.rows[row][*at].empty()) sizes.type = type_called(table.rows[row][*at]);
  for (const SizeColumn& column : kSizeColumns) {
    const auto at = table.find(column.name);
    if (!at || table.rows[row][*at].empty()) continue;
    const std::string& text = table.rows[row][*at];
    std::int64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || stop != text.data() + text.size() || number < 1)
      return table.error_at(row, column.name, fmt::format("'{}' is no size", text), "a whole number of at least 1, or nothing");
    sizes.*column.size = static_cast<double>(number);
  }
  return sizes;
}

std::optional<double> measured(const CsvTable& table, std::size_t row) {
  const auto at = table.find("us");
  if (!at) return std::nullopt;
  const std::string& text = table.rows[row][*at];
  double number = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || stop != text.data() + text.size() || !(number > 0)) return std::nullopt;
  return number;
}

std::optional<double> price(const CsvTable& table, std::size_t row, std::string_view kind, const KernelSizes& sizes,
                            const machine::Device& device, Diagnostics& diagnostics) {
  const auto at = [&] { return fmt::format("{}: line {}: {}", table.file, table.lines[row], kind); };
  const auto& kinds = priced_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const PricedKind& one) { return one.name == kind; });
  if (found == kinds.end()) return diagnostics.add(kUnknownKernel, at), std::nullopt;
  if (found->standalone && !device.standalone) return diagnostics.add(kUnmeasuredKernel, at), std::nullopt;
  if (!has_model(found->formats, sizes.type, device)) return diagnostics.add(kKernelFormat, at), std::nullopt;
  for (const auto size : found->needs) {
    if (sizes.*size == 0) return diagnostics.add(kKernelWithoutSize, at), std::nullopt;
  }
  return found->seconds(device, sizes) * 1e6;
}

}  // namespace

Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const machine::Device& device, Diagnostics& diagnostics) {
  const auto kind = table.find("kind");
  if (!kind) return Error{"line 1: there is no column 'kind'", table.file, Error::kNoOffset, "docs/LLM.md lists the columns"};
  std::vector<KernelPrice> prices;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto sizes = sizes_of(table, row);
    if (!sizes) return sizes.error();
    const std::string& name = table.rows[row][*kind];
    prices.push_back({name, price(table, row, name, *sizes, device, diagnostics), measured(table, row)});
  }
  return prices;
}

report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices) {
  using report::Type, report::Unit;
  report::Sheet sheet("rows");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "us", .type = Type::real, .unit = Unit::us, .title = "us"})
      .add({.name = "measured", .type = Type::real, .unit = Unit::us, .title = "measured us"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true});
  for (const KernelPrice& one : prices) {
    const auto cell = [](const std::optional<double>& number) { return number ? report::Cell(*number) : report::Cell(nullptr); };
    std::optional<double> error;
    if (one.us && one.measured_us) error = error_pct(*one.us, *one.measured_us);
    sheet.add_row({one.kind, cell(one.us), cell(one.measured_us), cell(error)});
  }
  return sheet;
}

report::Sheet kernel_kind_sheet(const std::vector<KernelPrice>& prices) {
  using report::Type, report::Unit;
  std::map<std::string, std::pair<std::size_t, std::vector<double>>> kinds;
  for (const KernelPrice& one : prices) {
    auto& [rows, errors] = kinds[one.kind];
    ++rows;
    if (one.us && one.measured_us) errors.push_back(error_pct(*one.us, *one.measured_us));
  }
  report::Sheet sheet("kinds");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "mean_error", .type = Type::real, .unit = Unit::pct, .title = "mean error", .decimals = 1})
      .add({.name = "median_error", .type = Type::real, .unit = Unit::pct, .title = "median", .decimals = 1})
      .add({.name = "bias", .type = Type::real, .unit = Unit::pct, .title = "bias", .is_change = true, .decimals = 1});
  for (const auto& [kind, counted] : kinds) {
    const ErrorSummary errors = summarise_errors(counted.second);
    if (errors.rows == 0) sheet.add_row({kind, counted.first, nullptr, nullptr, nullptr});
    else sheet.add_row({kind, counted.first, errors.mean_pct, errors.median_pct, errors.bias_pct});
  }
  return sheet;
}

}  // namespace orrery::llm
