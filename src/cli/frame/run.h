// The program but for its streams: parses, runs the verb, prints what comes of it, and turns every way of failing into
// an exit code.
#pragma once

#include <span>
#include <string>

#include "cli/frame/command_line.h"
#include "cli/frame/console.h"
#include "cli/frame/hosting.h"
#include "cli/frame/verb.h"

namespace orrery::cli {

/// `arguments` without the program's name. Throws nothing. `hosting`: of a program that runs verbs within itself, one
/// at a time.
ExitCode run(std::span<const std::string> arguments, const Console& console, std::span<const Verb* const> table,
             Hosting* hosting = nullptr);
/// The same of a command line that is parsed already.
ExitCode run(CommandLine line, const Console& console, std::span<const Verb* const> table, Hosting* hosting);

}  // namespace orrery::cli
