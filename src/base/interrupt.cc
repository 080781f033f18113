#include "base/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace orrery {
namespace {

struct Leftovers {
  std::mutex mutex;
  std::vector<std::string> paths;
  std::vector<pid_t> groups;
};

// Never destroyed: the thread below may outlive main.
Leftovers& leftovers() {
  static auto* const all = new Leftovers;
  return *all;
}

template <typename T>
void forget(std::vector<T>& list, const T& item) {
  const std::lock_guard lock(leftovers().mutex);
  list.erase(std::find(list.begin(), list.end(), item));
}

[[noreturn]] void end_by(int signal) {
  remove_leftovers();
  ::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

void remove_leftovers() {
  Leftovers& left = leftovers();
  left.mutex.lock();  // and never unlocked: nothing new is begun any more
  for (const pid_t group : left.groups) ::kill(-group, SIGKILL);
  for (const std::string& path : left.paths) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

void clean_up_when_interrupted() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&watched, signal);
  }
  leftovers();
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
  leftovers().paths.push_back(path_);
}

RemovedWhenInterrupted::~RemovedWhenInterrupted() { forget(leftovers().paths, path_); }

KilledWhenInterrupted::KilledWhenInterrupted(const std::function<pid_t()>& start) {
  const std::lock_guard lock(leftovers().mutex);
  group_ = start();
  if (group_ != 0) leftovers().groups.push_back(group_);
}

KilledWhenInterrupted::~KilledWhenInterrupted() {
  if (group_ != 0) forget(leftovers().groups, group_);
}

}  // namespace orrery
