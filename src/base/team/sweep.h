// Many points of one question, each solved on its own: by all threads, by all processes, and not again if a checkpoint
// has them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/team/checkpoint.h"
#include "base/team/process_team.h"

namespace orrery {

/// A point's answer is bytes (packed.h), the same whoever finds it.
class Sweep {
 public:
  virtual ~Sweep() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// The answers to the points of these numbers, which ascend; on up to thread_count() threads.
  [[nodiscard]] virtual std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const = 0;
  /// How many points are worth solving together.
  [[nodiscard]] virtual std::size_t smallest_batch() const { return 1; }
};

/// The name by which other processes know that points are to be solved; they open the same sweep by the same command.
inline constexpr std::string_view kSweepTask = "sweep";
std::unique_ptr<SharedTask> make_sweep_task(std::unique_ptr<Sweep> sweep);

struct SweepRun {
  ProcessTeam::Work* shared =
      nullptr;                       ///< of a team whose others have opened the sweep; null: all points are solved here
  Checkpoint* checkpoint = nullptr;  ///< null: none is kept
  std::function<void(std::size_t points)> on_done = {};  ///< so many more are done
};

/// The answers by number. An Error is that of the lowest point without an answer, or of the checkpoint.
Result<std::vector<std::string>> run_sweep(const Sweep& sweep, const SweepRun& run);

}  // namespace orrery
