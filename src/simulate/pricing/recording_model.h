// Keeps what a workload asked of its network, and when: the material of snapshots.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "simulate/network_model.h"

namespace orrery::simulate {

/// An operation that ran. Some 80 bytes.
struct RecordedOp {
  OpId id = 0;
  CommOp::Kind kind = CommOp::Kind::message;
  workload::Collective collective = workload::Collective::all_reduce;
  std::int64_t bytes = 0;
  std::uint32_t rank_set = 0;  ///< into Recording::rank_sets
  std::uint32_t parts = 0;     ///< 1 + place in Recording::parts; 0: none
  std::uint32_t root = 0;
  std::uint64_t flow = 0;
  TimePs recorded_ps = 0;
  TimePs start_ps = 0;
  TimePs end_ps = 0;
};

/// All operations of a run. A plain value.
struct Recording {
  std::vector<std::vector<std::uint32_t>> rank_sets;  ///< each once, in the order of the group
  std::vector<std::vector<std::int64_t>> parts;
  std::vector<RecordedOp> ops;  ///< by id

  /// Refers to the recording.
  [[nodiscard]] CommOp op(std::size_t i) const;
};

/// Passes everything on to another model, which must outlive it.
class RecordingModel final : public NetworkModel {
 public:
  explicit RecordingModel(NetworkModel& model) : model_(model) {}

  Result<Price> estimate(const CommOp& op) override { return model_.estimate(op); }
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override { return model_.estimate(ops); }
  Status start(OpId id, const CommOp& op, TimePs now) override;
  [[nodiscard]] TimePs next_event() const override { return model_.next_event(); }
  void advance(TimePs now, std::vector<OpId>& finished) override;
  /// Forgets the operations as well.
  void restart() override;
  [[nodiscard]] Price price(OpId id) const override { return model_.price(id); }
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return model_.link_uses(); }
  void record_links(LinkRecorder* recorder) override { model_.record_links(recorder); }

  /// What ran since the last restart; the recorder is empty afterwards, and the model as it was.
  Recording take();

 private:
  std::uint32_t intern(std::span<const std::uint32_t> ranks);

  NetworkModel& model_;
  Recording recording_;
  std::unordered_map<OpId, std::size_t> place_of_;  // in flight
  std::map<std::vector<std::uint32_t>, std::uint32_t> rank_set_numbers_;
};

}  // namespace orrery::simulate
