// liborrery_replay.so: the program of this process's rank, executed by MPI and recorded. See replay_plugin.h for what
// it promises.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "mpi_plugin/replay_plugin.h"
#include "mpi_plugin/replay_run.h"
#include "mpi_plugin/replay_watch.h"
#include "tracer/session.h"

namespace orrery::replay {
namespace {

constexpr int kClockRounds = 32, kClockTag = 5;

/// All communicators of the program, in the order of their numbers, so that nobody waits for one who waits elsewhere.
std::vector<MadeCommunicator> make_communicators(const OrreryReplayProgram& program) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<MadeCommunicator> made;
  for (std::uint32_t c = 0; c < program.communicator_count; ++c) {
    const OrreryReplayCommunicator& wanted = program.communicators[c];
    MadeCommunicator communicator;
    communicator.handle = MPI_COMM_WORLD;
    if (wanted.ranks != nullptr) {
      MPI_Group members = MPI_GROUP_NULL;
      PMPI_Group_incl(world, static_cast<int>(wanted.count), wanted.ranks, &members);
      PMPI_Comm_create_group(MPI_COMM_WORLD, members, static_cast<int>(wanted.number % 32768), &communicator.handle);
      PMPI_Group_free(&members);
      PMPI_Comm_set_errhandler(communicator.handle, MPI_ERRORS_RETURN);
    }
    PMPI_Comm_size(communicator.handle, &communicator.size);
    PMPI_Comm_rank(communicator.handle, &communicator.place);
    made.push_back(communicator);
  }
  PMPI_Group_free(&world);
  return made;
}

void free_communicators(const std::vector<MadeCommunicator>& made) {
  for (MadeCommunicator communicator : made) {
    if (communicator.handle != MPI_COMM_WORLD) PMPI_Comm_free(&communicator.handle);
  }
}

/// What the clock of process 0 is ahead of ours: halfway between question and answer, of the quickest exchange. 0 on
/// its own node, whose clock it is.
std::int64_t clock_offset() {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int first = rank;
  PMPI_Bcast(&first, 1, MPI_INT, 0, node);
  std::vector<int> firsts(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  long long offset = 0;
  for (int other = 1; other < ranks; ++other) {
    if (firsts[static_cast<std::size_t>(other)] != other) continue;  // one of each other node answers
    long long quickest = LLONG_MAX;
    for (int round = 0; round < kClockRounds && (rank == 0 || rank == other); ++round) {
      long long theirs = 0, before = monotonic_ns();
      if (rank == 0) {
        PMPI_Recv(&theirs, 1, MPI_LONG_LONG, other, kClockTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        theirs = monotonic_ns();
        PMPI_Send(&theirs, 1, MPI_LONG_LONG, other, kClockTag, MPI_COMM_WORLD);
        continue;
      }
      PMPI_Send(&theirs, 1, MPI_LONG_LONG, 0, kClockTag, MPI_COMM_WORLD);
      PMPI_Recv(&theirs, 1, MPI_LONG_LONG, 0, kClockTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const long long after = monotonic_ns();
      if (after - before < quickest) quickest = after - before, offset = theirs - (before + quickest / 2);
    }
  }
  PMPI_Bcast(&offset, 1, MPI_LONG_LONG, 0, node);
  PMPI_Comm_free(&node);
  return offset;
}

/// MPI's limit for tags may be lower than an int.
bool tags_fit(const OrreryReplayProgram& program) {
  int* most = nullptr;
  int has_limit = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &has_limit);
  return has_limit == 0 || std::all_of(program.operations, program.operations + program.operation_count,
                                       [&](const OrreryReplayOperation& operation) { return operation.tag <= *most; });
}

/// The others wait for this rank inside MPI: they cannot be told but by ending them.
[[noreturn]] void end_all(const std::string& sentence) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "orrery: error: rank %d: %s\n", rank, sentence.c_str());
  PMPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

int replay(const OrreryReplayProgram* program, const OrreryReplaySettings* settings, OrreryReplayResult* result) {
  int fits = tags_fit(*program) ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (fits == 0) {
    std::snprintf(result->error, sizeof result->error, "a tag is beyond the largest that this MPI knows (MPI_TAG_UB)");
    return -1;
  }
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  result->clock_offset_ns = clock_offset();
  Calls calls(*program, make_communicators(*program));
  std::vector<char> attached(static_cast<std::size_t>(program->buffered_bytes));
  if (!attached.empty()) PMPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  Arithmetic arithmetic;
  if (settings->uses_flops != 0) arithmetic.calibrate();
  result->flops_per_ns = settings->uses_flops != 0 ? arithmetic.flops_per_ns() : 0;
  Run run(*program, calls, settings->uses_flops != 0 ? &arithmetic : nullptr);
  const std::size_t numbers = 2 + 2 * std::size_t{program->operation_count};
  {
    const Watch watch(*program, *settings, run);
    std::vector<std::int64_t> unused(settings->warm_ups > 0 ? numbers : 0);
    for (std::uint32_t turn = 0; turn < settings->warm_ups + settings->repeats; ++turn) {
      const bool is_recorded = settings->trace_prefix != nullptr && turn + 1 == settings->warm_ups + settings->repeats;
      if (is_recorded) {
        if (!tracer::begin_session(settings->trace_prefix)) end_all("its recording cannot be written");
        for (std::uint32_t c = 0; c < program->communicator_count; ++c)
          tracer::name_communicator(calls.communicators()[c].handle, program->communicators[c].name);
      }
      std::int64_t* const times =
          turn < settings->warm_ups ? unused.data() : result->times + (turn - settings->warm_ups) * numbers;
      PMPI_Barrier(MPI_COMM_WORLD);
      if (!run.go(times)) end_all(run.error());
      if (is_recorded) tracer::end_session();
    }
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  if (!attached.empty()) {
    void* buffer = nullptr;
    int bytes = 0;
    PMPI_Buffer_detach(static_cast<void*>(&buffer), &bytes);
  }
  free_communicators(calls.communicators());
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return 0;
}

}  // namespace
}  // namespace orrery::replay

extern "C" __attribute__((visibility("default"))) const OrreryReplayPlugin* orrery_replay_plugin(void) {
  static const OrreryReplayPlugin plugin = {orrery::kReplayPluginVersion, orrery::replay::replay};
  return &plugin;
}
