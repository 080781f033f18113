// What a page says about the analysed step, of one rank or of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/path/causal_path.h"
#include "analyze/whatif/recording_cost.h"
#include "report/sheet.h"

namespace orrery::page {

/// Something that would make the step shorter.
struct Gain {
  std::string name;   ///< aten::mm
  std::string where;  ///< of a job: " of rank 3"
  std::string edit;   ///< op:"aten::mm" remove
  TimePs gain = 0;
};

/// The step as it would be if nobody had recorded it.
struct UnprofiledStep {
  bool is_known = false;                 ///< whether the recording tells what it cost
  TimePs length = 0, low = 0, high = 0;  ///< in at least 8 of 10 cases it lies between low and high
};

struct StepFacts {
  std::string label;         ///< ProfilerStep#3
  std::string why;           ///< the median of 2 steps
  std::string steps_differ;  ///< analyze::steps_differ
  TimePs begin = 0;          ///< in the trace's time
  TimePs span = 0;
  TimePs length = 0;  ///< of the longest path
  std::string verdict;
  std::string recording_clause;  ///< analyze::recording_clause, behind the verdict
  double residual_pct = 0, coverage_pct = 0, unexplained_pct = 0;
  std::vector<std::int64_t> ranks;  ///< analysed
  std::vector<std::int64_t> missing;
  std::optional<causal::ClockSource> clock;  ///< none: one rank, one clock
  TimePs band = 0;                           ///< see CausalGraph
  std::size_t cut = 0;
  std::size_t nodes = 0, edges = 0;
  std::uint32_t kinds = 0;                     ///< bit per causal::EdgeKind that has time in the graph
  report::Sheet bound_by = report::Sheet("");  ///< analyze::bound_by_sheet
  report::Sheet contributors = report::Sheet("");
  std::vector<Gain> gains;                   ///< the largest first, at most three
  std::optional<UnprofiledStep> unprofiled;  ///< none: nobody recorded the run as it is shown
};

/// `recording`: what it cost, of this graph; null: nobody recorded the run as it is shown.
StepFacts step_facts(const causal::CausalGraph& job, const analyze::CausalPath& path,
                     const analyze::RecordingCost* recording);

}  // namespace orrery::page
