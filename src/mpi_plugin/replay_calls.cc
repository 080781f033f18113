#include "mpi_plugin/replay_calls.h"

#include <algorithm>
#include <climits>
#include <numeric>

// What is sent comes out of one buffer that all share, since its content means nothing; what is received gets room of
// its own while it is under way. Sizes become counts of the smallest element with which they fit an int, and lists of
// counts are made once per operation.

namespace orrery::replay {
namespace {

constexpr std::int64_t kMostCount = INT_MAX;

// The function that blocks, or the other one, which has a request more.
#define ORRERY_EITHER(blocking, immediate, ...) \
  ((operation.call & kReplayBlocking) != 0 ? blocking(__VA_ARGS__) : immediate(__VA_ARGS__, &issued.request))

std::int64_t sent_bytes(const OrreryReplayProgram& program, const OrreryReplayOperation& operation, int members) {
  if (operation.kind != kReplaySend && operation.kind != kReplayCollective) return 0;
  if (operation.kind == kReplayCollective && operation.first_part != kReplayNone) {
    const std::int64_t* const parts = program.parts + operation.first_part;
    // Whichever is more: what the operation says, or its parts.
    return std::max(operation.bytes, std::accumulate(parts, parts + members, std::int64_t{0}));
  }
  return operation.bytes;
}

}  // namespace

Calls::Calls(const OrreryReplayProgram& program, std::vector<MadeCommunicator> communicators)
    : program_(program), communicators_(std::move(communicators)), lists_of_(program.operation_count) {
  std::int64_t most = 0;
  for (std::uint32_t i = 0; i < program.operation_count; ++i) {
    const OrreryReplayOperation& operation = program.operations[i];
    if (operation.kind != kReplaySend && operation.kind != kReplayCollective) continue;
    most = std::max(most, sent_bytes(program, operation, communicators_[operation.communicator].size));
  }
  buffers_.reserve_sent(most);
}

Calls::Element Calls::element_for(std::int64_t total, const std::int64_t* sizes, std::size_t count, bool adds) {
  const auto fits = [&](std::int64_t bytes) {
    // Counts of MPI are ints, so that large sizes need larger elements.
    return total / bytes <= kMostCount &&
           std::all_of(sizes, sizes + count, [&](std::int64_t size) { return size % bytes == 0; });
  };
  // Sums of floats, as most programs have them, where the size allows it.
  if (adds && fits(4)) return {MPI_FLOAT, 4};
  if (fits(1)) return {adds ? MPI_UINT8_T : MPI_BYTE, 1};
  if (fits(4)) return {MPI_FLOAT, 4};
  if (fits(8)) return {MPI_DOUBLE, 8};
  if (fits(16)) return {MPI_C_DOUBLE_COMPLEX, 16};
  return {MPI_DATATYPE_NULL, 0};
}

char* Calls::room(std::int64_t bytes, Issued& issued) {
  issued.block = buffers_.take(bytes);
  issued.block_bytes = bytes;
  return issued.block;
}

// Its caller waits for what was issued, which clang's analyser does not see.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
int Calls::issue(std::uint32_t i, Issued& issued) {
  const OrreryReplayOperation& operation = program_.operations[i];
  if (operation.kind == kReplaySend) return send(operation, issued);
  if (operation.kind == kReplayReceive) return receive(operation, issued);
  return collective(operation, issued);
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

int Calls::send(const OrreryReplayOperation& operation, Issued& issued) {
  const Element element = element_for(operation.bytes, &operation.bytes, 1, false);
  if (element.bytes == 0) return -1;
  const int count = static_cast<int>(operation.bytes / element.bytes);
  const MPI_Comm comm = communicators_[operation.communicator].handle;
  void* const sent = buffers_.sent();
  // Modes of sending as recorded: each waits for something else.
  if ((operation.call & kReplayBuffered) != 0)
    return ORRERY_EITHER(MPI_Bsend, MPI_Ibsend, sent, count, element.type, operation.peer, operation.tag, comm);
  if ((operation.call & kReplaySynchronous) != 0)
    return ORRERY_EITHER(MPI_Ssend, MPI_Issend, sent, count, element.type, operation.peer, operation.tag, comm);
  if ((operation.call & kReplayReady) != 0)
    return ORRERY_EITHER(MPI_Rsend, MPI_Irsend, sent, count, element.type, operation.peer, operation.tag, comm);
  return ORRERY_EITHER(MPI_Send, MPI_Isend, sent, count, element.type, operation.peer, operation.tag, comm);
}

int Calls::receive(const OrreryReplayOperation& operation, Issued& issued) {
  const Element element = element_for(operation.bytes, &operation.bytes, 1, false);
  if (element.bytes == 0) return -1;
  const int count = static_cast<int>(operation.bytes / element.bytes);
  const MPI_Comm comm = communicators_[operation.communicator].handle;
  const int source = operation.peer < 0 ? MPI_ANY_SOURCE : operation.peer,
            tag = operation.tag < 0 ? MPI_ANY_TAG : operation.tag;
  char* const block = room(operation.bytes, issued);
  if ((operation.call & kReplayBlocking) != 0)
    return MPI_Recv(block, count, element.type, source, tag, comm, MPI_STATUS_IGNORE);
  return MPI_Irecv(block, count, element.type, source, tag, comm, &issued.request);
}

int Calls::issue_pair(std::uint32_t i, Issued& issued) {
  const OrreryReplayOperation& send = program_.operations[i];
  const OrreryReplayOperation& receive = program_.operations[send.partner];
  const Element sent = element_for(send.bytes, &send.bytes, 1, false),
                received = element_for(receive.bytes, &receive.bytes, 1, false);
  if (sent.bytes == 0 || received.bytes == 0) return -1;
  const int count = static_cast<int>(send.bytes / sent.bytes);
  const MPI_Comm comm = communicators_[send.communicator].handle;
  const int source = receive.peer < 0 ? MPI_ANY_SOURCE : receive.peer,
            tag = receive.tag < 0 ? MPI_ANY_TAG : receive.tag;
  char* const block = room(std::max(send.bytes, receive.bytes), issued);
  // Replacing needs one size both ways.
  if ((send.call & kReplayReplace) != 0 && send.bytes == receive.bytes)
    return MPI_Sendrecv_replace(block, count, sent.type, send.peer, send.tag, source, tag, comm, MPI_STATUS_IGNORE);
  return MPI_Sendrecv(buffers_.sent(), count, sent.type, send.peer, send.tag, block,
                      static_cast<int>(receive.bytes / received.bytes), received.type, source, tag, comm,
                      MPI_STATUS_IGNORE);
}

int Calls::collective(const OrreryReplayOperation& operation, Issued& issued) {
  const MadeCommunicator& on = communicators_[operation.communicator];
  if (operation.collective == kReplayBarrier) return ORRERY_EITHER(MPI_Barrier, MPI_Ibarrier, on.handle);
  if (operation.first_part != kReplayNone) return with_lists(operation, on, issued);
  const bool adds = operation.collective == kReplayAllReduce || operation.collective == kReplayReduce ||
                    operation.collective == kReplayReduceScatter;
  const bool is_split = operation.collective == kReplayScatter || operation.collective == kReplayAllToAll ||
                        operation.collective == kReplayReduceScatter;
  // Bytes of these are of all parts, and MPI counts one.
  const std::int64_t share = is_split ? operation.bytes / on.size : operation.bytes;
  const Element element = element_for(share, &share, 1, adds);
  if (element.bytes == 0) return -1;
  const int count = static_cast<int>(share / element.bytes), root = operation.peer;
  void* const sent = buffers_.sent();
  const MPI_Comm comm = on.handle;
  const bool is_root = on.place == root;
  switch (operation.collective) {
    case kReplayAllReduce:
      return ORRERY_EITHER(MPI_Allreduce, MPI_Iallreduce, sent, room(share, issued), count, element.type, MPI_SUM,
                           comm);
    case kReplayReduce:
      // Only the root gets anything, and others need no room.
      return ORRERY_EITHER(MPI_Reduce, MPI_Ireduce, sent, is_root ? room(share, issued) : nullptr, count, element.type,
                           MPI_SUM, root, comm);
    case kReplayAllGather:
      return ORRERY_EITHER(MPI_Allgather, MPI_Iallgather, sent, count, element.type, room(share * on.size, issued),
                           count, element.type, comm);
    case kReplayGather:
      return ORRERY_EITHER(MPI_Gather, MPI_Igather, sent, count, element.type,
                           is_root ? room(share * on.size, issued) : nullptr, count, element.type, root, comm);
    case kReplayScatter:
      return ORRERY_EITHER(MPI_Scatter, MPI_Iscatter, sent, count, element.type, room(share, issued), count,
                           element.type, root, comm);
    case kReplayBroadcast:
      return ORRERY_EITHER(MPI_Bcast, MPI_Ibcast, is_root ? sent : room(share, issued), count, element.type, root,
                           comm);
    case kReplayAllToAll:
      return ORRERY_EITHER(MPI_Alltoall, MPI_Ialltoall, sent, count, element.type, room(share * on.size, issued), count,
                           element.type, comm);
    case kReplayReduceScatter:
      return ORRERY_EITHER(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, sent, room(share, issued), count,
                           element.type, MPI_SUM, comm);
    case kReplayBarrier: break;
  }
  return -1;
}

int Calls::with_lists(const OrreryReplayOperation& operation, const MadeCommunicator& on, Issued& issued) {
  const auto n = static_cast<std::size_t>(on.size);
  const bool exchanges = operation.collective == kReplayAllToAll, adds = operation.collective == kReplayReduceScatter;
  const std::int64_t* const sent_parts = program_.parts + operation.first_part;
  const std::int64_t* const received_parts = exchanges ? sent_parts + n : sent_parts;
  const std::int64_t total = std::max(std::accumulate(sent_parts, sent_parts + n, std::int64_t{0}),
                                      std::accumulate(received_parts, received_parts + n, std::int64_t{0}));
  const Element element = element_for(total, sent_parts, exchanges ? 2 * n : n, adds);
  if (element.bytes == 0) return -1;
  std::uint32_t& number = lists_of_[static_cast<std::size_t>(&operation - program_.operations)];
  // Counts and places are the same in every repeat, and MPI reads them while a call is under way.
  if (number == 0) {
    Lists lists;
    const auto fill = [&](const std::int64_t* parts, std::vector<int>& counts, std::vector<int>& places) {
      std::int64_t before = 0;
      for (std::size_t i = 0; i < n; ++i) {
        counts.push_back(static_cast<int>(parts[i] / element.bytes));
        places.push_back(static_cast<int>(before));
        before += counts.back();
      }
    };
    fill(sent_parts, lists.send_counts, lists.send_places);
    fill(received_parts, lists.receive_counts, lists.receive_places);
    lists_.push_back(std::move(lists));
    number = static_cast<std::uint32_t>(lists_.size());
  }
  const Lists& lists = lists_[number - 1];
  const int *const send_counts = lists.send_counts.data(), *const send_places = lists.send_places.data();
  const int *const receive_counts = lists.receive_counts.data(), *const receive_places = lists.receive_places.data();
  const int root = operation.peer, own = send_counts[on.place];
  const std::int64_t own_bytes = sent_parts[on.place];
  void* const sent = buffers_.sent();
  const MPI_Comm comm = on.handle;
  const bool is_root = on.place == root;
  switch (operation.collective) {
    case kReplayAllGather:
      return ORRERY_EITHER(MPI_Allgatherv, MPI_Iallgatherv, sent, own, element.type, room(total, issued),
                           receive_counts, receive_places, element.type, comm);
    case kReplayGather:
      return ORRERY_EITHER(MPI_Gatherv, MPI_Igatherv, sent, own, element.type, is_root ? room(total, issued) : nullptr,
                           receive_counts, receive_places, element.type, root, comm);
    case kReplayScatter:
      return ORRERY_EITHER(MPI_Scatterv, MPI_Iscatterv, sent, send_counts, send_places, element.type,
                           room(own_bytes, issued), own, element.type, root, comm);
    case kReplayAllToAll:
      return ORRERY_EITHER(MPI_Alltoallv, MPI_Ialltoallv, sent, send_counts, send_places, element.type,
                           room(total, issued), receive_counts, receive_places, element.type, comm);
    case kReplayReduceScatter:
      return ORRERY_EITHER(MPI_Reduce_scatter, MPI_Ireduce_scatter, sent, room(own_bytes, issued), receive_counts,
                           element.type, MPI_SUM, comm);
    default: return -1;
  }
}

}  // namespace orrery::replay
