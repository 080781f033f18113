// How the device time of two runs differs, operator by operator.
//
// Groups of both runs go together that agree in
//   1. the outermost operator, shapes and types; where no operator is known, the kernel;
//   2. of what is left, operator and shapes: the same program in other types;
//   3. of what is left, the operator inside that launched most of it, with its shapes: one run calls aten::linear, the
//      other the aten::addmm that is inside;
//   4. of what is left, the sizes of a matrix product, whichever operator was asked for it;
//   5. of what is left, the operators that kernels of a compiler fuse: such kernels and the operators in their names,
//      as far as they hang together, are one row. Products and attention are in none: what a compiler fuses of these is
//      what stands around them.
// Every group is in exactly one row, so that the changes of all rows add up to the change of device time. What one run
// does not know of any of its work (operators, shapes, types, modules) nothing is told apart by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/diff/change_status.h"
#include "analyze/diff/run_operators.h"
#include "base/units.h"

namespace orrery::analyze {

struct OperatorChange {
  struct Side {
    std::uint64_t calls = 0;
    TimePs time = 0;
    std::vector<std::string> kernels = {};  ///< distinct, ascending
  };

  OperatorKey key;     ///< the operator is empty where none is known: the kernel of its sides is what it is
  std::string module;  ///< empty: not known, or not the same in both
  Side a, b;

  [[nodiscard]] TimePs change() const { return b.time - a.time; }
  [[nodiscard]] bool has_same_kernels() const { return a.kernels == b.kernels; }
  [[nodiscard]] ChangeStatus status() const { return change_status(a.time, a.calls, b.time, b.calls); }
};

struct OperatorChanges {
  std::vector<OperatorChange> rows;     ///< the largest change first, either way
  TimePs a = 0, b = 0;                  ///< device time of each run
  TimePs a_matched = 0, b_matched = 0;  ///< of it, what went together with something of the other run
};

/// `by_module`: calls in the same module of both runs have a row of their own. Modules that only one of the runs has
/// are one row where both have such, since that is what another version may call them. Swapping a and b changes signs.
OperatorChanges compare_operators(const OperatorGroups& a, const OperatorGroups& b, bool by_module);

}  // namespace orrery::analyze
