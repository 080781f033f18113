// Operations of a replay as calls of MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "mpi_plugin/replay_buffers.h"
#include "mpi_plugin/replay_plugin.h"

namespace orrery::replay {

/// A communicator of the program, made.
struct MadeCommunicator {
  MPI_Comm handle = MPI_COMM_NULL;
  int size = 1;
  int place = 0;  ///< of this rank
};

/// A call that was made: what it keeps until it is done.
struct Issued {
  MPI_Request request = MPI_REQUEST_NULL;  ///< null: it is done
  char* block = nullptr;                   ///< where it receives
  std::int64_t block_bytes = 0;
};

class Calls {
 public:
  Calls(const OrreryReplayProgram& program, std::vector<MadeCommunicator> communicators);

  /// Makes the call of an operation that communicates. MPI's return code; where it is not MPI_SUCCESS, or -1 for counts
  /// beyond MPI's, nothing goes on.
  int issue(std::uint32_t operation, Issued& issued);
  /// A send and its partner as one.
  int issue_pair(std::uint32_t send, Issued& issued);
  void release(Issued& issued) {
    if (issued.block != nullptr) buffers_.give_back(issued.block, issued.block_bytes);
    issued.block = nullptr;
  }
  [[nodiscard]] const std::vector<MadeCommunicator>& communicators() const { return communicators_; }

 private:
  struct Element {
    MPI_Datatype type;
    std::int64_t bytes;
  };
  /// One that divides all sizes and keeps their sum within MPI's counts, which are ints. Sums are of numbers, other
  /// things are bytes while they can be.
  static Element element_for(std::int64_t total, const std::int64_t* sizes, std::size_t count, bool adds);
  int send(const OrreryReplayOperation& operation, Issued& issued);
  int receive(const OrreryReplayOperation& operation, Issued& issued);
  int collective(const OrreryReplayOperation& operation, Issued& issued);
  /// The collectives with a count for each member.
  int with_lists(const OrreryReplayOperation& operation, const MadeCommunicator& on, Issued& issued);
  char* room(std::int64_t bytes, Issued& issued);

  const OrreryReplayProgram& program_;
  std::vector<MadeCommunicator> communicators_;
  Buffers buffers_;
  // MPI reads counts and displacements until a call that does not block is done: each operation keeps its own.
  struct Lists {
    std::vector<int> send_counts, send_places, receive_counts, receive_places;
  };
  std::deque<Lists> lists_;              // they stay where they are
  std::vector<std::uint32_t> lists_of_;  // by operation: 1 + place in lists_
};

}  // namespace orrery::replay
