// Operations of a replay as calls of MPI.
#pragma once

#include <mpi.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "mpi_plugin/replay_plugin.h"

namespace orrery::replay {

// Memory of messages. What is sent is one block of zeros for all; what is received has a place of its own while it is
// under way, which is used again.

class Buffers {
 public:
  /// To be sent: MPI reads it only. As large as the largest that was asked for.
  void* sent() { return sent_.get(); }
  void reserve_sent(std::int64_t bytes) {
    if (static_cast<std::size_t>(bytes) <= sent_bytes_ && sent_ != nullptr) return;
    sent_bytes_ = static_cast<std::size_t>(bytes) + kPadding;
    sent_ = std::make_unique<char[]>(sent_bytes_);
  }

  /// Sizes are powers of two, so that what one message gave back fits the next; pages were touched, so that a run pays
  /// for none.
  char* take(std::int64_t bytes) {
    std::vector<char*>& free = free_[size_class(bytes)];
    if (!free.empty()) {
      char* const block = free.back();
      free.pop_back();
      return block;
    }
    const std::size_t size = std::size_t{1} << size_class(bytes);
    owned_.emplace_back(new char[size]);
    std::memset(owned_.back().get(), 0, size);
    return owned_.back().get();
  }
  void give_back(char* block, std::int64_t bytes) { free_[size_class(bytes)].push_back(block); }

 private:
  static constexpr std::size_t kPadding = 64;
  static std::size_t size_class(std::int64_t bytes) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes) | 63));
  }

  std::unique_ptr<char[]> sent_;
  std::size_t sent_bytes_ = 0;
  std::vector<char*> free_[64];
  std::vector<std::unique_ptr<char[]>> owned_;
};

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
