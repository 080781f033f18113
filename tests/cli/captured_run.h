// The program in a test: run with arguments, outputs caught in strings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/frame/run.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {

struct CapturedRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline CapturedRun run_captured(const std::vector<std::string>& arguments, std::span<const Verb* const> table = verbs(),
                                bool colour = false) {
  CapturedRun result;
  const Console console{.write_out = [&](std::string_view text) { return result.out += text, 0; },
                        .write_err = [&](std::string_view text) { result.err += text; },
                        .colour_out = colour,
                        .colour_err = colour};
  result.exit_code = static_cast<int>(run(arguments, console, table));
  return result;
}

}  // namespace orrery::cli
