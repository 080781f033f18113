// Tables of one device as they stand for another, of which only the datasheet is known.
//
// How much of them holds there was learnt from six devices, each predicted by the tables of each other one without its
// own. Within a generation (H100 by H200, B200 by GB200, and back) tables are better than formulas on every kind of
// kernel, and intervals somewhat too narrow. Between generations (26 pairs) other kernels run, whose times the tables
// make worse as often as better: formulas with constants halfway to those that a fit begins with, and a quarter of the
// table, are nearest over all kinds, and intervals are what these pairs were off by.
#pragma once

#include <cstdint>

#include "machine/warm/kernel_tables.h"

namespace orrery::machine {

enum class Kinship : std::uint8_t {
  itself,
  close,   ///< the same generation and kind of memory
  distant  ///< any other device
};

/// `table` for a device of that kinship to the one that was measured: what it says of a kernel that was not.
KernelTable borrowed(KernelTable table, Kinship kinship);

}  // namespace orrery::machine
