// --report of the verbs that simulate: the page of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/stage_times.h"
#include "base/result.h"
#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"
#include "cli/frame/usage_error.h"
#include "machine/machine.h"
#include "page/data/report_data.h"
#include "simulate/phase_sums.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::cli {

Flag report_flag();
/// Before anything is read: whether this program can write pages, if one is asked for; and that inputs are to be named
/// with their hashes.
std::optional<UsageError> prepare_run_page(Invocation& invocation);

/// With more activities, ranks that behave alike stay one, and the page has no timeline.
inline constexpr std::uint64_t kMostDrawnActivities = 1'000'000;

struct RunOnPage {
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
  std::optional<page::CommandParts> whatif =
      {};  ///< what `orrery whatif` takes instead of the traces that -o FOLDER writes
  std::optional<analyze::StageShares> shares = {};  ///< of a forecast; see page::SimulatedRun
};

/// Writes the page that --report asks for and says so in text() and data(); nothing if it does not. `trace`: of the
/// run, if it is not to be made of the schedule alone.
Status write_run_page(Invocation& invocation, const RunOnPage& run, std::optional<trace::Trace> trace = {});

}  // namespace orrery::cli
