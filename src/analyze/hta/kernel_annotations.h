// get_gpu_kernels_with_user_annotations, summed: which device annotation each device row lies in.
#pragma once

#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct AnnotatedRow {
  causal::hta::RowIndex device = 0;
  causal::hta::RowIndex annotation = causal::hta::kNoRow;  ///< the row of the annotation; kNoRow: none
};
/// HTA's GPU rows in the order of the frame. Of the annotations on its lane that overlap a row the shortest has it, and
/// with it all rows of the same begin and end on other lanes. Fails if an annotation or a device row has a negative
/// duration.
Result<std::vector<AnnotatedRow>> annotated_device_rows(const causal::hta::RankRows& rank);

/// Per rank and shortened annotation, "" for none: number and time of device rows. Fails without device annotations,
/// and as above.
Result<report::Sheet> kernel_annotations_sheet(const causal::hta::JobRows& job);

}  // namespace orrery::analyze::hta
