// orrery replay: a workload in time, without a machine.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/replay_summary.h"
#include "analyze/replay_timeline.h"
#include "cli/replay_inputs.h"
#include "cli/replay_report.h"
#include "cli/verbs.h"
#include "simulate/replay.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kNoDuration{"R401", Severity::warning, "device work or communication without recorded times", "it takes no time"};
constexpr DiagnosticKind kNoStarts{"R402", Severity::note, "rank without recorded starts", "there is nothing to compare its replay with"};
constexpr DiagnosticKind kContradicted{"R403", Severity::warning, "dependency that the recording contradicts",
                                       "one started before the other had ended; the replay makes it wait and comes out later"};
constexpr DiagnosticKind kOnItsOwn{"R404", Severity::note, "communication that was replayed without its partners",
                                   "it takes as long as recorded, waiting included; give the files of all ranks to replay them together"};

constexpr std::size_t kDepartures = 10;

bool is_communication(workload::ActivityKind kind) {
  return kind == workload::ActivityKind::send || kind == workload::ActivityKind::recv || kind == workload::ActivityKind::collective;
}

// As Workload::describe, with the number of the rank's file.
std::string describe(const job::WorkloadInput& input, std::size_t rank, std::size_t activity) {
  const std::string text = input.workload.describe(rank, activity);
  return fmt::format("rank {}{}", input.rank_numbers[rank], text.substr(text.find(',')));
}

std::string describe(const job::WorkloadInput& input, analyze::ReplaySummary::Place place) {
  return describe(input, place.rank, place.activity);
}

void remark_on_partners(Invocation& invocation, const job::WorkloadInput& input) {
  for (std::size_t rank = 0; rank < input.workload.rank_count(); ++rank) {
    const workload::Program& program = input.workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (is_communication(program.kinds[i])) invocation.diagnostics().add(kOnItsOwn, [&] { return describe(input, rank, i); });
    }
  }
}

void remark(Invocation& invocation, const job::WorkloadInput& input, const analyze::ReplaySummary& summary) {
  Diagnostics& diagnostics = invocation.diagnostics();
  if (summary.without_duration > 0)
    diagnostics.add_many(kNoDuration, summary.without_duration, describe(input, summary.first_without_duration));
  if (summary.contradicted > 0) {
    diagnostics.add_many(
        kContradicted, summary.contradicted,
        fmt::format("{} after {}", describe(input, summary.first_contradicted_target), describe(input, summary.first_contradicted_source)));
  }
  for (std::size_t rank = 0; rank < summary.ranks.size(); ++rank) {
    if (summary.ranks[rank].recorded_ps == 0) diagnostics.add(kNoStarts, [&] { return fmt::format("rank {}", input.rank_numbers[rank]); });
  }
}

ExitCode run_replay(Invocation& invocation) {
  const Result<job::WorkloadInput> input = load_replay(invocation);
  if (!input) return invocation.fail(input.error());
  const workload::Workload& workload = input->workload;
  if (!simulate::has_durations(workload)) {
    return invocation.fail({.message = "no activity has a recorded duration: there is nothing to replay",
                            .file = invocation.operands()[0],
                            .hint = "orrery simulate computes times from sizes and a machine"});
  }
  const bool alone = invocation.has("alone") || workload.rank_count() == 1;
  Result<simulate::Schedule> schedule = simulate::replay(workload, {.rendezvous = !alone});
  if (!schedule) {
    if (!alone && schedule.error().hint.empty())
      schedule.error().hint = "--comm-group FILE lists the members of groups; --alone replays every rank on its own";
    return invocation.fail(schedule.error());
  }
  const analyze::ReplaySummary summary = analyze::summarize_replay(workload, *schedule, kDepartures);
  if (invocation.has("timeline")) {
    const Status written = analyze::export_replay(workload, *schedule, invocation.text("timeline"));
    if (!written) return invocation.fail(written.error());
  }
  remark(invocation, *input, summary);
  if (alone && !invocation.has("alone")) remark_on_partners(invocation, *input);
  report_replay(invocation, {workload, *schedule, summary, input->rank_numbers, alone});
  return ExitCode::ok;
}

}  // namespace

const Verb& replay_verb() {
  static const Verb verb = {
      .name = "replay",
      .summary = "a Chakra graph in recorded time: what its dependencies explain",
      .description =
          "Executes the graph without a machine: every node takes as long as it was recorded to take and starts as soon as what it depends "
          "on has ended. Collectives and messages wait for their partners; a single rank keeps its recorded waiting times. The residual "
          "is how much longer the replay is than the recording: what the graph does not explain.\n\n"
          "Nothing runs on hardware: et_replay of PyTorch's param does that.",
      .operands = {.name = "PREFIX|FILE...",
                   .help = "PREFIX for PREFIX.0.et, PREFIX.1.et, ..., or the files of some ranks (.et, .et.gz, .et.zst, .json)",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = {Flag{.name = "rank", .value_name = "R", .kind = ValueKind::count, .help = "this rank only, on its own"},
                Flag{.name = "alone", .help = "every rank on its own: communication takes as long as recorded"},
                Flag{.name = "comm-group",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "communicators as JSON: {\"1\": [0, 1, 2, 3]}"},
                Flag{.name = "timeline",
                     .value_name = "FILE",
                     .kind = ValueKind::output,
                     .help = "write the replay for Perfetto (FILE.json.gz): a process per rank, its threads and streams"}},
      .examples = {{"orrery replay et/step", "all ranks together: step time, busy times, exposed communication, residual"},
                   {"orrery replay et/step.3.et -v", "rank 3 on its own, and where it departs from the recording"}},
      .run = run_replay,
  };
  return verb;
}

}  // namespace orrery::cli
