// What one rank does in one round of a pattern, written down as an MPI program would call it: calls that block, calls
// that do not, and waits.
#pragma once

#include <cstdint>
#include <exception>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "workload/workload.h"

namespace orrery::motif {

/// A round is held as a whole, and more steps than these make no sense in one.
inline constexpr std::uint32_t kMostSteps = 1u << 20;
/// Thrown from within the pattern that goes on and on: the one place where all of them come by, whatever parameter
/// makes a round long. Caught where windows are made (pattern_source.h), and an Error from there on.
class RoundTooLong : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "a round has too many steps"; }
};

/// Ranks are those of the pattern, 0 to n - 1; who they are on a machine is for the source to say (pattern_source.h).
///
/// Calls come one after the other: each begins when the one before is done, a call that does not block (isend, irecv)
/// is done at once, and a wait is done when what it waits for is.
class Script {
 public:
  using StepId = std::uint32_t;
  static constexpr std::uint32_t kWorld = ~std::uint32_t{0};

  struct Step {
    workload::ActivityKind kind = workload::ActivityKind::none;
    workload::Collective collective = workload::Collective::all_reduce;
    std::uint32_t phase = 0;  ///< into phases()
    /// Of a message: a rank, or in a group how many places further, round about; of a rooted collective: the root's
    /// place in the group.
    std::uint32_t peer = 0;
    std::uint32_t group = kWorld;
    std::int64_t bytes = 0;  ///< as Program::bytes counts
    std::int64_t tag = 0;
    TimePs duration_ps = 0;
    std::uint32_t parts = 0;  ///< 1 + place in parts(); 0: none
    std::uint32_t first_after = 0, after_count = 0;

    friend bool operator==(const Step&, const Step&) = default;
  };

  /// What the steps from here on belong to: the name of their activities.
  void phase(std::string_view name);

  void compute(TimePs duration);
  void send(std::uint32_t peer, std::int64_t bytes, std::int64_t tag = 0);
  void recv(std::uint32_t peer, std::int64_t bytes, std::int64_t tag = 0);
  StepId isend(std::uint32_t peer, std::int64_t bytes, std::int64_t tag = 0);
  StepId irecv(std::uint32_t peer, std::int64_t bytes, std::int64_t tag = 0);
  /// To, and from, the member of a group (row, column, ...) so many places further, round about.
  StepId isend_in(std::uint32_t group, std::int32_t places, std::int64_t bytes, std::int64_t tag = 0);
  StepId irecv_in(std::uint32_t group, std::int32_t places, std::int64_t bytes, std::int64_t tag = 0);
  void wait(StepId request);
  /// For all that did not block and was not waited for yet.
  void wait_all();
  void collective(workload::Collective collective, std::int64_t bytes, std::uint32_t group = kWorld,
                  std::uint32_t root = 0);
  /// With parts of unequal size, one per member: see Program::parts.
  void collective(workload::Collective collective, std::vector<std::int64_t> parts, std::uint32_t group = kWorld);
  /// Puts the end of the round behind all that must be over by then: the next one then waits for one step, last().
  void close();
  [[nodiscard]] StepId last() const { return pending_.front(); }

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// The steps that a step waits for; none: it is the first, and waits for the end of the round before.
  [[nodiscard]] std::vector<StepId> after(const Step& step) const {
    return {after_.begin() + step.first_after, after_.begin() + step.first_after + step.after_count};
  }
  [[nodiscard]] const std::vector<std::string_view>& phases() const { return phases_; }
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& parts() const { return parts_; }
  void clear();

 private:
  StepId add(Step step, bool blocks);
  void join();

  std::vector<Step> steps_;
  std::vector<StepId> after_;    // of all steps, one after the other
  std::vector<StepId> pending_;  // what the next step waits for
  std::vector<StepId> open_;     // did not block, and nobody waited yet
  std::vector<std::string_view> phases_;
  std::vector<std::vector<std::int64_t>> parts_;
  std::uint32_t phase_ = 0;
};

}  // namespace orrery::motif
