// What packets of one writer refer to: texts by number, defaults, clocks. Two writers use the same numbers for
// different things.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/perfetto/clock_table.h"

namespace orrery::perfetto {

/// Values by the numbers that a writer gives them: small as a rule, and any if it likes.
class NumberTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void set(std::uint64_t number, std::uint32_t value) {
    if (number >= kDense) {
      sparse_[number] = value;
      return;
    }
    if (number >= dense_.size()) dense_.resize(number + 1, kNone);
    dense_[number] = value;
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t number) const {
    if (number < dense_.size()) return dense_[number];
    if (number < kDense) return kNone;
    const auto at = sparse_.find(number);
    return at == sparse_.end() ? kNone : at->second;
  }
  void clear() {
    dense_.clear();
    sparse_.clear();
  }

 private:
  static constexpr std::uint64_t kDense = 1u << 16;
  Column<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

/// A stage or queue of a GPU.
struct GpuSpecification {
  StringId name = 0;
  StringId category = 0;  ///< of PyTorch's profiler
};
/// The category of a stage that is not specified.
inline constexpr std::string_view kUnknownStage = "gpu_render_stage";

/// The counters of a GPU: the name of each by its number.
struct GpuCounterNames {
  std::int64_t gpu = 0;
  NumberTable names;
};

struct Sequence {
  std::uint64_t id = 0;
  bool is_lost = false;  ///< names are missing: what needs them is left out

  // Texts by number, as StringIds.
  NumberTable categories, names, keys, texts, kernels;
  std::unordered_map<std::uint64_t, GpuSpecification> specifications;
  std::unordered_map<std::uint64_t, std::int64_t> contexts;  ///< process of a context
  std::unordered_map<std::uint64_t, GpuCounterNames> counters;

  // Defaults of its packets.
  std::optional<std::uint64_t> clock;
  std::optional<std::uint64_t> track;
  std::vector<std::uint64_t> extra_tracks, extra_real_tracks;

  std::unordered_map<std::uint64_t, std::int64_t> last_reading;  ///< of incremental clocks, ns
  std::int64_t last_legacy_us = 0;
  // The last clock that was asked for, if a constant leads from it to the common one.
  std::uint64_t cached_clock = ~std::uint64_t{0};
  std::int64_t cached_offset_ns = 0;

  /// Names and defaults count no more.
  void clear_state();
  /// InternedData: adds its entries. False if it is damaged.
  bool add_names(std::string_view message, Interner& strings);
  /// TracePacketDefaults, in place of those before.
  void set_defaults(std::string_view message);
};

/// GpuCounterDescriptor: the names of counters by their numbers.
void read_counter_names(std::string_view message, Interner& strings, NumberTable& names);

/// The numbers of a repeated field, packed or one by one.
void take_numbers(const WireField& field, std::vector<std::uint64_t>& out);

}  // namespace orrery::perfetto
