#include "replay/mpi/mpi_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/packed.h"
#include "base/team/launcher.h"
#include "report/counted.h"

// Process 0 sends every process its rank's program; each hands it to the plugin that speaks MPI, and sends back times
// on its own clock with the offset that the plugin measured. If no rank gets on, process 0 says who waits for whom.

namespace orrery::replay {
namespace {

using workload::ActivityKind;
using workload::Communicator;

// More ranks than this make no sentence.
constexpr std::size_t kNamedRanks = 8;

std::string list_ranks(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < kNamedRanks; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  if (ranks.size() > kNamedRanks) text += fmt::format(" and {} more", ranks.size() - kNamedRanks);
  return text;
}

class StallWords {
 public:
  StallWords(const ReplayPlan& plan, std::span<const OrreryReplayStall> stalls)
      : matching_(plan.matching()), job_(plan.workload()), stalls_(stalls) {}

  [[nodiscard]] std::string tell() const {
    // The first rank that waits for somebody who is not there is where the knot begins.
    for (const OrreryReplayStall& stall : stalls_) {
      for (std::uint32_t w = 0; w < stall.waiting_count; ++w) {
        const auto rank = static_cast<std::uint32_t>(stall.rank);
        const std::vector<std::uint32_t> missing = missing_in(rank, stall.waiting[w]);
        if (missing.empty()) continue;
        std::string text =
            fmt::format("{} was never reached by {}", describe(rank, stall.waiting[w]), list_ranks(missing));
        // Three of those who are missing are enough to see what they do instead.
        for (std::size_t m = 0; m < missing.size() && m < 3; ++m) text += "; " + why(missing[m]);
        return text;
      }
    }
    std::vector<std::uint32_t> silent;
    for (const OrreryReplayStall& stall : stalls_) {
      if (stall.is_known == 0) silent.push_back(static_cast<std::uint32_t>(stall.rank));
    }
    if (!silent.empty()) return list_ranks(silent) + (silent.size() == 1 ? " does not answer" : " do not answer");
    for (const OrreryReplayStall& stall : stalls_) {
      if (stall.waiting_count > 0)
        return why(static_cast<std::uint32_t>(stall.rank)) + ", which all of its sides reached";
    }
    return "all ranks are at the end of their programs";
  }

 private:
  [[nodiscard]] const OrreryReplayStall* stall_of(std::uint32_t rank) const {
    const auto at = std::find_if(stalls_.begin(), stalls_.end(), [&](const OrreryReplayStall& stall) {
      return stall.rank == static_cast<std::int32_t>(rank);
    });
    return at == stalls_.end() || at->is_known == 0 ? nullptr : &*at;
  }

  /// Whether a rank issued an activity. Lines are streams, then channels (plan_rank.cc).
  [[nodiscard]] bool has_reached(std::uint32_t rank, std::uint32_t activity) const {
    const OrreryReplayStall* const stall = stall_of(rank);
    const workload::LinePlace here = matching_.place(rank, activity);
    const bool is_collective = job_.program(rank).kinds[activity] == ActivityKind::collective;
    const std::size_t line = here.line + (is_collective ? 0 : matching_.lines(rank).streams.size());
    return stall != nullptr && line < stall->line_count && stall->line_ahead[line] > here.place;
  }

  [[nodiscard]] std::vector<std::uint32_t> missing_in(std::uint32_t rank, std::uint32_t activity) const {
    std::vector<std::uint32_t> missing;
    if (job_.program(rank).kinds[activity] == ActivityKind::collective) {
      const Communicator& communicator = matching_.communicator(rank, activity);
      const std::uint64_t place = matching_.place(rank, activity).place;
      for (const std::uint32_t member : communicator.ranks) {
        if (!has_reached(member, matching_.activity_of(communicator, member, place))) missing.push_back(member);
      }
    } else if (const auto message = matching_.message(rank, activity)) {
      const bool is_send = job_.program(rank).kinds[activity] == ActivityKind::send;
      const std::uint32_t other = is_send ? message->target : message->source;
      if (!has_reached(other, is_send ? message->recv : message->send)) missing.push_back(other);
    }
    return missing;
  }

  [[nodiscard]] std::string describe(std::uint32_t rank, std::uint32_t activity) const {
    const workload::Program& program = job_.program(rank);
    if (program.kinds[activity] == ActivityKind::collective) {
      const workload::LinePlace here = matching_.place(rank, activity);
      return fmt::format("{} number {} of {} ({}), in which rank {} waits,",
                         workload::to_string(program.collectives[activity]), here.place + 1,
                         matching_.membership().name_of(matching_.communicator(rank, activity)),
                         job_.describe(rank, activity), rank);
    }
    return fmt::format("the other side of {}", job_.describe(rank, activity));
  }

  [[nodiscard]] std::string why(std::uint32_t rank) const {
    const OrreryReplayStall* const stall = stall_of(rank);
    if (stall == nullptr) return fmt::format("rank {} does not answer", rank);
    if (stall->waiting_count == 0) return fmt::format("rank {} waits for nothing", rank);
    return fmt::format("rank {} waits in {}", rank, job_.describe(rank, stall->waiting[0]));
  }

  const workload::Matching& matching_;
  const workload::Workload& job_;
  std::span<const OrreryReplayStall> stalls_;
};

}  // namespace

std::string describe_stall(const ReplayPlan* plan, std::span<const OrreryReplayStall> stalls, double timeout_s) {
  const std::string head = fmt::format("no rank got on for {:g} s: ", timeout_s);
  if (plan != nullptr) return head + StallWords(*plan, stalls).tell();
  std::string text = head;
  for (const OrreryReplayStall& stall : stalls)
    text +=
        fmt::format("rank {} waits in {}, the first of them node number {}", stall.rank,
                    report::counted(stall.waiting_count, "operation"), stall.waiting_count > 0 ? stall.waiting[0] : 0);
  return text;
}

namespace {

constexpr const char* kPluginFile = "liborrery_replay.so";
constexpr TimePs kPsPerNs = 1000;
constexpr int kStalledExitCode = 3;

const OrreryReplayPlugin* find_plugin(std::string& why) {
  const auto entry = reinterpret_cast<OrreryReplayPluginEntry>(
      load_plugin(kPluginFile, "ORRERY_REPLAY_PLUGIN", kReplayPluginEntry, false, why));
  const OrreryReplayPlugin* const plugin = entry == nullptr ? nullptr : entry();
  // A plugin of another build would read the structures wrongly.
  if (plugin != nullptr && plugin->version != kReplayPluginVersion) {
    why = std::string(kPluginFile) + " is no plugin of this version";
    return nullptr;
  }
  return plugin;
}

/// What a rank says back: why it did not work (empty: it did), its clock, its speed, its times.
std::string answer(const std::string& error, const OrreryReplayResult& result, std::span<const std::int64_t> times) {
  PackedWriter writer;
  writer.text(error).integer(result.clock_offset_ns).real(result.flops_per_ns);
  return writer.text({reinterpret_cast<const char*>(times.data()), times.size_bytes()}).take();
}

/// Of process 0: who knows all ranks.
struct Listener {
  ProcessTeam* team = nullptr;
  const ReplayPlan* plan = nullptr;
  double timeout_s = 0;
};

void say_stall(void* context, const OrreryReplayStall* stalls, std::uint32_t count) {
  const auto& listener = *static_cast<const Listener*>(context);
  listener.team->stop(describe_stall(listener.plan, {stalls, count}, listener.timeout_s), kStalledExitCode);
}

/// `about`: settings and the program of this process's rank.
std::string run_here(ProcessTeam& team, const ReplayPlan* plan, std::string_view about) {
  PackedReader reader(about);
  OrreryReplaySettings settings{};
  settings.warm_ups = static_cast<std::uint32_t>(reader.number());
  settings.repeats = static_cast<std::uint32_t>(reader.number());
  settings.uses_flops = static_cast<std::uint32_t>(reader.number());
  settings.timeout_s = reader.real();
  const std::string prefix(reader.text());
  settings.trace_prefix = prefix.empty() ? nullptr : prefix.c_str();
  settings.on_stall = say_stall;
  Listener listener{&team, plan, settings.timeout_s};
  settings.context = &listener;
  const RankProgram program = RankProgram::unpack(reader.text());
  OrreryReplayResult result{};
  std::string why;
  const OrreryReplayPlugin* const plugin = find_plugin(why);
  if (plugin == nullptr) {
    // The others may have found theirs, and wait.
    if (team.processes() > 1) team.stop("what replays by MPI cannot be loaded: " + why, 2);
    return answer("what replays by MPI cannot be loaded: " + why, result, {});
  }
  std::vector<OrreryReplayCommunicator> communicators;
  const OrreryReplayProgram view = program.view(communicators);
  // Per repeat the begin and the end of the run, then two moments of every operation.
  std::vector<std::int64_t> times(settings.repeats * (2 + 2 * program.operations.size()));
  result.times = times.data();
  if (plugin->replay(&view, &settings, &result) != 0) return answer(result.error, result, {});
  return answer({}, result, times);
}

}  // namespace

JointTaskKind mpi_replay_task() {
  return {"replay by MPI", [](ProcessTeam& team, std::string_view about) { return run_here(team, nullptr, about); }};
}

Result<MeasuredRun> replay_on_team(ProcessTeam& team, const ReplayPlan& plan, const MpiReplayOptions& options) {
  const JointTaskKind here{mpi_replay_task().name,
                           [&](ProcessTeam& all, std::string_view about) { return run_here(all, &plan, about); }};
  const std::vector<std::string> answers = team.together(here, [&](int process) {
    PackedWriter about;
    about.number(options.warm_ups).number(options.repeats).number(options.uses_flops ? 1 : 0).real(options.timeout_s);
    return about.text(options.trace_prefix).text(plan.program(static_cast<std::uint32_t>(process)).pack()).take();
  });
  std::vector<std::vector<std::int64_t>> times;
  double slowest = 0;
  for (const std::string& bytes : answers) {
    PackedReader reader(bytes);
    if (const std::string_view error = reader.text(); !error.empty() || !reader.ok())
      return Error{.message = error.empty() ? "a process did not know what to replay" : std::string(error)};
    const std::int64_t offset = reader.integer();
    const double speed = reader.real();
    // The job is as fast as its slowest rank, so that is the speed to tell.
    slowest = times.empty() ? speed : std::min(slowest, speed);
    const std::string_view measured = reader.text();
    std::vector<std::int64_t>& own = times.emplace_back(measured.size() / sizeof(std::int64_t));
    if (!own.empty()) std::memcpy(own.data(), measured.data(), measured.size());
    // Onto the clock that the ranks agreed on, so that moments of different ranks may be compared.
    for (std::int64_t& time : own) time += offset;
  }
  return MeasuredRun(options.repeats, std::move(times), slowest);
}

std::int64_t MeasuredRun::begin_ns(std::uint32_t repeat) const {
  std::int64_t first = INT64_MAX;
  // Each rank has as many numbers per repeat, the first two of which are the run's.
  for (const std::vector<std::int64_t>& rank : times_) first = std::min(first, rank[repeat * (rank.size() / repeats_)]);
  return first;
}

TimePs MeasuredRun::makespan_ps(std::uint32_t repeat) const {
  std::int64_t last = INT64_MIN;
  for (const std::vector<std::int64_t>& rank : times_)
    last = std::max(last, rank[repeat * (rank.size() / repeats_) + 1]);
  return (last - begin_ns(repeat)) * kPsPerNs;
}

simulate::Schedule MeasuredRun::schedule(const workload::Workload& workload, std::uint32_t repeat) const {
  simulate::Schedule schedule(workload.first_activities().back(), 0);
  const std::int64_t begin = begin_ns(repeat);
  std::size_t activity = 0;
  for (const std::vector<std::int64_t>& rank : times_) {
    const std::size_t numbers = rank.size() / repeats_;
    for (std::size_t at = repeat * numbers + 2; at < (repeat + 1) * numbers; at += 2, ++activity) {
      // Clocks of two nodes agree to some microseconds only: nothing begins before the run, nor ends before it began.
      schedule.start_ps[activity] = std::max<std::int64_t>(0, rank[at] - begin) * kPsPerNs;
      schedule.end_ps[activity] = std::max(schedule.start_ps[activity], (rank[at + 1] - begin) * kPsPerNs);
    }
  }
  return schedule;
}

}  // namespace orrery::replay
