// Requests that are under way, by handle, each with a number of its own that is never used again.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tracer/communicators.h"
#include "tracer/handle_map.h"

namespace orrery::tracer {

enum class RequestKind : std::uint8_t { other, receive, persistent, persistent_receive, creation };

struct Request {
  std::uint64_t number = 0;  ///< from 1; 0: begun where the tracer could not see it, or while it was off
  RequestKind kind = RequestKind::other;
  bool is_active = true;  ///< of a persistent one: started, and not complete yet
  bool is_cancelled = false;
  CommunicatorPtr comm = {};
  const void* thread = nullptr;  ///< that began it

  [[nodiscard]] bool is_persistent() const {
    return kind == RequestKind::persistent || kind == RequestKind::persistent_receive;
  }
  [[nodiscard]] bool is_receive() const {
    return kind == RequestKind::receive || kind == RequestKind::persistent_receive;
  }
};

/// Another address in every thread.
inline const void* this_thread() {
  static thread_local char mark __attribute__((tls_model("initial-exec"))) = 0;
  return &mark;
}

/// Not thread-safe: the caller has a lock.
///
/// One handle may stand for several requests: Open MPI and MPICH have one for all sends that are complete at once, and
/// for messages to MPI_PROC_NULL. They are all complete, so any order is right within a thread; the newest goes first,
/// because an older one may be a request whose end was not seen. But each thread ends its own: else a call could end
/// what another thread began only after it.
class Requests {
 public:
  std::uint64_t begin(MPI_Request handle, RequestKind kind, CommunicatorPtr comm) {
    Request begun{++count_, kind, true, false, std::move(comm), this_thread()};
    if (begun.is_persistent()) begun.is_active = false;
    const std::uint64_t key = key_of(handle);
    if (Stack* known = by_handle_.find(key)) {
      if (known->older.size() == kMostOlder) known->older.erase(known->older.begin());
      known->older.push_back(std::exchange(known->newest, std::move(begun)));
    } else {
      by_handle_.put(key, Stack{std::move(begun), {}});
    }
    return count_;
  }

  /// Null if it is not known.
  Request* find(MPI_Request handle) {
    Stack* known = by_handle_.find(key_of(handle));
    return known != nullptr ? &known->newest : nullptr;
  }

  /// The number of the one that this thread means by a handle, leaving out those in `taken`; 0: it is not known.
  [[nodiscard]] std::uint64_t number_here(MPI_Request handle, const std::vector<std::uint64_t>& taken) {
    const Stack* known = by_handle_.find(key_of(handle));
    if (known == nullptr) return 0;
    if (known->older.empty()) return known->newest.number;
    const auto is_meant = [&](const Request& request) {
      return request.thread == this_thread() && std::find(taken.begin(), taken.end(), request.number) == taken.end();
    };
    if (is_meant(known->newest)) return known->newest.number;
    const auto at = std::find_if(known->older.rbegin(), known->older.rend(), is_meant);
    return at != known->older.rend() ? at->number : known->newest.number;
  }

  /// Takes out the one with the number, where several threads may have got the handle since; with 0, or if it is gone,
  /// the newest.
  Request take(MPI_Request handle, std::uint64_t number) {
    const std::uint64_t key = key_of(handle);
    Stack* known = by_handle_.find(key);
    if (known == nullptr) return {};
    for (std::size_t i = 0; number != 0 && i < known->older.size(); ++i) {
      if (known->older[i].number != number) continue;
      Request taken = std::move(known->older[i]);
      known->older.erase(known->older.begin() + static_cast<std::ptrdiff_t>(i));
      return taken;
    }
    Request taken = std::move(known->newest);
    if (known->older.empty()) {
      by_handle_.erase(key);
    } else {
      known->newest = std::move(known->older.back());
      known->older.pop_back();
    }
    return taken;
  }

  /// Forgets one that is begun again while nothing is recorded.
  void forget(MPI_Request handle) { by_handle_.erase(key_of(handle)); }

 private:
  static constexpr std::size_t kMostOlder = 4096;
  struct Stack {
    Request newest;
    std::vector<Request> older;
  };
  HandleMap<Stack> by_handle_;
  std::uint64_t count_ = 0;
};

}  // namespace orrery::tracer
