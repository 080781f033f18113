// Whose work the slowest first tokens waited for.
#pragma once

#include <string>

#include "base/result.h"
#include "base/units.h"
#include "llm/engine/serving_run.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct RequestTail {
  std::string sentence;
  TimePs from_ps = 0;      ///< the time to the first token of its fastest
  report::Sheet parts;     ///< "tail_blame": what their time to the first token went to, summed
  report::Sheet requests;  ///< "tail_requests": what each of them waited for, the slowest first
  report::Sheet others;    ///< "tail_others": whose prompts they waited for, the longest first
};

/// The requests whose time to the first token is at or above its quantile `share`. The run is run again to look at its
/// steps: time that a step spends on another's prompt is told for the requests in it (as prefill_of_others) and for
/// those that queue meanwhile.
Result<RequestTail> blame_tail(const llm::EnginePlan& plan, const llm::Requests& requests, const llm::StepCost& cost,
                               const llm::ServedRun& run, double share);

}  // namespace orrery::analyze
