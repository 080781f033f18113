// MPI's functions as Fortran programs call them (mpif.h, use mpi). Open MPI's Fortran functions call the second names
// (PMPI_...) of those in C, which no tool sees; these call the first names, and so the wrappers. MPICH's do that by
// themselves: there nothing is needed, and this file is empty.
#include <mpi.h>

#ifdef OPEN_MPI

#include <vector>

#include "tracer/entry.h"

// Of gfortran, flang and ifort: lower case and one underscore. Fortran's MPI_BOTTOM and MPI_IN_PLACE are the addresses
// of variables of the library, for which the standard has no C name; weak, since C programs do not have them.
extern "C" {
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));
}

namespace orrery::tracer {
namespace {

using Int = MPI_Fint;
static_assert(sizeof(Int) == sizeof(int), "counts, tags and flags are handed on by reference");

constexpr int kStatusInts = static_cast<int>(sizeof(MPI_Status) / sizeof(Int));  // MPI_STATUS_SIZE

void* address(void* buffer) {
  if (&mpi_fortran_in_place_ != nullptr && buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (&mpi_fortran_bottom_ != nullptr && buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return buffer;
}
MPI_Datatype type_of(const Int* type) { return MPI_Type_f2c(*type); }
MPI_Comm comm_of(const Int* comm) { return MPI_Comm_f2c(*comm); }
MPI_Op op_of(const Int* op) { return MPI_Op_f2c(*op); }

// What a call gives back lives in C until the call is over; then it is put where Fortran wants it.

class StatusOut {
 public:
  explicit StatusOut(Int* target) : target_(target) {}
  StatusOut(const StatusOut&) = delete;
  StatusOut& operator=(const StatusOut&) = delete;
  ~StatusOut() {
    if (target_ != MPI_F_STATUS_IGNORE) MPI_Status_c2f(&status_, target_);
  }
  operator MPI_Status*() { return target_ == MPI_F_STATUS_IGNORE ? MPI_STATUS_IGNORE : &status_; }

 private:
  Int* target_;
  MPI_Status status_ = {};
};

class StatusesOut {
 public:
  StatusesOut(Int count, Int* target)
      : target_(target), statuses_(target == MPI_F_STATUSES_IGNORE || count < 0 ? 0u : static_cast<unsigned>(count)) {}
  StatusesOut(const StatusesOut&) = delete;
  StatusesOut& operator=(const StatusesOut&) = delete;
  ~StatusesOut() {
    for (std::size_t i = 0; i < statuses_.size(); ++i) MPI_Status_c2f(&statuses_[i], target_ + i * kStatusInts);
  }
  operator MPI_Status*() { return target_ == MPI_F_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : statuses_.data(); }

 private:
  Int* target_;
  std::vector<MPI_Status> statuses_;
};

/// Requests of a list, or one: converted, and written back where the call changed them.
class RequestsInOut {
 public:
  RequestsInOut(Int count, Int* target) : target_(target) {
    for (Int i = 0; i < count; ++i) requests_.push_back(MPI_Request_f2c(target[i]));
  }
  RequestsInOut(const RequestsInOut&) = delete;
  RequestsInOut& operator=(const RequestsInOut&) = delete;
  ~RequestsInOut() {
    for (std::size_t i = 0; i < requests_.size(); ++i) target_[i] = MPI_Request_c2f(requests_[i]);
  }
  operator MPI_Request*() { return requests_.data(); }

 private:
  Int* target_;
  std::vector<MPI_Request> requests_;
};

class RequestInOut : public RequestsInOut {
 public:
  explicit RequestInOut(Int* target) : RequestsInOut(1, target) {}
};

class RequestOut {
 public:
  explicit RequestOut(Int* target) : target_(target) {}
  RequestOut(const RequestOut&) = delete;
  RequestOut& operator=(const RequestOut&) = delete;
  ~RequestOut() { *target_ = MPI_Request_c2f(request_); }
  operator MPI_Request*() { return &request_; }

 private:
  Int* target_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class CommOut {
 public:
  explicit CommOut(Int* target, MPI_Comm before = MPI_COMM_NULL) : target_(target), comm_(before) {}
  CommOut(const CommOut&) = delete;
  CommOut& operator=(const CommOut&) = delete;
  ~CommOut() { *target_ = MPI_Comm_c2f(comm_); }
  operator MPI_Comm*() { return &comm_; }

 private:
  Int* target_;
  MPI_Comm comm_;
};

class CommInOut : public CommOut {
 public:
  explicit CommInOut(Int* target) : CommOut(target, MPI_Comm_f2c(*target)) {}
};

/// Fortran counts from 1.
class IndexOut {
 public:
  explicit IndexOut(Int* target) : target_(target) {}
  IndexOut(const IndexOut&) = delete;
  IndexOut& operator=(const IndexOut&) = delete;
  ~IndexOut() {
    if (*target_ != MPI_UNDEFINED) ++*target_;
  }
  operator int*() { return target_; }

 private:
  Int* target_;
};

class IndicesOut {
 public:
  IndicesOut(const Int* done, Int* target) : done_(done), target_(target) {}
  IndicesOut(const IndicesOut&) = delete;
  IndicesOut& operator=(const IndicesOut&) = delete;
  ~IndicesOut() {
    if (*done_ == MPI_UNDEFINED) return;
    for (Int i = 0; i < *done_; ++i) ++target_[i];
  }
  operator int*() { return target_; }

 private:
  const Int* done_;
  Int* target_;
};

}  // namespace
}  // namespace orrery::tracer

#define ORRERY_FORTRAN_EXPORT extern "C" __attribute__((visibility("default")))
#define ORRERY_FORTRAN_UNPACK(...) __VA_ARGS__

using namespace orrery::tracer;  // what fortran_calls.inc says is in these words

#define ORRERY_FORTRAN(name, parameters, function, arguments)                              \
  ORRERY_FORTRAN_EXPORT void mpi_##name##_(ORRERY_FORTRAN_UNPACK parameters, Int* error) { \
    const CalledFrom caller(__builtin_return_address(0));                                  \
    *error = function arguments;                                                           \
  }
#include "tracer/fortran_calls.inc"
#undef ORRERY_FORTRAN

ORRERY_FORTRAN_EXPORT void mpi_init_(Int* error) {
  const CalledFrom caller(__builtin_return_address(0));
  *error = MPI_Init(nullptr, nullptr);
}

ORRERY_FORTRAN_EXPORT void mpi_finalize_(Int* error) {
  const CalledFrom caller(__builtin_return_address(0));
  *error = MPI_Finalize();
}

ORRERY_FORTRAN_EXPORT void mpi_pcontrol_(const Int* level) {
  const CalledFrom caller(__builtin_return_address(0));
  MPI_Pcontrol(*level);
}

#endif  // OPEN_MPI
