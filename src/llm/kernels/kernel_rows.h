// A table of kernels: what each row asks to be priced, or says was measured.
//
// Columns are id, device, library, kind, dtype, kv_dtype, run, m, n, k, batch, heads, kv_heads, seq, dim, v_dim,
// window, hidden, inter, experts, top_k, tp, vocab, routing, causal, of which each kind needs some, us where it was
// measured, and what ran beside it (kernel_neighbours.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io/csv.h"
#include "base/result.h"
#include "machine/device/interference.h"
#include "machine/device/peak_rates.h"
#include "machine/warm/warm_kernel.h"

namespace orrery::llm {

/// How a kernel is run and timed.
enum class KernelRun : std::uint8_t {
  alone,  ///< by events, one at a time, with a cold cache: what stand-alone benchmarks do
  step,   ///< between others in a stream, as a profiler shows it
  warm    ///< over and over on the same buffers, as tables of serving engines' libraries are measured
};

/// The sizes in one row: what is not there is 0, which no size is.
struct KernelSizes {
  double m = 0, n = 0, k = 0, batch = 0, heads = 0, kv_heads = 0, seq = 0, dim = 0, v_dim = 0, hidden = 0, experts = 0,
         top_k = 0, vocab = 0, window = 0, inter = 0, tp = 0;
  bool causal = true;                                               ///< of attention
  bool balanced = true;                                             ///< of experts: tokens go to all of them alike
  std::optional<machine::DataType> type = machine::DataType::bf16;  ///< none: a name that is no number format
  /// The same of a warm kernel; none: it has no tables in that format.
  std::optional<machine::WarmFormat> format = machine::WarmFormat::bf16;
  std::optional<machine::DataType> cache_type = {};  ///< of keys and values; none: as the operands
  KernelRun run = KernelRun::alone;

  /// Of one element; only where the format is known.
  [[nodiscard]] double element_bytes() const { return machine::bytes_of(*type); }
  friend bool operator==(const KernelSizes&, const KernelSizes&) = default;
};

struct KernelRow {
  std::string kind;
  KernelSizes sizes = {};
  std::optional<double> measured_us = {};
  machine::Neighbour beside = {};                  ///< while it is timed
  std::string id = {}, device = {}, library = {};  ///< as the table has them: any text; empty: not given
  std::string place = {};                          ///< "kernels.csv: line 7"
};

/// In the order of the table. An Error about a cell that is no size names line and column.
Result<std::vector<KernelRow>> kernel_rows(const CsvTable& table);

/// A text that rows of one kind, shape and way of running have in common, and no others: what cross-validation must not
/// tear apart.
std::string shape_key(const KernelRow& row);

}  // namespace orrery::llm
