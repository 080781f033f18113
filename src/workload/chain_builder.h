// A program whose activities mostly follow one another, as one stream of a rank runs them: the rule by which training
// steps and inference hang together, however they were thought up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "workload/program_builder.h"
#include "workload/source.h"

namespace orrery::workload {

/// Ids count on from `first_id`. The chain is what the next activity waits for; what runs beside it, because another
/// stream carries it, leaves its end where it was, and whoever needs that depends on it by its id.
class ChainBuilder {
 public:
  /// For a later window of a program: `chain` is the activity of an earlier one that this one goes on after.
  explicit ChainBuilder(std::uint64_t first_id = 0, std::optional<std::uint64_t> chain = std::nullopt)
      : first_id_(first_id), chain_(chain) {}

  /// Waits for nothing so far. Returns its id.
  std::uint64_t add(Activity activity);
  /// Waits for the chain, and is its new end if it `joins` it.
  std::uint64_t append(const Activity& activity, bool joins = true);
  /// The activity added last waits for `on`, of this window or an earlier one.
  void depend(std::uint64_t on, Dependency type = Dependency::data);
  /// As ProgramBuilder::repeat(); the chain stays where it was.
  void repeat(std::size_t first, std::size_t count, std::uint64_t before, std::uint64_t now) {
    builder_.repeat(first, count, before, now);
  }

  [[nodiscard]] const std::optional<std::uint64_t>& chain() const { return chain_; }
  void set_chain(std::uint64_t id) { chain_ = id; }
  [[nodiscard]] std::size_t size() const { return builder_.size(); }
  [[nodiscard]] std::uint64_t first_id() const { return first_id_; }
  [[nodiscard]] std::uint64_t next_id() const { return first_id_ + builder_.size(); }

  Result<Program> program() && { return std::move(builder_).build(); }
  Result<Window> window() &&;

 private:
  std::uint64_t first_id_;
  std::optional<std::uint64_t> chain_;
  ProgramBuilder builder_;
  std::vector<CarriedDependency> carried_;
};

/// A turn of a pipeline's stage: the forward or backward pass with this number.
struct PipelineTurn {
  bool is_forward = true;
  std::uint32_t number = 0;
};
/// One forward and one backward pass in turn, after `ahead` forward passes, until all `passes` of both kinds were run
/// (PipeDream-Flush: Narayanan et al., Memory-efficient pipeline-parallel DNN training, 2021).
std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t passes, std::uint32_t ahead);

}  // namespace orrery::workload
