// The program but for its streams: parses, runs the verb, prints what comes of it, and turns every way of failing into
// an exit code.
#pragma once

#include <span>
#include <string>

#include "cli/frame/console.h"
#include "cli/frame/hosting.h"
#include "cli/frame/verb.h"

namespace orrery::cli {

/// `arguments` without the program's name. Throws nothing. `hosting`: of a program that runs verbs within itself, one
/// at a time.
ExitCode run(std::span<const std::string> arguments, const Console& console, std::span<const Verb* const> table,
             Hosting* hosting = nullptr);

}  // namespace orrery::cli
