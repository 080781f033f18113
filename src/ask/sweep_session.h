// A sweep of a verb: shared with other processes if there are any, and kept in the file of --checkpoint if it is asked
// for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "base/result.h"
#include "base/team/process_team.h"
#include "base/team/sweep.h"

namespace orrery::ask {

/// Whether a file for finished points goes with the question: a misuse if nothing is swept, or if it is no file.
Status check_checkpoint(const std::optional<std::string>& checkpoint, bool sweeps);

/// Made before anything is read: from then on other processes open the sweep of the same command,
/// while this one does.
class SweepSession {
 public:
  /// `checkpoint`: the file that keeps finished points; none: they are not kept.
  SweepSession(Context& context, std::optional<std::string> checkpoint);

  /// The answers by number. Once, when all inputs were told (Context::add_input). An Error also if the checkpoint is
  /// of something else.
  Result<std::vector<std::string>> run(const Sweep& sweep, std::function<void(std::size_t points)> on_done = {});

 private:
  Context& context_;
  std::optional<std::string> checkpoint_;
  std::optional<ProcessTeam::Work> shared_;
};

}  // namespace orrery::ask
