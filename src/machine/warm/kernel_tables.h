// What was measured on a device of one kind of kernel, distilled: constants, a table of residuals and intervals per
// number format. One small file per kind in the device's folder of tables; docs/formats/device.md has the format.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/warm/residual_table.h"
#include "machine/warm/table_accuracy.h"
#include "machine/warm/warm_kernel.h"

namespace orrery::machine {

/// On which device a table was measured that stands for another one here, and with which constants.
struct Lender {
  std::shared_ptr<const Device> device;
  WarmConstants constants;
  double apart = 0;            ///< by what logarithm kernels of both differ that no rate tells apart
  double change_in_doubt = 0;  ///< of what the rates change, the share that may not come true
};

/// One number format of one kind, as one library calls it.
struct FormatTable {
  WarmFormat format = WarmFormat::bf16;
  WarmFormat cache = WarmFormat::bf16;  ///< of keys and values
  std::string library = {};             ///< whose calls were timed, in the words of the measurements; empty: not said
  WarmConstants constants = {};
  std::vector<ResidualTable> layers = {};  ///< of residuals, which are added up
  /// What was measured: groups as group_of has them, and at which sizes, by the places of steps_of.
  std::set<std::vector<double>> groups = {};
  std::vector<std::set<double>> steps = {};
  /// Of kernels that were measured themselves, and of others; by from_us, ascending; the first from 0.
  std::vector<TimeInterval> intervals = {}, unseen_intervals = {};
  TableAccuracy accuracy = {};
  std::shared_ptr<const Lender> lender = {};  ///< of a close or refreshed relative; else null (borrowed_table.h)

  void add_measured(const WarmKernel& kernel);
  /// Of a group that was measured, at sizes that were.
  [[nodiscard]] bool was_measured(const WarmKernel& kernel) const;

  /// Of a place as coordinates_of has it.
  [[nodiscard]] double residual_at(std::span<const double> place) const;
};

struct KernelTable {
  std::string device;  ///< whose kernels were measured
  WarmKind kind = WarmKind::gemm;
  std::vector<FormatTable> formats = {};

  /// As `library` calls it, if it was measured so, else as the first one that was. Null: not measured in that format.
  [[nodiscard]] const FormatTable* find(const WarmKernel& kernel, std::string_view library = {}) const;
};

struct WarmPrice {
  double seconds = 0;
  double low_s = 0, high_s = 0;
  Bound bound = Bound::compute;
};

/// On `device`, with constants and residuals of `table`; of another device, as borrowed() has it (borrowed_table.h).
WarmPrice warm_price(const Device& device, const FormatTable& table, const WarmKernel& kernel);

/// Errors name file and line: what is damaged, or of another kind than asked for, or of another device.
Result<KernelTable> parse_kernel_table(std::string_view yaml, const std::string& file, const std::string& device,
                                       WarmKind kind);
/// As parse_kernel_table reads it.
std::string to_yaml(const KernelTable& table);
/// "gemm.yaml".
std::string table_file(WarmKind kind);

}  // namespace orrery::machine
