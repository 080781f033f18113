#include "cli/frame/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <new>

#include "base/interrupt.h"
#include "base/io/shrinking_input.h"
#include "base/parallel.h"
#include "base/units.h"
#include "cli/frame/command_line.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/help.h"
#include "cli/frame/invocation.h"
#include "cli/frame/outcome.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

constexpr std::int64_t kMostThreads = 4096;

ExitCode print_version(Invocation& invocation) {
  report::Answer answer = invocation.context().answer();
  answer.line(fmt::format("orrery {}", ask::version()));
  answer.line(ask::has_otf2() ? "with OTF2" : "without OTF2");
  answer.facts().field("version", ask::version()).field("otf2", ask::has_otf2());
  return invocation.deliver(std::move(answer));
}

// --help and --version are verbs in disguise, so that --json and -o hold for them too.
void resolve_disguised_verbs(CommandLine& line) {
  static const Verb version_verb = {.name = "version", .summary = "print the version", .run = print_version};
  if (line.has("help")) {
    line.operands.clear();
    if (line.verb != nullptr) line.operands.emplace_back(line.verb->family());
    if (line.verb != nullptr && line.verb->word() != line.verb->name) line.operands.emplace_back(line.verb->word());
    line.verb = &help_verb();
  } else if (line.has("version")) {
    line.operands.clear();
    line.verb = &version_verb;
  } else {
    return;
  }
  // Those of the verb that is not run are none of theirs.
  std::erase_if(line.flags, [](const auto& flag) { return find_flag(global_flags(), flag.first) == nullptr; });
}

/// Paths on the command line that are read, or that are written.
std::vector<std::string> named_files(const Invocation& invocation, bool written) {
  std::vector<std::string> files;
  if (!written) files = invocation.operands();
  const ValueKind wanted = written ? ValueKind::output : ValueKind::file;
  for (const auto& [name, values] : invocation.command_line().flags) {
    const Flag* flag = find_flag(invocation.verb().flags, name);
    if (flag == nullptr) flag = find_flag(global_flags(), name);
    if (flag != nullptr && flag->kind == wanted) files.insert(files.end(), values.begin(), values.end());
  }
  return files;
}

// What contradicts itself whatever the verb.
std::optional<UsageError> check_request(Invocation& invocation) {
  if (invocation.integer("threads") > kMostThreads)
    return UsageError{.message = fmt::format("--threads: at most {}", kMostThreads)};
  if (invocation.json() && invocation.writes_data_to_stdout())
    return UsageError{.message = "--json and another output both go to standard output",
                      .hint = "give one of them a file"};
  if (invocation.json() && invocation.csv())
    return UsageError{.message = "--csv and --json are two forms of one answer", .hint = "choose one of them"};
  // The same rule as for every file that is written (base/io/output_set.h), before any work is done.
  for (const std::string& input : named_files(invocation, false)) invocation.outputs().protect(input);
  for (const std::string& output : named_files(invocation, true)) {
    std::error_code none;
    // What goes into a folder has names of its own, which are checked when they are known.
    if (std::filesystem::is_directory(output, none)) continue;
    if (const Status allowed = OutputSet::check_target(output); !allowed)
      return UsageError{.message = allowed.error().file + ": " + allowed.error().message, .hint = allowed.error().hint};
  }
  return {};
}

double cpu_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void log_cost(const Invocation& invocation, std::chrono::steady_clock::time_point start) {
  if (!invocation.verbose()) return;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  invocation.log(fmt::format("{}: {:.3f} s, {:.3f} s of CPU, {} of memory at most", invocation.verb().name, wall_s,
                             cpu_seconds(usage.ru_utime) + cpu_seconds(usage.ru_stime), format_bytes(peak_bytes)));
}

constexpr DiagnosticKind kFormerName{"Z101", Severity::note, "flag that has another name now",
                                     "the former one goes with the next release"};

ExitCode run_verb(Invocation& invocation) {
  // Former names work, but are remarked on.
  for (const std::string& renamed : invocation.command_line().renamed)
    invocation.diagnostics().add(kFormerName, [&] { return renamed; });
  if (const auto problem = check_request(invocation)) return finish_failed(invocation, Failure::from(*problem));
  if (const Status taken = invocation.take_standard_input(); !taken)
    return finish_failed(invocation, Failure::from(taken.error()));
  const auto start = std::chrono::steady_clock::now();
  const EndsWhenInputShrinks guard([&](const Error& error) {
    // The process ends with it: a program that runs us within itself gets no chance to say why.
    if (invocation.hosting() != nullptr)
      system_console().write_err(format_failure(Failure::from(error), report::Style(false)));
    return static_cast<int>(finish_failed(invocation, Failure::from(error)));
  });
  set_thread_count(static_cast<std::size_t>(invocation.integer("threads")));
  const ExitCode code = finish(invocation, invocation.verb().run(invocation));
  log_cost(invocation, start);
  return code;
}

ExitCode run_command(Invocation& invocation) {
  const CommandLine& line = invocation.command_line();
  if (line.error) return finish_failed(invocation, Failure::from(*line.error));
  if (line.verb == nullptr) {
    return finish_failed(invocation, Failure::from(UsageError{.message = "no verb was given",
                                                              .hint = "`orrery --help` lists the verbs"}));
  }
  try {
    return run_verb(invocation);
  } catch (const Stopped& stopped) {
    return finish_failed(invocation,
                         {.code = ExitCode::internal, .message = stopped.what(), .excerpt = {}, .hint = {}});
  } catch (const std::bad_alloc&) {
    // The one exception that an input alone can cause, so it gets a hint of its own.
    return finish_failed(invocation, {.code = ExitCode::internal,
                                      .message = "out of memory",
                                      .excerpt = {},
                                      .hint = "use fewer inputs at once or fewer --threads"});
  } catch (const std::exception& problem) {
    return finish_failed(invocation, {.code = ExitCode::internal,
                                      .message = fmt::format("internal error: {}", problem.what()),
                                      .excerpt = {},
                                      .hint = "please report this command as a bug"});
  }
}

}  // namespace

ExitCode run(std::span<const std::string> arguments, const Console& console, std::span<const Verb* const> table,
             Hosting* hosting) {
  try {
    return run(parse_command_line(arguments, table), console, table, hosting);
  } catch (...) {
    console.write_err("orrery: error: failed while reporting a failure; most likely out of memory\n");
    return ExitCode::internal;
  }
}

ExitCode run(CommandLine line, const Console& console, std::span<const Verb* const> table, Hosting* hosting) {
  try {
    if (!line.error) resolve_disguised_verbs(line);
    Invocation invocation(std::move(line), console, table, hosting);
    return run_command(invocation);
  } catch (...) {
    console.write_err("orrery: error: failed while reporting a failure; most likely out of memory\n");
    return ExitCode::internal;
  }
}

}  // namespace orrery::cli
