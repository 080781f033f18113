// Files in which a compiler wrote down what its kernels are made of: those that a question names, or that lie beside
// the recordings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyze/capture/kernel_provenance.h"
#include "ask/context.h"
#include "trace/trace.h"

namespace orrery::ask {

/// What the files say together; null if there are none. An Error names a file that cannot be used.
Result<std::shared_ptr<const analyze::KernelProvenance>> read_provenance(Context& context,
                                                                         const std::vector<std::string>& files);

/// Per rank of the trace: `given`, or without it what lies in the folder of its recording under the names that PyTorch
/// gives such files; null: nothing does. One of these that cannot be used is remarked upon.
Result<std::vector<std::shared_ptr<const analyze::KernelProvenance>>> provenance_of_ranks(
    Context& context, const std::shared_ptr<const analyze::KernelProvenance>& given, const trace::Trace& trace);

}  // namespace orrery::ask
