// Arguments of calls as the tracer hands them on: statuses that the program does not want, but the recording does;
// requests and communicators that are gone after the call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tracer/communicators.h"

namespace orrery::tracer {

class Entry;

class OneStatus {
 public:
  explicit OneStatus(MPI_Status* given) : given_(given) {}
  MPI_Status* status() { return given_ == MPI_STATUS_IGNORE ? &own_ : given_; }

 private:
  MPI_Status* given_;
  MPI_Status own_;
};

class Statuses {
 public:
  Statuses(int count, MPI_Status* given) : given_(given) {
    if (given == MPI_STATUSES_IGNORE && count > kFew) many_.resize(static_cast<std::size_t>(count));
  }
  MPI_Status* statuses() {
    if (given_ != MPI_STATUSES_IGNORE) return given_;
    return many_.empty() ? few_ : many_.data();
  }

 private:
  static constexpr int kFew = 32;
  MPI_Status* given_;
  MPI_Status few_[kFew];
  std::vector<MPI_Status> many_;
};

/// Completed requests become MPI_REQUEST_NULL in the program's list, so it is copied before the call. Where several
/// threads are in MPI at once, another may get the handle of a completed request before this one is described: there
/// the numbers are looked up before, too.
class Waited {
 public:
  Waited(const Entry& entry, int count, const MPI_Request* requests);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Request handle(int i) const { return many_.empty() ? few_[i] : many_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::uint64_t number(int i) const {
    return numbers_.empty() ? 0 : numbers_[static_cast<std::size_t>(i)];
  }

 private:
  static constexpr int kFew = 32;
  int count_ = 0;
  MPI_Request few_[kFew];
  std::vector<MPI_Request> many_;
  std::vector<std::uint64_t> numbers_;  // empty: not needed
};

/// Forgets the handle, which may stand for another communicator as soon as it is freed.
class Freed {
 public:
  Freed(const Entry& entry, MPI_Comm handle);
  [[nodiscard]] const CommunicatorPtr& comm() const { return comm_; }

 private:
  CommunicatorPtr comm_;
};

}  // namespace orrery::tracer
