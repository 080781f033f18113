#include "llm/parallel_job.h"

#include <algorithm>
#include <cmath>

namespace orrery::llm {

double ParallelJob::micro_batches() const { return std::max(1.0, std::floor(global_batch / (micro_batch * data))); }

}  // namespace orrery::llm
