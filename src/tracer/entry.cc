#include "tracer/entry.h"

#include <algorithm>

namespace orrery::tracer {
namespace {

thread_local bool is_inside __attribute__((tls_model("initial-exec"))) = false;
thread_local const void* called_from __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

CalledFrom::CalledFrom(const void* caller) { called_from = caller; }
CalledFrom::~CalledFrom() { called_from = nullptr; }

Entry::Entry(Function function, const void* caller) : is_recorded_(recorder != nullptr && !is_inside) {
  if (!is_recorded_) return;
  is_inside = true;
  times_.function = function;
  // While the recording is off nobody looks at the stack, but for the call that turns it on.
  take_stack(called_from != nullptr ? called_from : caller, recorder->is_on() ? recorder->depth() : 1, stack_);
}

Entry::~Entry() {
  if (has_lock_) recorder->mutex.unlock();
  if (is_recorded_) is_inside = false;
}

bool Entry::end(int result) {
  if (!is_recorded_) return false;
  times_.exit_ns = now_ns();
  recorder->mutex.lock();
  has_lock_ = true;
  if (result == MPI_SUCCESS) return true;
  call().failed(result);
  commit();
  return false;
}

Waited::Waited(const Entry& entry, int count, const MPI_Request* requests) {
  if (!entry.is_recorded() || count <= 0) return;
  count_ = count;
  if (count > kFew) many_.assign(requests, requests + count);
  else std::copy(requests, requests + count, few_);
  if (!recorder->is_concurrent()) return;
  const std::lock_guard lock(recorder->mutex);
  for (int i = 0; i < count; ++i) numbers_.push_back(recorder->description.requests.number_here(requests[i], numbers_));
}

Freed::Freed(const Entry& entry, MPI_Comm handle) {
  if (!entry.is_recorded() || handle == MPI_COMM_NULL) return;
  const std::lock_guard lock(recorder->mutex);
  comm_ = recorder->description.communicators.find(handle);
  recorder->description.communicators.forget(handle);
}

}  // namespace orrery::tracer
