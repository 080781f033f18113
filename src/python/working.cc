#include "python/working.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "base/interrupt.h"

namespace orrery::python {
namespace {

namespace py = pybind11;

// Python runs signal handlers only where it is asked to: how long a Ctrl-C may go unnoticed.
constexpr std::chrono::milliseconds kLook{20};

// The number of threads, what ends with an input, and the request to stop are one per process.
std::timed_mutex& engine() {
  static auto* const mutex =
      new std::timed_mutex;  // never destroyed: a thread may still work when the interpreter ends
  return *mutex;
}

std::unique_lock<std::timed_mutex> take_engine() {
  std::unique_lock lock(engine(), std::defer_lock);
  for (;;) {
    {
      const py::gil_scoped_release others_go_on;
      if (lock.try_lock_for(kLook)) break;
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return lock;
}

bool is_done(std::future<void>& done) {
  const py::gil_scoped_release others_go_on;
  return done.wait_for(kLook) == std::future_status::ready;
}

}  // namespace

void work(const std::function<void()>& work) {
  const std::unique_lock<std::timed_mutex> lock = take_engine();
  allow_work();
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  std::thread worker(std::move(task));
  std::optional<py::error_already_set> raised;
  while (!is_done(done)) {
    if (raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    request_stop();
  }
  worker.join();
  allow_work();
  if (raised) throw *raised;
  done.get();
}

}  // namespace orrery::python
