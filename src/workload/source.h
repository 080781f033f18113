// Workloads that are made as they are needed: a program comes in windows, one after the other, so that a job of a
// million steps takes the memory of a few. A Workload in memory is the simplest source: every program is one window.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "workload/matching.h"
#include "workload/program_lines.h"
#include "workload/workload.h"

namespace orrery::workload {

/// An activity waits for one of an earlier window.
struct CarriedDependency {
  std::uint64_t source = 0;  ///< counted through all windows of the program, from 0
  std::uint32_t target = 0;  ///< within the window
  Dependency type = Dependency::data;
};

/// The next activities of a program. Windows are only how a program is delivered: all of them, one after the other, are
/// the program, and what it does does not depend on where it was cut.
///
/// So that the window after this one is not needed before this one has begun, every activity of all but the first
/// window depends on another of its own window or of the one before; and beside that on whatever came earlier. Ids
/// ascend from window to window.
struct Window {
  std::shared_ptr<const Program> program;
  std::vector<CarriedDependency> carried;
  /// If they are known already; else whoever needs them makes them.
  std::shared_ptr<const ProgramLines> lines = {};
};

/// Ranks that share a program get the same windows, each at its own time. Used by one thread.
class WorkloadSource {
 public:
  virtual ~WorkloadSource() = default;

  /// Ranks, roles, groups and texts; of programs only who runs which. Texts are added as windows are made; the rest
  /// does not change.
  [[nodiscard]] virtual const Workload& job() const = 0;
  [[nodiscard]] virtual std::uint32_t program_count() const = 0;
  /// Whom the program speaks to: all groups and channels that any of its windows will use.
  [[nodiscard]] virtual const ProgramStructure& structure(std::uint32_t program) const = 0;
  /// The window after the one made last; nothing after the last one. An Error ends the job.
  virtual Result<std::optional<Window>> next_window(std::uint32_t program) = 0;
  /// All programs begin again with their first windows, which are the same as before.
  virtual void restart() = 0;

  /// What the window after the one made last holds, as a number: windows of one program with the same number other than
  /// 0 are the same but for their ids and the activities of earlier windows that they wait for, and whatever the next
  /// window holds waits for the same one activity of them. 0: nothing is promised.
  [[nodiscard]] virtual std::uint64_t next_content(std::uint32_t /*program*/) const { return 0; }
  /// Where that is not 0: how many windows from that one on, one after the other, are known to hold the same.
  [[nodiscard]] virtual std::uint64_t next_alike(std::uint32_t /*program*/) const { return 1; }
  /// Goes on as if so many windows after the one made last had been made, at most next_alike() of them. Their content
  /// is not 0, and was made before.
  virtual void pass_windows(std::uint32_t /*program*/, std::uint64_t /*count*/) {}

  /// Who may meet whom, if all that workload/matching.h asks for was looked at already; else null.
  [[nodiscard]] virtual const Membership* checked() const { return nullptr; }
};

/// A workload in memory: one window per program, matched before anything is asked for.
class WholeWorkload : public WorkloadSource {
 public:
  /// An Error is that of Matching::of. `workload` must outlive this.
  static Result<WholeWorkload> of(const Workload& workload);

  [[nodiscard]] const Workload& job() const override { return matching_.workload(); }
  [[nodiscard]] std::uint32_t program_count() const override { return static_cast<std::uint32_t>(made_.size()); }
  [[nodiscard]] const ProgramStructure& structure(std::uint32_t program) const override {
    return matching_.membership().structures()[program];
  }
  Result<std::optional<Window>> next_window(std::uint32_t program) override;
  void restart() override { made_.assign(made_.size(), false); }
  [[nodiscard]] const Membership* checked() const override { return &matching_.membership(); }
  [[nodiscard]] const Matching& matching() const { return matching_; }

 private:
  explicit WholeWorkload(Matching matching);

  Matching matching_;
  std::vector<bool> made_;  // per program
};

/// All windows of all programs in memory, for what needs the whole: files, other simulators, causes. The source is
/// restarted before and after. An Error of the source, or for more activities of one program than fit.
Result<Workload> collect(WorkloadSource& source);

}  // namespace orrery::workload
