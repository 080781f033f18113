// Requests that are under way, by handle, each with a number of its own that is never used again.
#pragma once

#include <mpi.h>

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

  [[nodiscard]] bool is_persistent() const { return kind == RequestKind::persistent || kind == RequestKind::persistent_receive; }
  [[nodiscard]] bool is_receive() const { return kind == RequestKind::receive || kind == RequestKind::persistent_receive; }
};

/// Not thread-safe: the caller has a lock.
///
/// One handle may stand for several requests: Open MPI has one for all messages to MPI_PROC_NULL, MPICH one for sends that are complete at once.
/// They are all complete, so any order is right; the newest goes first, because an older one may be a request whose end was not seen.
class Requests {
 public:
  std::uint64_t begin(MPI_Request handle, RequestKind kind, CommunicatorPtr comm) {
    Request begun{++count_, kind, true, false, std::move(comm)};
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

  /// Takes out the one with the number, where several threads may have got the handle since; with 0, or if it is gone, the newest.
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
