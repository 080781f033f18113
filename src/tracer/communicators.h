// Communicators by handle, with names on which all members agree without asking one another.
//
// MPI's handles differ between ranks and are used again. But creating a communicator is collective over its parent, and
// collectives of one communicator come in the same order on all its members: "the third that was made of its parent" is
// the same everywhere, and the first member tells apart the parts of a split. world/3:4 is the part that begins with
// world rank 4 of the third communicator made of the world.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tracer/byte_buffer.h"
#include "tracer/handle_map.h"
#include "tracer/rank_list.h"

namespace orrery::tracer {

struct Communicator {
  std::uint32_t number = 0;  ///< of this rank's file, from 1
  std::string name;
  std::uint32_t parent = 0;  ///< number; 0: none
  std::uint8_t flags = 0;    ///< CommunicatorFlag
  int rank = 0;              ///< of this process
  RankList members;
  RankList remote;  ///< of an intercommunicator
  std::vector<int> dimensions, periodic;
  std::vector<std::int64_t> sources, destinations;  ///< neighbours, world ranks

  std::uint32_t made = 0;     ///< communicators made of it
  std::uint32_t windows = 0;  ///< windows made on it

  /// Those that ranks given to MPI's functions are of.
  [[nodiscard]] const RankList& peers() const { return (flags & kIsIntercommunicator) != 0 ? remote : members; }
  [[nodiscard]] std::int64_t world_rank(int rank_in_comm) const;
};

using CommunicatorPtr = std::shared_ptr<Communicator>;

/// Not thread-safe: the caller has a lock.
class Communicators {
 public:
  /// Adds those that MPI makes itself.
  void begin();
  /// One that was never seen is looked at now, and becomes one that was found. Null for MPI_COMM_NULL.
  const CommunicatorPtr& find(MPI_Comm handle);

  /// `handle` (or MPI_COMM_NULL, for a rank that is left out) came of a call that is collective over `parent`.
  void made_of(MPI_Comm parent, MPI_Comm handle);
  /// The same in two steps, for one that is there only when a request completes: the name first.
  std::string next_name(MPI_Comm parent);
  void made_later(const std::string& name, std::uint32_t parent, MPI_Comm handle);
  /// It came of a call of its members only, which `tag` tells apart from others.
  void made_by_members(MPI_Comm parent, MPI_Comm handle, int tag, const char* how);
  void forget(MPI_Comm handle);
  /// The program says what it is called; all members say the same.
  void call(MPI_Comm handle, const std::string& name);

  /// Communicators that were added since, as records; who writes them clears the list.
  std::vector<CommunicatorPtr> unwritten;

 private:
  CommunicatorPtr look_at(MPI_Comm handle);
  const CommunicatorPtr& add(MPI_Comm handle, CommunicatorPtr added, std::string name, std::uint32_t parent);

  HandleMap<CommunicatorPtr> by_handle_;
  std::map<std::string, std::uint32_t> times_;  // how often a name without a number of its own was given
  std::uint32_t count_ = 0;
  MPI_Group world_ = MPI_GROUP_NULL;
};

void encode(const Communicator& communicator, ByteBuffer& into);

}  // namespace orrery::tracer
