#include "base/team/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/interrupt.h"

namespace orrery {
namespace {

constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{50};

// What the child begins with: its own process group, so that it can be killed with its children, redirected streams,
// and no signal blocked.
class SpawnSetup {
 public:
  explicit SpawnSetup(const std::string& output_path) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0644);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<ProcessOutcome> run_process(const std::vector<std::string>& command, const std::string& output_path,
                                   std::chrono::milliseconds timeout) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  SpawnSetup setup(output_path);
  int failure = 0;
  const KilledWhenInterrupted started([&]() -> pid_t {
    pid_t pid = 0;
    failure = ::posix_spawnp(&pid, command[0].c_str(), setup.actions(), setup.attributes(), arguments.data(), environ);
    return failure == 0 ? pid : 0;
  });
  if (failure != 0) return Error{std::string("cannot be started: ") + std::strerror(failure), command[0]};
  const pid_t child = started.group();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  ProcessOutcome outcome;
  int status = 0;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    // Once killed it ends soon, and must be waited for all the same, or it stays as a zombie.
    const pid_t ended = ::waitpid(child, &status, outcome.timed_out ? 0 : WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR)
      return Error{std::string("cannot be waited for: ") + std::strerror(errno), command[0]};
    if (outcome.timed_out) continue;
    if (std::chrono::steady_clock::now() >= deadline) {
      outcome.timed_out = true;
      // The whole group: simulators start helpers, which would go on computing.
      ::kill(-child, SIGKILL);
      continue;
    }
    std::this_thread::sleep_for(pause);
  }
  // As shells say it.
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace orrery
