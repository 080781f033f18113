#include "ask/sweep_session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ask/provenance.h"
#include "base/io/output_file.h"
#include "base/team/checkpoint.h"

namespace orrery::ask {
namespace {

CheckpointKey key_of(const Context& context, const Sweep& sweep) {
  CheckpointKey key{
      .version = version(), .command = context.setting().question_of_points(), .inputs = {}, .points = sweep.size()};
  for (const InputRecord& input : context.provenance().inputs)
    key.inputs.push_back({input.path, input.bytes, input.xxh3});
  return key;
}

}  // namespace

Status check_checkpoint(const std::optional<std::string>& checkpoint, bool sweeps) {
  if (!checkpoint) return {};
  if (!sweeps) return misuse("--checkpoint keeps the points of a sweep", "leave it out, or say --sweep");
  if (is_standard_output(*checkpoint)) return misuse("--checkpoint needs a file, which it goes on with");
  return {};
}

SweepSession::SweepSession(Context& context, std::optional<std::string> checkpoint)
    : context_(context), checkpoint_(std::move(checkpoint)) {
  // A checkpoint is of these very inputs.
  if (checkpoint_) context.keep_hashes();
  ProcessTeam* const team = process_team();
  // What standard input holds is here only.
  if (team != nullptr && !context.reads_standard_input()) shared_.emplace(*team, kSweepTask, "");
}

Result<std::vector<std::string>> SweepSession::run(const Sweep& sweep, std::function<void(std::size_t)> on_done) {
  std::optional<Checkpoint> checkpoint;
  if (checkpoint_) {
    Result<Checkpoint> opened = Checkpoint::open(*checkpoint_, key_of(context_, sweep));
    if (!opened) return opened.error();
    checkpoint = std::move(*opened);
  }
  return run_sweep(sweep, {.shared = shared_ ? &*shared_ : nullptr,
                           .checkpoint = checkpoint ? &*checkpoint : nullptr,
                           .on_done = std::move(on_done)});
}

}  // namespace orrery::ask
