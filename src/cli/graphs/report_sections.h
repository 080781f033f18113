// What a report shows beyond its step: ranks, communication, and what changed since an earlier run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "causal/causal_graph.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"
#include "job/recorded_job.h"
#include "page/sections/section.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::cli {

/// #ranks and #collectives of one rank: what it alone can say.
std::vector<page::Section> sections_of_rank(const trace::Trace& trace);

/// #ranks and #collectives of a job, over the steps that all ranks have; `step`: the graph of the page's step,
/// `of_all_steps`: it is about all that were asked for.
std::vector<page::Section> sections_of_job(const Invocation& invocation, const job::RecordedJob& job,
                                           const causal::CausalGraph& step, bool of_all_steps);

/// A row per run: its step, how long that took, and what bounds it. Each for itself.
Result<report::Sheet> runs_side_by_side(const trace::Trace& runs, const causal::WindowRequest& request,
                                        Diagnostics& diagnostics);

/// The step that the page is about.
struct AnalysedStep {
  std::string label;
  TimePs length = 0;
};

/// #diff where no earlier run was given.
page::Section section_without_changes();

/// #diff against the run of --against, which is read; absent if there is none. `job`: the page's run.
Result<page::Section> section_of_changes(Invocation& invocation, const job::RecordedJob& job,
                                         const Instances& instances, const AnalysedStep& step);

}  // namespace orrery::cli
