// A sweep of a verb: shared with other processes if there are any, and kept in the file of --checkpoint if it is asked
// for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/team/process_team.h"
#include "base/team/sweep.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// --checkpoint, of verbs that sweep.
Flag checkpoint_flag();
/// What is wrong with it, if it was given.
std::optional<UsageError> check_checkpoint(const Invocation& invocation);

/// Made before anything is read: from then on other processes open the sweep of the same command (Verb::open_sweep),
/// while this one does.
class SweepSession {
 public:
  explicit SweepSession(Invocation& invocation);

  /// The answers by number. Once, when all inputs were told (Invocation::add_input). An Error also if the checkpoint is
  /// of something else.
  Result<std::vector<std::string>> run(const Sweep& sweep, std::function<void(std::size_t points)> on_done = {});

 private:
  Invocation& invocation_;
  std::optional<ProcessTeam::Work> shared_;
};

}  // namespace orrery::cli
