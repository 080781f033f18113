// What changed since an earlier run.
#pragma once

#include <string>

#include "analyze/diff/run_diff.h"
#include "page/sections/section.h"

namespace orrery::page {

struct DiffAnswer {
  const analyze::ComparedRun& before;
  const analyze::ComparedRun& after;
  const analyze::RunDiff& diff;  ///< of before and after
  /// The step that each page is about, as path has it: it may be another than the median step that is compared.
  TimePs before_step = 0, after_step = 0;
  std::string before_label, after_label;
};

Section diff_section(const DiffAnswer& answer);

}  // namespace orrery::page
