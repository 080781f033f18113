// Other programs in a test: shells that read our completions, groff that reads our man page, and our own binary.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <string>

namespace orrery::cli {

struct ShellResult {
  int exit_code = -1;
  std::string output;  ///< stdout; redirect stderr in the command to see it
};

inline ShellResult shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = ::fread(block.data(), 1, block.size(), pipe)) > 0;)
    result.output.append(block.data(), got);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline bool has_program(const std::string& name) {
  return shell("command -v " + name + " >/dev/null 2>&1").exit_code == 0;
}

}  // namespace orrery::cli
