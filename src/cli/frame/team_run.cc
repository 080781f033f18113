#include "cli/frame/team_run.h"

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "ask/files/check.h"
#include "ask/files/info.h"
#include "ask/provenance.h"
#include "base/parallel.h"
#include "base/team/sweep.h"
#include "cli/frame/command_line.h"
#include "cli/frame/invocation.h"
#include "cli/frame/message.h"
#include "cli/frame/run.h"
#include "job/read/rank_answers.h"
#include "job/read/shared_reading.h"
#include "job/streamed_rank.h"
#include "replay/mpi/mpi_replay.h"

namespace orrery::cli {
namespace {

/// A launcher ends all processes as soon as one ends badly: the one that speaks has so long to do it.
constexpr std::chrono::seconds kTimeToSpeak{2};

/// The sweep of the command that all processes were given, opened by another than process 0. What is said on the way is
/// said there.
std::unique_ptr<Sweep> open_sweep(std::span<const std::string> arguments, std::span<const Verb* const> table) {
  const Console silent{.write_out = [](std::string_view) { return 0; }, .write_err = [](std::string_view) {}};
  CommandLine line = parse_command_line(arguments, table);
  if (line.error || line.verb == nullptr || line.verb->open_sweep == nullptr) return nullptr;
  line.flags["quiet"] = {""};  // no progress either
  Invocation invocation(std::move(line), silent, table);
  return invocation.verb().open_sweep(invocation);
}

std::size_t threads_asked_for(std::span<const std::string> arguments, const Console& console,
                              std::span<const Verb* const> table) {
  CommandLine line = parse_command_line(arguments, table);
  if (line.error || line.verb == nullptr) return 0;
  const Invocation invocation(std::move(line), console, table);
  return static_cast<std::size_t>(std::max<std::int64_t>(0, invocation.integer("threads")));
}

}  // namespace

int run_as_team(const LaunchedAs& launched, std::span<const std::string> arguments, const Console& console,
                std::span<const Verb* const> table) {
  const Result<std::unique_ptr<ProcessTeam>> joined = ProcessTeam::join(launched, ask::version());
  if (!joined) {
    if (launched.process != 0) {
      std::this_thread::sleep_for(kTimeToSpeak);
    } else {
      Failure failure = Failure::from(joined.error());
      failure.code = ExitCode::usage;
      console.write_err(format_failure(failure, report::Style(console.colour_err)));
    }
    return static_cast<int>(ExitCode::usage);
  }
  ProcessTeam& team = **joined;
  set_default_thread_count(team.fair_threads());
  if (team.process() != 0) {
    set_thread_count(threads_asked_for(arguments, console, table));
    const SharedTaskKind kinds[] = {
        job::rank_reading_task(),
        job::rank_streaming_task(),
        job::rank_question_task({ask::info_question(), ask::check_question()}),
        {kSweepTask, [&](std::string_view) { return make_sweep_task(open_sweep(arguments, table)); }}};
    const JointTaskKind joint_kinds[] = {replay::mpi_replay_task()};
    return team.serve(kinds, joint_kinds);
  }
  set_process_team(&team);
  const ExitCode code = run(arguments, console, table);
  set_process_team(nullptr);
  team.dismiss(static_cast<int>(code));
  return static_cast<int>(code);
}

}  // namespace orrery::cli
