// What a report shows beyond its step: ranks, communication, and what changed since an earlier run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/graphs/causal_source.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "job/recorded_job.h"
#include "page/sections/section.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::ask {

/// The window that is chosen, of one rank and of a job. `typical`: one step, where none is named.
causal::WindowRequest window_of_rank(const WindowChoice& window);
job::JobWindowRequest window_of_job(const WindowChoice& window, bool typical);

/// #ranks and #collectives of one rank: what it alone can say.
std::vector<page::Section> sections_of_rank(const trace::Trace& trace);

/// #ranks and #collectives of a job, over the steps that were asked for, or else all that all ranks have; `step`: the
/// graph of the page's step.
std::vector<page::Section> sections_of_job(const WindowChoice& window, const job::RecordedJob& job,
                                           const causal::CausalGraph& step);

/// #roofline: the operators that lose most time against `device`, of each rank. Absent if none is given.
Result<page::Section> section_of_roof(const std::optional<std::string>& device, const trace::Trace& trace);

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

/// #diff against the earlier run whose files are `against`, which is read; absent if there are none. `job`: the page's
/// run, as `graph` asks for it.
Result<page::Section> section_of_changes(Context& context, const GraphRequest& graph,
                                         const std::vector<std::string>& against, const job::RecordedJob& job,
                                         const AnalysedStep& step);

}  // namespace orrery::ask
