// get_gpu_kernels_with_user_annotations, summed: which device annotation each device row lies in.
#pragma once

#include "base/result.h"
#include "link/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// Per rank and shortened annotation, "" for none: number and time of device rows. Of the annotations on its lane that overlap a row the shortest
/// has it, and with it all rows of the same begin and end on other lanes. Fails without device annotations, or if one of these or of the device
/// rows has a negative duration.
Result<report::Sheet> kernel_annotations_sheet(const link::hta::JobRows& job);

}  // namespace orrery::analyze::hta
