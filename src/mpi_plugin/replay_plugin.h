// What the plugin that replays (src/mpi_plugin/replay*.cc, liborrery_replay.so) is given and gives back: the program of
// one rank as plain arrays, and when each of its operations began and ended. The engine itself knows no MPI.
//
// It is a library of its own, with the tracer inside: its calls of MPI_... are bound to the tracer's when it is linked,
// whatever is loaded before it, so that they are recorded without a preloaded library, and those of the other plugin
// (messages between processes) never are.
#pragma once

#include <cstdint>

extern "C" {

/// What an operation does.
enum OrreryReplayKind : std::uint8_t { kReplayNothing, kReplayCompute, kReplaySend, kReplayReceive, kReplayCollective };
/// Collectives, as workload::Collective numbers them.
enum OrreryReplayCollective : std::uint8_t {
  kReplayAllReduce,
  kReplayReduce,
  kReplayAllGather,
  kReplayGather,
  kReplayScatter,
  kReplayBroadcast,
  kReplayAllToAll,
  kReplayReduceScatter,
  kReplayBarrier
};
/// How it is called: bits. None: the function that does not block.
enum OrreryReplayCall : std::uint8_t {
  kReplayBlocking = 1,  ///< MPI_Send and not MPI_Isend
  kReplayLists = 2,     ///< of a collective: the function with a count for each member
  kReplayBuffered = 4,  ///< of a send: MPI_Bsend, MPI_Ssend, MPI_Rsend
  kReplaySynchronous = 8,
  kReplayReady = 16,
  kReplayReplace = 32  ///< of a send with a partner: MPI_Sendrecv_replace
};

inline constexpr std::uint32_t kReplayNone = ~std::uint32_t{0};
inline constexpr std::uint32_t kReplaySlotKinds = 3;

struct OrreryReplayOperation {
  OrreryReplayKind kind = kReplayNothing;
  OrreryReplayCollective collective = kReplayAllReduce;
  std::uint8_t call = 0;                 ///< OrreryReplayCall
  std::uint8_t slot = kReplaySlotKinds;  ///< of what needs a slot: which kind; else kReplaySlotKinds
  std::int32_t peer =
      0;  ///< of a message: rank, -1 for any; of a rooted collective: the root's place in the communicator
  std::int32_t tag = 0;            ///< -1: any
  std::uint32_t communicator = 0;  ///< of communication: into OrreryReplayProgram::communicators
  std::int64_t bytes = 0;          ///< of a receive: room; of a collective: as workload::Program::bytes counts
  std::int64_t duration_ns = 0;    ///< of a computation
  std::uint32_t dependencies = 0;  ///< how many operations it waits for
  std::uint32_t first_successor =
      0;  ///< into successors: those that wait for its end, then those that wait for its start
  std::uint32_t successors = 0;
  std::uint32_t started_successors = 0;
  std::uint32_t line = kReplayNone;  ///< communication of one line is issued in the order of its places
  std::uint32_t place = 0;
  std::uint32_t first_part =
      kReplayNone;  ///< into parts: bytes per member; of all_to_all what goes to each, then what comes from each
  std::uint32_t partner = kReplayNone;  ///< of a send: the receive that MPI_Sendrecv does with it
};

struct OrreryReplayCommunicator {
  const char* name;           ///< in the recording; unique
  const std::int32_t* ranks;  ///< members by place; null: all ranks, MPI_COMM_WORLD itself
  std::uint32_t count;
  std::uint32_t number;  ///< the same on all members; ascending, communicators are made in this order
};

struct OrreryReplayProgram {
  const OrreryReplayOperation* operations;
  std::uint32_t operation_count;
  const std::uint32_t* successors;
  const std::int64_t* parts;
  const std::uint32_t* line_operations;  ///< operations of all lines, line by line
  const std::uint32_t* line_begins;      ///< line_count + 1
  std::uint32_t line_count;
  const OrreryReplayCommunicator* communicators;  ///< those that this rank is a member of
  std::uint32_t communicator_count;
  std::uint32_t slots[kReplaySlotKinds];
  std::int64_t buffered_bytes;  ///< of all that MPI_Bsend sends, with what MPI adds
};

/// A rank that does not get on.
struct OrreryReplayStall {
  std::int32_t rank;
  std::uint32_t is_known;        ///< 0: it does not answer
  const std::uint32_t* waiting;  ///< operations that were issued and have not ended; ascending, some if there are many
  std::uint32_t waiting_count;   ///< 0: it is at the end of its program
  const std::uint32_t* line_ahead;  ///< by line: how many of its operations were issued
  std::uint32_t line_count;
};

struct OrreryReplaySettings {
  std::uint32_t warm_ups;  ///< runs before those that count
  std::uint32_t repeats;
  std::uint32_t uses_flops;  ///< computation is arithmetic, not looking at the clock
  double timeout_s;          ///< without progress on any rank
  const char* trace_prefix;  ///< of the recording of the last run; null: none
  /// Called once, by a thread of its own, and must end the process. On process 0 with all ranks; where MPI lets no
  /// second thread in, on each with itself.
  void (*on_stall)(void* context, const OrreryReplayStall* stalls, std::uint32_t count);
  void* context;
};

/// Of each repetition 2 + 2 x operations numbers, nanoseconds of the monotonic clock: begin and end of all, then start
/// and end of each operation.
struct OrreryReplayResult {
  std::int64_t* times;
  std::int64_t clock_offset_ns;  ///< what added to these times gives those of process 0
  double flops_per_ns;           ///< of the arithmetic, where it is used
  char error[512];               ///< why it did not work
};

struct OrreryReplayPlugin {
  std::uint32_t version;  ///< kReplayPluginVersion
  /// Collective over all processes, after MPI was started. 0, or -1 with `error`.
  int (*replay)(const OrreryReplayProgram* program, const OrreryReplaySettings* settings, OrreryReplayResult* result);
};

using OrreryReplayPluginEntry = const OrreryReplayPlugin* (*)();
}

namespace orrery {
inline constexpr std::uint32_t kReplayPluginVersion = 1;
inline constexpr const char* kReplayPluginEntry = "orrery_replay_plugin";
}  // namespace orrery
