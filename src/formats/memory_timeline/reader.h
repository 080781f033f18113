// Timelines that PyTorch's memory profiler exports (export_memory_timeline), plain or compressed: a list of changes
// ("raw.json"), or what each category has at each moment (any other "x.json").
//
// - [[1700000000000, 1, 4096, 0], [1700000000100, 3, -512, 4], ...]: time in ns, action, bytes, category.
// - [[1700000000, 1700000001, ...], [[0, 4096, 0, 0, 0, 0, 0, 0, 0], ...]]: times in us; a 0, and bytes by category.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::memory_timeline {

/// Parameter, optimizer state, input, temporary, activation, gradient, autograd detail, unknown.
inline constexpr std::size_t kCategories = 8;

struct Change {
  std::int64_t time_ns;   ///< negative: it was there before the recording
  std::int64_t bytes;     ///< added; negative: freed
  std::uint8_t category;  ///< below kCategories
};

/// Whether a file that begins so is one: a list of lists.
bool looks_like_timeline(std::string_view head);

/// In file order; of bytes at moments, what changed since the moment before. An Error names the first entry that is
/// none; so is a file without entries.
Result<std::vector<Change>> read_timeline(const std::string& path);

}  // namespace orrery::memory_timeline
