// base/parallel.h over plain threads, in place of base/parallel.cc under the thread sanitizer. It cannot see how TBB's
// library orders things, as that is not instrumented: with TBB it would report races that are none, or have to be told
// to look away from all parallel work.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interrupt.h"
#include "base/parallel.h"

namespace orrery {
namespace {

std::size_t requested_threads = 0;
std::size_t default_threads = 0;

// The first exception of several threads.
class FirstException {
 public:
  void keep(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::move(exception);
  }
  void pass_on() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace

void set_default_thread_count(std::size_t count) { default_threads = count; }

void set_thread_count(std::size_t count) { requested_threads = count == 0 ? default_threads : count; }

std::size_t thread_count() {
  return requested_threads != 0 ? requested_threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count <= 1 || thread_count() == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_if_requested();
      body(i);
    }
    return;
  }
  std::atomic<std::size_t> next = 0;
  FirstException failure;
  const auto work = [&] {
    try {
      for (std::size_t i = 0; (i = next++) < count;) {
        stop_if_requested();
        body(i);
      }
    } catch (...) {
      failure.keep(std::current_exception());
      next = count;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(count, thread_count()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  failure.pass_on();
}

void pipeline(std::size_t slots, const std::function<bool(std::size_t)>& produce,
              const std::function<bool(std::size_t)>& consume) {
  pipeline(slots, produce, {}, consume);
}

void pipeline(std::size_t slots, const std::function<bool(std::size_t)>& produce,
              const std::function<void(std::size_t)>& work, const std::function<bool(std::size_t)>& consume) {
  if (thread_count() == 1) {
    for (std::size_t slot = 0; produce(slot); slot = (slot + 1) % slots) {
      stop_if_requested();
      if (work) work(slot);
      if (!consume(slot)) return;
    }
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t produced = 0, taken = 0, consumed = 0;  // buffers, counted through
  std::vector<bool> is_worked(slots, false);
  bool ended = false, stopped = false;
  FirstException failure;
  const auto fill = [&] {
    for (std::size_t n = 0;; ++n) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return n - consumed < slots || stopped; });
      if (stopped) break;
      lock.unlock();
      stop_if_requested();
      if (!produce(n % slots)) break;
      lock.lock();
      produced = n + 1;
      changed.notify_all();
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  };
  const auto work_off = [&] {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return taken < produced || ended || stopped; });
      if (stopped || taken == produced) return;
      const std::size_t slot = taken++ % slots;
      lock.unlock();
      if (work) work(slot);
      lock.lock();
      is_worked[slot] = true;
      changed.notify_all();
    }
  };
  const auto drain = [&] {
    for (std::size_t n = 0;; ++n) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return is_worked[n % slots] || (ended && n == produced) || stopped; });
      if (stopped || !is_worked[n % slots]) return;
      lock.unlock();
      const bool go_on = consume(n % slots);
      lock.lock();
      is_worked[n % slots] = false;
      consumed = n + 1;
      stopped = !go_on;
      changed.notify_all();
      if (stopped) return;
    }
  };
  const auto guarded = [&](const auto& stage) {
    try {
      stage();
    } catch (...) {
      failure.keep(std::current_exception());
      const std::lock_guard lock(mutex);
      stopped = ended = true;
      changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { guarded(fill); });
  for (std::size_t i = 0; i < (work ? thread_count() : 1); ++i) threads.emplace_back([&] { guarded(work_off); });
  guarded(drain);
  for (std::thread& thread : threads) thread.join();
  failure.pass_on();
}

}  // namespace orrery
