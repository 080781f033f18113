#include "tracer/call_description.h"

#include "tracer/call_arguments.h"

// Each method stands for one thing that a call may do and sets the bit of its field; encode() then writes the fields
// whose bits are set, in one fixed order. What outlives a call (requests, windows, messages that were probed) is kept
// in tables by handle, since MPI may give the same handle again to something else.

namespace orrery::tracer {
namespace {

std::uint64_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  // By PMPI, so that the tracer does not record its own questions.
  PMPI_Type_size_x(type, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

std::uint64_t bytes_of(int count, std::uint64_t size) {
  // Negative counts are errors of the program, which MPI tells about.
  return count > 0 ? static_cast<std::uint64_t>(count) * size : 0;
}

std::int64_t tag_of(int tag) { return tag == MPI_ANY_TAG ? kAnyTag : tag; }

/// n, then runs: varint value, varint length, until n is reached. Most v-collectives have few different sizes. Returns
/// the sum.
template <typename ValueAt>
std::uint64_t encode_runs(int n, const ValueAt& value_at, ByteBuffer& into) {
  into.clear();
  into.number(static_cast<std::uint64_t>(n));
  std::uint64_t sum = 0;
  for (int begin = 0; begin < n;) {
    const std::uint64_t value = value_at(begin);
    int end = begin + 1;
    while (end < n && value_at(end) == value) ++end;
    into.number(value);
    into.number(static_cast<std::uint64_t>(end - begin));
    sum += value * static_cast<std::uint64_t>(end - begin);
    begin = end;
  }
  return sum;
}

}  // namespace

void CallDescription::reset(bool is_on) {
  fields_ = 0;
  is_on_ = is_on;
  found_nothing_ = false;
  comm_.reset();
  started_.clear();
  completed_.clear();
  started_count_ = completed_count_ = 0;
  values_.clear();
}

void CallDescription::use(const CommunicatorPtr& comm) {
  comm_ = comm;
  if (comm) fields_ |= kComm;
}

void CallDescription::on(MPI_Comm comm) { use(communicators.find(comm)); }
void CallDescription::on(const Freed& freed) { use(freed.comm()); }

void CallDescription::sends(MPI_Comm comm, int destination, int tag, int count, MPI_Datatype type) {
  on(comm);
  destination_ = comm_ ? comm_->world_rank(destination) : kForeignRank;
  send_tag_ = tag_of(tag);
  puts(count, type);
  fields_ |= kDestination | kSendTag;
}

void CallDescription::looks_for(MPI_Comm comm, int source, int tag) {
  on(comm);
  // Without a known communicator nobody can say who is meant: the receive counts as one from anybody.
  source_ = comm_ ? comm_->world_rank(source) : kAnyRank;
  receive_tag_ = tag_of(tag);
  fields_ |= kSource | kReceiveTag;
}

void CallDescription::receives(MPI_Comm comm, int source, int tag, int count, MPI_Datatype type) {
  looks_for(comm, source, tag);
  gets(count, type);
}

CallDescription::Message CallDescription::message_of(const Communicator* comm, const MPI_Status& status) {
  MPI_Count bytes = 0;
  // Elements as bytes: the datatype of the receive is not known any more when it is completed.
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return {comm != nullptr ? comm->world_rank(status.MPI_SOURCE) : kForeignRank, tag_of(status.MPI_TAG),
          bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0};
}

void CallDescription::got(MPI_Comm comm, const MPI_Status& status) {
  actual_ = message_of(communicators.find(comm).get(), status);
  fields_ |= kActual;
}

bool CallDescription::found(int flag) {
  // Testsome says how many, or MPI_UNDEFINED where nothing is under way: that is an answer, too.
  found_nothing_ = flag == 0;
  return flag != 0;
}

void CallDescription::begins(MPI_Request request, MPI_Comm comm, RequestKind kind) {
  if (request == MPI_REQUEST_NULL) return;
  // What begins while the recording is off has no number. A handle of which an older request is known stands for a new
  // one now.
  if (!is_on_ && kind != RequestKind::creation && kind != RequestKind::persistent &&
      kind != RequestKind::persistent_receive)
    return requests.forget(request);
  request_ = requests.begin(request, kind, communicators.find(comm));
  fields_ |= kRequest;
}

void CallDescription::starts(int count, const MPI_Request* handles) {
  for (int i = 0; i < count; ++i) {
    Request* request = requests.find(handles[i]);
    // Begun while the recording was off.
    if (request == nullptr) continue;
    request->is_active = true;
    started_.number(request->number);
    ++started_count_;
  }
  if (started_count_ > 0) fields_ |= kStarted;
}

void CallDescription::add_completion(MPI_Request handle, std::uint64_t number, const MPI_Status& status) {
  if (handle == MPI_REQUEST_NULL) return;
  Request* known = requests.find(handle);
  Request done;
  // A persistent request keeps its handle and its number, and is only inactive afterwards.
  if (known != nullptr && known->is_persistent()) {
    if (!known->is_active) return;  // waiting for what was not started ends at once and means nothing
    done = *known;
    known->is_active = false;
    known->is_cancelled = false;
  } else {
    done = requests.take(handle, number);
  }
  // The communicator of MPI_Comm_idup is there now, and can be looked at.
  if (const auto creation = creations_.find(done.number);
      done.kind == RequestKind::creation && creation != creations_.end()) {
    communicators.made_later(creation->second.name, creation->second.parent, *creation->second.created);
    created_ = communicators.find(*creation->second.created)->number;
    fields_ |= kCreated;
    creations_.erase(creation);
  }
  int was_cancelled = 0;
  // Asked only of those that somebody cancelled: it is a call for each.
  if (done.is_cancelled) PMPI_Test_cancelled(&status, &was_cancelled);
  const bool has_message = done.is_receive() && was_cancelled == 0;
  completed_.number(done.number);
  completed_.byte(static_cast<std::uint8_t>((has_message ? kIsReceive : 0) | (was_cancelled != 0 ? kIsCancelled : 0)));
  if (has_message) {
    const Message message = message_of(done.comm.get(), status);
    completed_.signed_number(message.source);
    completed_.signed_number(message.tag);
    completed_.number(message.bytes);
  }
  ++completed_count_;
  fields_ |= kCompleted;
}

void CallDescription::completes(const Waited& waited, int index, const MPI_Status& status) {
  add_completion(waited.handle(index), waited.number(index), status);
}

void CallDescription::completes_all(const Waited& waited, const MPI_Status* statuses) {
  for (int i = 0; i < waited.count(); ++i) completes(waited, i, statuses[i]);
}

void CallDescription::completes_some(const Waited& waited, int count, const int* indices, const MPI_Status* statuses) {
  if (count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i) completes(waited, indices[i], statuses[i]);
}

void CallDescription::frees(const Waited& waited) {
  if (waited.handle(0) == MPI_REQUEST_NULL) return;
  const Request freed = requests.take(waited.handle(0), waited.number(0));
  request_ = freed.number;
  fields_ |= kRequest;
}

void CallDescription::cancels(MPI_Request handle) {
  Request* request = requests.find(handle);
  if (request == nullptr) return;
  request->is_cancelled = true;
  request_ = request->number;
  fields_ |= kRequest;
}

void CallDescription::holds(MPI_Message message, MPI_Comm comm) {
  if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC) held_messages_.put(key_of(message), comm);
}

MPI_Comm CallDescription::releases(MPI_Message message) {
  const MPI_Comm* held = held_messages_.find(key_of(message));
  if (held == nullptr) return MPI_COMM_NULL;
  const MPI_Comm comm = *held;
  held_messages_.erase(key_of(message));
  return comm;
}

bool CallDescription::root(int root) {
  root_ = comm_ ? comm_->world_rank(root) : kForeignRank;
  fields_ |= kRoot;
  if (!comm_) return false;
  // Between two groups the root says MPI_ROOT, and the others of its group have no part in it.
  return (comm_->flags & kIsIntercommunicator) != 0 ? root == MPI_ROOT : root == comm_->rank;
}

void CallDescription::puts(int count, MPI_Datatype type) {
  element_bytes_ = size_of(type);
  send_bytes_ = bytes_of(count, element_bytes_);
  fields_ |= kSendBytes | kElementBytes;
}

void CallDescription::gets(int count, MPI_Datatype type) {
  const std::uint64_t size = size_of(type);
  // The size that was sent wins, where both are there.
  if ((fields_ & kElementBytes) == 0) element_bytes_ = size;
  receive_bytes_ = bytes_of(count, size);
  fields_ |= kReceiveBytes | kElementBytes;
}

void CallDescription::puts_list(int n, const int* counts, MPI_Datatype type) {
  element_bytes_ = size_of(type);
  send_bytes_ = encode_runs(
      n, [&](int i) { return bytes_of(counts[i], element_bytes_); }, send_counts_);
  fields_ |= kSendBytes | kSendCounts | kElementBytes;
}

void CallDescription::gets_list(int n, const int* counts, MPI_Datatype type) {
  const std::uint64_t size = size_of(type);
  if ((fields_ & kElementBytes) == 0) element_bytes_ = size;
  receive_bytes_ = encode_runs(
      n, [&](int i) { return bytes_of(counts[i], size); }, receive_counts_);
  fields_ |= kReceiveBytes | kReceiveCounts | kElementBytes;
}

void CallDescription::puts_typed_list(int n, const int* counts, const MPI_Datatype* types) {
  send_bytes_ = encode_runs(
      // Types of empty entries need not be valid.
      n, [&](int i) { return counts[i] > 0 ? bytes_of(counts[i], size_of(types[i])) : 0; }, send_counts_);
  fields_ |= kSendBytes | kSendCounts;
}

void CallDescription::gets_typed_list(int n, const int* counts, const MPI_Datatype* types) {
  receive_bytes_ = encode_runs(
      n, [&](int i) { return counts[i] > 0 ? bytes_of(counts[i], size_of(types[i])) : 0; }, receive_counts_);
  fields_ |= kReceiveBytes | kReceiveCounts;
}

void CallDescription::puts_own(const int* counts, MPI_Datatype type) {
  if (comm_) puts(counts[comm_->rank], type);
}

void CallDescription::puts_sum(const int* counts, MPI_Datatype type) {
  puts_list(members(), counts, type);
  // Without the list, which is told once, as what is received.
  fields_ &= ~std::uint32_t{kSendCounts};
}

void CallDescription::gets_own(const int* counts, MPI_Datatype type) {
  if (comm_) gets(counts[comm_->rank], type);
}

void CallDescription::creates(MPI_Comm parent, MPI_Comm created) {
  communicators.made_of(parent, created);
  if (created == MPI_COMM_NULL) return;
  created_ = communicators.find(created)->number;
  fields_ |= kCreated;
}

void CallDescription::creates_later(MPI_Request request, MPI_Comm parent, const MPI_Comm* created) {
  // The name counts at the call, which is in the same order on all members, and not at the completion.
  std::string name = communicators.next_name(parent);
  const Request* begun = requests.find(request);
  if (begun != nullptr) creations_[begun->number] = {std::move(name), communicators.find(parent)->number, created};
}

void CallDescription::creates_among_members(MPI_Comm parent, MPI_Comm created, int tag, const char* how) {
  if (created == MPI_COMM_NULL) return;
  communicators.made_by_members(parent, created, tag, how);
  created_ = communicators.find(created)->number;
  fields_ |= kCreated;
}

void CallDescription::value(std::int64_t value) {
  values_.push_back(value);
  fields_ |= kValues;
}

void CallDescription::opens(MPI_Win handle, MPI_Comm comm) {
  const CommunicatorPtr& on = communicators.find(comm);
  if (!on) return;
  window_ = ++window_count_;
  windows_.put(key_of(handle), Window{window_, on});
  ByteBuffer body;
  body.number(window_);
  body.number(on->number);
  // The n-th window of a communicator is the same on all its members, which is how they are matched.
  body.number(on->windows++);
  unwritten_windows.push_back(std::move(body));
  fields_ |= kWindow;
}

const CallDescription::Window* CallDescription::window(MPI_Win handle) {
  const Window* known = windows_.find(key_of(handle));
  if (known == nullptr) return nullptr;
  window_ = known->number;
  fields_ |= kWindow;
  use(known->comm);
  return known;
}

void CallDescription::closes(MPI_Win handle) {
  window(handle);
  windows_.erase(key_of(handle));
}

void CallDescription::over(MPI_Win handle) { window(handle); }

void CallDescription::at(MPI_Win handle, int target) {
  const Window* known = window(handle);
  destination_ = known != nullptr ? known->comm->world_rank(target) : kForeignRank;
  fields_ |= kDestination;
}

void CallDescription::failed(int error) {
  error_ = error;
  fields_ |= kError;
}

void CallDescription::encode(ByteBuffer& into) const {
  // The order of the fields is part of the format: readers take them by the bits of the header.
  const auto has = [&](CallField field) { return (fields_ & field) != 0; };
  if (has(kComm)) into.number(comm_->number);
  if (has(kDestination)) into.signed_number(destination_);
  if (has(kSendTag)) into.signed_number(send_tag_);
  if (has(kSendBytes)) into.number(send_bytes_);
  if (has(kSource)) into.signed_number(source_);
  if (has(kReceiveTag)) into.signed_number(receive_tag_);
  if (has(kReceiveBytes)) into.number(receive_bytes_);
  if (has(kActual)) {
    into.signed_number(actual_.source);
    into.signed_number(actual_.tag);
    into.number(actual_.bytes);
  }
  if (has(kRoot)) into.signed_number(root_);
  if (has(kSendCounts)) into.raw(send_counts_.data(), send_counts_.size());
  if (has(kReceiveCounts)) into.raw(receive_counts_.data(), receive_counts_.size());
  if (has(kRequest)) into.number(request_);
  if (has(kStarted)) {
    into.number(started_count_);
    into.raw(started_.data(), started_.size());
  }
  if (has(kCompleted)) {
    into.number(completed_count_);
    into.raw(completed_.data(), completed_.size());
  }
  if (has(kCreated)) into.number(created_);
  if (has(kWindow)) into.number(window_);
  if (has(kValues)) {
    into.number(values_.size());
    for (const std::int64_t value : values_) into.signed_number(value);
  }
  if (has(kError)) into.signed_number(error_);
  if (has(kElementBytes)) into.number(element_bytes_);
}

}  // namespace orrery::tracer
