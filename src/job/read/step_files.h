// A planned step as files that other simulators run: an execution trace per rank, and the machine in ASTRA-sim's words.
#pragma once

#include <string>

#include "base/result.h"
#include "job/write/workload_export.h"
#include "machine/machine.h"
#include "workload/workload.h"

namespace orrery::job {

/// FOLDER/step.RANK.et, FOLDER/step.groups.json, and FOLDER/network.yml, system.json, memory.json; all of them or none.
/// The Error says which dimension ASTRA-sim has no words for. A device of the machine without a rank has nothing to do,
/// but a file.
Result<GeneratedFiles> write_step_files(const workload::Workload& workload, const machine::Machine& machine,
                                        const std::string& folder);

}  // namespace orrery::job
