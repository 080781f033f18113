// A run of a serving engine as a file for Perfetto: what every replica did in every step, and what became of every
// request.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "llm/engine/requests.h"
#include "llm/engine/serving_run.h"

namespace orrery::job {

/// A process per replica, with a lane of its steps (work of the device of that number), counters of the requests that
/// wait and run and of the blocks in use as they are while a step runs, and beside them an async slice per request that
/// came to it (category "request"), from its arrival to its last token, with what it was doing nested in it: queued,
/// prefill, decode. Times are those of the run: 0 is what arrivals count from. `steps` are in the order in which they
/// began. Compressed if the name ends in .gz; complete or absent. Memory: the steps of one replica, and a few MB.
Status export_serving(const llm::Requests& requests, const llm::ServedRun& run, std::span<const llm::StepRecord> steps,
                      const std::string& path);

}  // namespace orrery::job
