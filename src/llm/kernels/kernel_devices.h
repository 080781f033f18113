// The devices that a table of kernels is about, with what each is priced by: its own figures, or those that it takes
// over from its nearest relative.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "machine/device/device.h"
#include "machine/warm/borrowed_table.h"
#include "machine/warm/kernel_tables.h"

namespace orrery::llm {

/// The tables of warm kernels that stand for a device. Files are read when somebody asks for their kind, so that a verb
/// that prices none of them does not wait for any.
class WarmTables {
 public:
  /// There are none.
  WarmTables() = default;
  /// Those of `owner`, in its folder, for `device`, which is of that kinship to it.
  WarmTables(const machine::Device& owner, const machine::Device& device, machine::Kinship kinship)
      : owner_(owner), device_(device), kinship_(kinship) {}

  /// Once per kind. A folder without that kind's file has no tables of it; the Error is that of a file that cannot be
  /// used.
  Status read(machine::WarmKind kind);
  /// Of kinds that were read. Null: not measured.
  [[nodiscard]] const machine::FormatTable* find(const machine::WarmKernel& kernel,
                                                 std::string_view library = {}) const;

  /// Whose they are; empty: there are none.
  [[nodiscard]] const std::string& owner() const { return owner_.name; }
  /// Of the device that they stand for to the owner.
  [[nodiscard]] machine::Kinship kinship() const { return kinship_; }
  [[nodiscard]] bool is_relative() const { return kinship_ != machine::Kinship::itself; }

 private:
  machine::Device owner_, device_;
  machine::Kinship kinship_ = machine::Kinship::itself;
  std::map<machine::WarmKind, machine::KernelTable> read_;
};

/// A device that every kind of kernel can be priced on, if there is anything to take figures over from. One whose
/// kernels nobody timed alone has the same shares of its own bandwidth and peak as a device of which they are known.
struct KernelDevice {
  machine::Device device;
  std::string shares_of =
      {};  ///< whose stand-alone figures were taken over just now; empty: its description has some, or there are none
  WarmTables warm = {};
};

/// Floors, shares of the peak and launches stay; bandwidths go with those of memory and host link. All parts are marked
/// as estimated.
machine::StandaloneKernels scaled_kernels(const machine::Device& from, const machine::Device& to);

/// Its own figures where it has some; else those of its nearest relative in `known` that has any (relative.h).
KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device);

/// Devices as a table names them.
class KernelDevices {
 public:
  /// `catalog` must outlive it; null: there is only `usual`, which rows mean that name none.
  KernelDevices(const Catalog* catalog, KernelDevice usual) : catalog_(catalog), usual_(std::move(usual)) {}

  /// The Error has no place: the caller knows the row.
  Result<KernelDevice*> called(const std::string& name);

 private:
  const Catalog* catalog_;
  KernelDevice usual_;
  std::map<std::string, KernelDevice> named_;
};

}  // namespace orrery::llm
