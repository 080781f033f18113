// Windows of programs as the engine executes them: made when the first rank gets there, kept until the last has.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"
#include "simulate/engine/options.h"
#include "simulate/engine/program_plan.h"
#include "simulate/engine/rank_classes.h"
#include "workload/membership.h"
#include "workload/source.h"

namespace orrery::simulate {

/// A window with its tables, and how much of the program came before it. Shared by all ranks that are in it.
struct PlannedWindow {
  std::shared_ptr<const workload::Program> program;
  std::shared_ptr<const workload::ProgramLines> lines;
  ProgramPlan plan;
  std::vector<workload::CarriedDependency> carried;  ///< by source, then target
  std::uint64_t first_activity = 0;
  std::vector<std::uint64_t> first_on_stream;   ///< by stream
  std::vector<std::uint64_t> first_on_channel;  ///< by channel
  std::uint64_t first_send = 0;

  [[nodiscard]] std::size_t size() const { return plan.size(); }
  /// The carried dependencies on an activity, counted through the program. O(log carried).
  [[nodiscard]] std::span<const workload::CarriedDependency> carried_from(std::uint64_t source) const;
  /// The first activity from `source` on that one of the window waits for; ~0 if there is none. O(log carried).
  [[nodiscard]] std::uint64_t first_carried_from(std::uint64_t source) const;
};

using SharedWindow = std::shared_ptr<const PlannedWindow>;

/// How much of a program a window is.
struct WindowExtent {
  std::uint64_t activities = 0, sends = 0;
  std::vector<std::uint32_t> on_stream, on_channel;

  static WindowExtent of(const PlannedWindow& window);
};

class WindowSupply {
 public:
  /// Restarts the source. All must outlive this.
  WindowSupply(workload::WorkloadSource& source, const workload::Membership& membership, const RankClasses& classes,
               const EngineOptions& options);

  /// The next window of a class of ranks; null after the last. An Error of the source, or of what it made: an activity
  /// that cannot be, that depends on nothing of its window or the one before, groups or channels that were not
  /// announced, more or less than was announced.
  Result<SharedWindow> next(std::uint32_t rank_class);

  /// As the content of a window: there is none, because the program is over or nobody runs it.
  static constexpr std::uint64_t kNoWindow = ~std::uint64_t{0};
  struct LastWindow {
    std::uint64_t first = 0;    ///< activity, counted through the program
    std::uint64_t content = 0;  ///< see WorkloadSource::next_content; or kNoWindow
  };
  [[nodiscard]] std::uint32_t program_count() const { return static_cast<std::uint32_t>(programs_.size()); }
  [[nodiscard]] std::uint32_t program_of(std::uint32_t rank_class) const { return program_of_[rank_class]; }
  /// The window of a program that was made, or passed, last.
  [[nodiscard]] LastWindow last_window(std::uint32_t program) const {
    const ProgramState& state = programs_[program];
    return {state.previous_first, state.is_over || state.classes == 0 ? kNoWindow : state.content};
  }
  [[nodiscard]] std::uint64_t next_content(std::uint32_t program) const { return source_.next_content(program); }
  /// How many activities of each stream were made or passed.
  [[nodiscard]] const std::vector<std::uint64_t>& on_stream(std::uint32_t program) const {
    return programs_[program].on_stream;
  }

  /// How many windows from the next one on hold the same; for a known content.
  [[nodiscard]] std::uint64_t next_alike(std::uint32_t program) const { return source_.next_alike(program); }
  /// Every class of the program has been given all windows that were made: the next `count`, all of one known content
  /// and extent, are not made. Not for programs that are over. When all were passed that are to be, the classes are
  /// told how many.
  void pass(std::uint32_t program, const WindowExtent& extent, std::uint64_t count);
  void pass_classes(std::uint64_t windows);

 private:
  struct Made {
    SharedWindow window;
    std::uint32_t still_needed_by = 0;  ///< classes
  };
  struct ProgramState {
    std::deque<Made> kept;
    std::uint64_t first_kept = 0;  ///< number of the first window that is kept
    std::uint32_t classes = 0;
    std::uint32_t rank = 0;  ///< the first that runs it
    bool is_over = false;
    // of all windows so far
    std::uint64_t previous_first = 0, activities = 0, sends = 0;
    std::uint64_t content = 0;  ///< of the last one
    std::vector<std::uint64_t> on_stream, on_channel;
  };

  Status make(std::uint32_t program);
  Result<SharedWindow> plan(std::uint32_t program, workload::Window window);
  [[nodiscard]] Status check_anchored(const ProgramState& state, const PlannedWindow& window) const;
  [[nodiscard]] Status check_length(std::uint32_t program) const;

  workload::WorkloadSource& source_;
  const workload::Membership& membership_;
  const EngineOptions& options_;
  std::vector<ProgramState> programs_;
  std::vector<std::uint32_t> program_of_;  // by class
  std::vector<std::uint64_t> taken_;       // by class: windows
};

}  // namespace orrery::simulate
