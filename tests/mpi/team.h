// Our program, alone and under mpirun.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"

namespace orrery::testing {

struct Ended {
  int code = -1;  ///< 128 + signal if it was ended by one
  std::string out, err;
};

inline std::string content_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A program that runs, with its output going to files.
class Started {
 public:
  explicit Started(std::vector<std::string> command, const std::vector<std::string>& environment = {}) {
    process_ = ::fork();
    if (process_ != 0) return;
    for (const auto& [name, stream] : {std::pair{"out", 1}, std::pair{"err", 2}}) {
      const int file = ::open(folder_.path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(file, stream);
    }
    ::close(0);
    ::open("/dev/null", O_RDONLY);
    for (const std::string& setting : environment) ::putenv(const_cast<char*>(setting.c_str()));
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  ~Started() {
    if (!has_ended_) ::kill(process_, SIGKILL), end();
  }

  [[nodiscard]] pid_t process() const { return process_; }
  Ended end() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    has_ended_ = true;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(folder_.path("out")),
            content_of(folder_.path("err"))};
  }
  /// The processes that it started, and those that they did, that run our program.
  [[nodiscard]] std::vector<pid_t> workers() const { return workers_below(process_); }

 private:
  static std::vector<pid_t> workers_below(pid_t parent) {
    std::vector<pid_t> all;
    std::ifstream children("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
    for (pid_t child = 0; children >> child;) {
      const std::string command = content_of("/proc/" + std::to_string(child) + "/cmdline");
      if (command.substr(0, command.find('\0')) == ORRERY_BINARY) all.push_back(child);
      for (const pid_t below : workers_below(child)) all.push_back(below);
    }
    return all;
  }

  TempDir folder_;
  pid_t process_ = 0;
  bool has_ended_ = false;
};

inline std::vector<std::string> team_command(int processes, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{ORRERY_MPIRUN, "--allow-run-as-root",     "--oversubscribe", "-q",
                                   "-n",          std::to_string(processes), ORRERY_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

inline Ended run_alone(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{ORRERY_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Started(command).end();
}

inline Ended run_team(int processes, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {}) {
  return Started(team_command(processes, arguments), environment).end();
}

inline const std::string& data_folder() {
  static const std::string folder = ORRERY_SOURCE_DIR "/data/";
  return folder;
}

}  // namespace orrery::testing
