// Messages between processes by MPI. See base/team/process_plugin.h for what each function promises.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/team/process_plugin.h"

namespace {

// A message is its size, then its bytes in pieces: a count of MPI is an int.
constexpr int kSizeTag = 1, kBytesTag = 2;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 30;

MPI_Comm messages = MPI_COMM_NULL;

// MPI's own waiting would keep a core busy.
int wait_for(MPI_Request* request) {
  for (unsigned microseconds = 0;; microseconds = std::min(microseconds + 10, 500u)) {
    int is_done = 0;
    if (MPI_Test(request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
    if (is_done != 0) return 0;
    if (microseconds > 0) ::usleep(microseconds);
  }
}

int join(int* process, int* processes) {
  // Where MPI waits all the same (at the beginning and at the end), it lets others run. What the user says counts more.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = 0;
  // Messages need one thread; a replay has a second one, which tells why nothing gets on any more (replay_watch.h).
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return -1;
  if (MPI_Comm_dup(MPI_COMM_WORLD, &messages) != MPI_SUCCESS) return -1;
  // Who calls decides what to do about a process that is gone.
  MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
  return MPI_Comm_rank(messages, process) == MPI_SUCCESS && MPI_Comm_size(messages, processes) == MPI_SUCCESS ? 0 : -1;
}

// clang's analyser looks for the wait in the function that began, and does not see wait_for's.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
int send_piece(int to, int tag, const void* bytes, std::uint64_t size) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, to, tag, messages, &request) != MPI_SUCCESS) return -1;
  return wait_for(&request);
}

int receive_piece(int from, int tag, void* bytes, std::uint64_t size) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, from, tag, messages, &request) != MPI_SUCCESS) return -1;
  return wait_for(&request);
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

int send(int to, const void* bytes, std::uint64_t size) {
  if (send_piece(to, kSizeTag, &size, sizeof size) != 0) return -1;
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t piece = std::min(kPieceBytes, size - done);
    if (send_piece(to, kBytesTag, static_cast<const char*>(bytes) + done, piece) != 0) return -1;
    done += piece;
  }
  return 0;
}

int poll() {
  int is_there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, kSizeTag, messages, &is_there, &status) != MPI_SUCCESS || is_there == 0) return -1;
  return status.MPI_SOURCE;
}

int receive(int from, void* (*allocate)(void*, std::uint64_t), void* context) {
  std::uint64_t size = 0;
  if (receive_piece(from, kSizeTag, &size, sizeof size) != 0) return -1;
  char* const bytes = static_cast<char*>(allocate(context, size));
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t piece = std::min(kPieceBytes, size - done);
    if (receive_piece(from, kBytesTag, bytes + done, piece) != 0) return -1;
    done += piece;
  }
  return 0;
}

int leave() { return MPI_Comm_free(&messages) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS ? 0 : -1; }

void abort_all(int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrreryProcessPlugin* orrery_process_plugin(void) {
  static const OrreryProcessPlugin plugin = {
      orrery::kProcessPluginVersion, join, send, poll, receive, leave, abort_all};
  return &plugin;
}
