#include "cli/frame/sweep_session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/io/output_file.h"
#include "base/team/checkpoint.h"
#include "cli/frame/command_line.h"
#include "cli/frame/provenance.h"

namespace orrery::cli {
namespace {

/// Flags that change how an answer is made or shown, but none of its points.
constexpr std::string_view kWithoutInfluence[] = {"checkpoint",    "csv",       "json",    "no-color",
                                                  "only-critical", "all-edges", "output",  "overlay",
                                                  "quiet",         "threads",   "verbose", "moves"};

/// The command as far as points depend on it, with flags in one order.
std::string command_of_points(const Invocation& invocation) {
  const CommandLine& line = invocation.command_line();
  std::string command = "orrery " + std::string(line.verb->name);
  for (const std::string& operand : line.operands) command += " " + shell_quote(invocation.shown_name(operand));
  for (const auto& [name, values] : line.flags) {
    if (std::find(std::begin(kWithoutInfluence), std::end(kWithoutInfluence), name) != std::end(kWithoutInfluence))
      continue;
    const Flag* const flag = find_flag(line.verb->flags, name);
    for (const std::string& value : values) {
      command += " --" + name;
      if (flag == nullptr || flag->takes_value()) command += " " + shell_quote(invocation.shown_name(value));
    }
  }
  return command;
}

CheckpointKey key_of(const Invocation& invocation, const Sweep& sweep) {
  CheckpointKey key{
      .version = version(), .command = command_of_points(invocation), .inputs = {}, .points = sweep.size()};
  for (const InputRecord& input : invocation.provenance().inputs)
    key.inputs.push_back({input.path, input.bytes, input.xxh3});
  return key;
}

}  // namespace

Flag checkpoint_flag() {
  return {.name = "checkpoint",
          .value_name = "FILE",
          .kind = ValueKind::output,
          .help = "of a sweep: keep every finished point in FILE; the same command goes on with what is there"};
}

std::optional<UsageError> check_checkpoint(const Invocation& invocation) {
  if (!invocation.has("checkpoint")) return std::nullopt;
  if (!invocation.has("sweep"))
    return UsageError{.message = "--checkpoint keeps the points of a sweep", .hint = "leave it out, or say --sweep"};
  if (is_standard_output(invocation.text("checkpoint")))
    return UsageError{.message = "--checkpoint needs a file, which it goes on with"};
  return std::nullopt;
}

SweepSession::SweepSession(Invocation& invocation) : invocation_(invocation) {
  ProcessTeam* const team = process_team();
  // What standard input holds is here only.
  if (team != nullptr && !invocation.reads_standard_input()) shared_.emplace(*team, kSweepTask, "");
}

Result<std::vector<std::string>> SweepSession::run(const Sweep& sweep, std::function<void(std::size_t)> on_done) {
  std::optional<Checkpoint> checkpoint;
  if (invocation_.has("checkpoint")) {
    Result<Checkpoint> opened = Checkpoint::open(invocation_.text("checkpoint"), key_of(invocation_, sweep));
    if (!opened) return opened.error();
    checkpoint = std::move(*opened);
  }
  return run_sweep(sweep, {.shared = shared_ ? &*shared_ : nullptr,
                           .checkpoint = checkpoint ? &*checkpoint : nullptr,
                           .on_done = std::move(on_done)});
}

}  // namespace orrery::cli
