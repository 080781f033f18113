#include "base/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

namespace orrery {
namespace {

struct Leftovers {
  std::mutex mutex;
  std::unordered_multiset<std::string> paths;  // one per rank of a large job: found again by hash
  std::unordered_multiset<pid_t> groups;
  std::function<void()> last_words;
};

// Never destroyed: the thread below may outlive main.
Leftovers& leftovers() {
  static auto* const all = new Leftovers;
  return *all;
}

template <typename T>
void forget(std::unordered_multiset<T>& list, const T& item) {
  const std::lock_guard lock(leftovers().mutex);
  // One of them: two outputs may be called alike.
  list.erase(list.find(item));
}

std::atomic<bool> stop_request{false};

[[noreturn]] void end_by(int signal) {
  std::function<void()> say;
  {
    const std::lock_guard lock(leftovers().mutex);
    say = std::move(leftovers().last_words);
  }
  if (say) say();
  remove_leftovers();
  // The signal again, and not caught this time: who started us sees what ended us.
  ::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

void set_last_words(std::function<void()> say) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().last_words = std::move(say);
}

void remove_leftovers() {
  Leftovers& left = leftovers();
  left.mutex.lock();  // and never unlocked: nothing new is begun any more
  for (const pid_t group : left.groups) ::kill(-group, SIGKILL);
  for (const std::string& path : left.paths) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

void request_stop() noexcept { stop_request.store(true, std::memory_order_relaxed); }

void allow_work() noexcept { stop_request.store(false, std::memory_order_relaxed); }

bool is_stop_requested() noexcept { return stop_request.load(std::memory_order_relaxed); }

void stop_if_requested() {
  if (is_stop_requested()) throw Stopped();
}

void clean_up_when_interrupted() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // Who started us with nohup wants it ignored.
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&watched, signal);
  }
  leftovers();
  // Past the limit on the size of a file a write then fails, as on a full disk, instead of ending the process with
  // files half written.
  ::signal(SIGXFSZ, SIG_IGN);
  // Blocked in all threads that follow, so that only the one below gets them, where locks may be taken: a handler could
  // not.
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  std::thread([watched] {
    int signal = 0;
    while (::sigwait(&watched, &signal) != 0) {
    }
    end_by(signal);
  }).detach();
}

RemovedWhenInterrupted::RemovedWhenInterrupted(std::string path) : path_(std::move(path)) {
  const std::lock_guard lock(leftovers().mutex);
  leftovers().paths.insert(path_);
}

RemovedWhenInterrupted::~RemovedWhenInterrupted() { forget(leftovers().paths, path_); }

KilledWhenInterrupted::KilledWhenInterrupted(const std::function<pid_t()>& start) {
  const std::lock_guard lock(leftovers().mutex);
  // Within the lock: an interruption waits until the process is on the list.
  group_ = start();
  if (group_ != 0) leftovers().groups.insert(group_);
}

KilledWhenInterrupted::~KilledWhenInterrupted() {
  if (group_ != 0) forget(leftovers().groups, group_);
}

}  // namespace orrery
