// Tables of one device as they stand for another, of which only the datasheet is known.
//
// How much of them holds there was learnt from six devices, each predicted by the tables of each other one without its
// own (scripts/relative_accuracy.py). Within a generation (H100 by H200, B200 by GB200, and back) tables are better
// than formulas on every kind of kernel, and what is uncertain is what changes between the two. Between generations (26
// pairs) other kernels run, whose times the tables make worse as often as better: formulas with constants halfway to
// those that a fit begins with, and a quarter of the table, are nearest over all kinds, and intervals are what these
// pairs were off by.
#pragma once

#include <cstdint>

#include "machine/warm/kernel_tables.h"

namespace orrery::machine {

enum class Kinship : std::uint8_t {
  itself,
  same,       ///< another description of it: every rate that kernels depend on is the same
  close,      ///< the same generation and kind of memory
  refreshed,  ///< that, but the units were changed: other ratios between formats, or a generation that refreshes it
  distant     ///< any other device
};

/// `table`, of kernels measured on `relative`, for `device`, which is of that kinship to it.
KernelTable borrowed(KernelTable table, const Device& relative, const Device& device, Kinship kinship);

}  // namespace orrery::machine
