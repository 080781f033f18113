// What a call did, in the words that calls.inc uses. Filled under the recorder's lock, one call at a time, then written
// as one record.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/byte_buffer.h"
#include "tracer/communicators.h"
#include "tracer/handle_map.h"
#include "tracer/layout.h"
#include "tracer/requests.h"

namespace orrery::tracer {

/// Handles of requests as they were before a call that completes some of them, and which requests they stood for.
class Waited;
/// A communicator as it was before a call that frees it.
class Freed;

class CallDescription {
 public:
  /// Forgets the call before. `is_on`: this one will be written.
  void reset(bool is_on);

  void sends(MPI_Comm comm, int destination, int tag, int count, MPI_Datatype type);
  void receives(MPI_Comm comm, int source, int tag, int count, MPI_Datatype type);
  void looks_for(MPI_Comm comm, int source, int tag);
  void got(MPI_Comm comm, const MPI_Status& status);
  /// Of a call that asks whether something is there: `flag` says so. Those that find nothing are folded into one
  /// record.
  bool found(int flag);

  void begins(MPI_Request request, MPI_Comm comm, RequestKind kind);
  void starts(int count, const MPI_Request* requests);
  void completes(const Waited& waited, int index, const MPI_Status& status);
  void completes_all(const Waited& waited, const MPI_Status* statuses);
  void completes_some(const Waited& waited, int count, const int* indices, const MPI_Status* statuses);
  void frees(const Waited& waited);
  void cancels(MPI_Request request);
  void holds(MPI_Message message, MPI_Comm comm);
  MPI_Comm releases(MPI_Message message);

  void on(MPI_Comm comm);
  void on(const Freed& freed);
  /// Whether this rank is the root: it then has the side that only a root has.
  bool root(int root);

  // What this rank puts in and gets out: `count` elements of a type, as the call was given it, or a count per member or
  // neighbour.
  void puts(int count, MPI_Datatype type);
  void gets(int count, MPI_Datatype type);
  void puts_each(const int* counts, MPI_Datatype type) { puts_list(members(), counts, type); }
  void gets_each(const int* counts, MPI_Datatype type) { gets_list(members(), counts, type); }
  void puts_to_neighbours(const int* counts, MPI_Datatype type) { puts_list(destinations(), counts, type); }
  void gets_from_neighbours(const int* counts, MPI_Datatype type) { gets_list(sources(), counts, type); }
  void puts_typed(const int* counts, const MPI_Datatype* types) { puts_typed_list(members(), counts, types); }
  void gets_typed(const int* counts, const MPI_Datatype* types) { gets_typed_list(members(), counts, types); }
  void puts_to_neighbours_typed(const int* counts, const MPI_Datatype* types) {
    puts_typed_list(destinations(), counts, types);
  }
  void gets_from_neighbours_typed(const int* counts, const MPI_Datatype* types) {
    gets_typed_list(sources(), counts, types);
  }
  /// Of a count per member: this rank's own, or all together without the list.
  void puts_own(const int* counts, MPI_Datatype type);
  void gets_own(const int* counts, MPI_Datatype type);
  void gets_own_of_sent(const int* counts, MPI_Datatype type) { gets_own(counts, type); }
  void puts_sum(const int* counts, MPI_Datatype type);

  void creates(MPI_Comm parent, MPI_Comm created);
  void creates_later(MPI_Request request, MPI_Comm parent, const MPI_Comm* created);
  void creates_among_members(MPI_Comm parent, MPI_Comm created, int tag, const char* how);
  void value(std::int64_t value);

  void opens(MPI_Win window, MPI_Comm comm);
  void closes(MPI_Win window);
  void over(MPI_Win window);
  void at(MPI_Win window, int target);

  void failed(int error);
  [[nodiscard]] bool found_nothing() const { return found_nothing_; }
  /// The fields, after what all calls have.
  void encode(ByteBuffer& into) const;
  [[nodiscard]] std::uint32_t fields() const { return fields_; }

  Communicators communicators;
  Requests requests;
  /// Windows that were made since, as bodies of records; who writes them clears the list.
  std::vector<ByteBuffer> unwritten_windows;

 private:
  [[nodiscard]] int members() const { return comm_ ? comm_->peers().size() : 0; }
  [[nodiscard]] int sources() const { return comm_ ? static_cast<int>(comm_->sources.size()) : 0; }
  [[nodiscard]] int destinations() const { return comm_ ? static_cast<int>(comm_->destinations.size()) : 0; }

  struct Window {
    std::uint32_t number = 0;
    CommunicatorPtr comm;
  };
  struct Creation {
    std::string name;
    std::uint32_t parent = 0;
    const MPI_Comm* created = nullptr;
  };
  struct Message {
    std::int64_t source = 0;
    std::int64_t tag = 0;
    std::uint64_t bytes = 0;
  };

  void use(const CommunicatorPtr& comm);
  void add_completion(MPI_Request handle, std::uint64_t number, const MPI_Status& status);
  static Message message_of(const Communicator* comm, const MPI_Status& status);
  void puts_list(int n, const int* counts, MPI_Datatype type);
  void gets_list(int n, const int* counts, MPI_Datatype type);
  void puts_typed_list(int n, const int* counts, const MPI_Datatype* types);
  void gets_typed_list(int n, const int* counts, const MPI_Datatype* types);
  const Window* window(MPI_Win handle);

  std::uint32_t fields_ = 0;
  bool is_on_ = true;
  bool found_nothing_ = false;
  CommunicatorPtr comm_;
  std::int64_t destination_ = 0, send_tag_ = 0, source_ = 0, receive_tag_ = 0, root_ = 0, error_ = 0;
  std::uint64_t send_bytes_ = 0, receive_bytes_ = 0, element_bytes_ = 0, request_ = 0;
  Message actual_;
  std::uint32_t created_ = 0, window_ = 0;
  ByteBuffer send_counts_, receive_counts_, started_, completed_;
  std::uint64_t started_count_ = 0, completed_count_ = 0;
  std::vector<std::int64_t> values_;

  HandleMap<Window> windows_;
  std::uint32_t window_count_ = 0;
  HandleMap<MPI_Comm> held_messages_;
  std::unordered_map<std::uint64_t, Creation> creations_;  // by number of the request
};

}  // namespace orrery::tracer
