// The page of a run, for all that simulate: what --report writes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/stage_times.h"
#include "ask/context.h"
#include "base/result.h"
#include "machine/machine.h"
#include "page/data/report_data.h"
#include "page/page.h"
#include "page/sections/provenance_section.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::ask {

/// Before anything is read, if a page is asked for: whether this program can write pages; and that inputs are to be
/// named with their hashes.
Status prepare_run_page(Context& context, const std::optional<std::string>& output);

/// With more activities, ranks that behave alike stay one, and the page has no timeline.
inline constexpr std::uint64_t kMostDrawnActivities = 1'000'000;

struct RunOnPage {
  std::string_view verb;  ///< that made it: the title begins with it
  const workload::Workload& workload;
  const simulate::Schedule& schedule;
  std::span<const std::string> link_names;
  std::string model;
  const analyze::ScheduleReasons& reasons;
  const machine::Machine* machine = nullptr;  ///< that it ran on; null: on none
  const simulate::SummedSchedule* sums = nullptr;
  const simulate::PhaseSums* phases = nullptr;
  bool has_astra_links = false;                    ///< links are named as ASTRA-sim's: see analyze::astra_machine_use
  std::span<const std::size_t> rank_numbers = {};  ///< what ranks are called; empty: by their place
  std::string written_to = {};                     ///< where the run was written as traces; empty: nowhere
  /// What `orrery whatif` takes instead of the traces that the run was written to.
  std::optional<page::CommandParts> whatif = {};
  std::optional<analyze::StageShares> shares = {};  ///< of a forecast; see page::SimulatedRun
  std::string expected = {};                        ///< likewise
  std::optional<trace::Trace> trace = {};           ///< of the run, if it is not to be made of the schedule alone
};

/// What the page of an answer of this command comes from.
page::PageSource source_of_run(const Context& context);

/// Writes a page and says so at the end of the answer.
Status write_made_page(report::Answer& answer, const std::string& output, page::Page made);

/// Writes the page to `output` and says so at the end of the answer; nothing without an output.
Status write_run_page(report::Answer& answer, Context& context, const std::optional<std::string>& output,
                      RunOnPage run);

}  // namespace orrery::ask
