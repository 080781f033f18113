// What a workload asked of its network, and when: the material of snapshots, and what can be asked of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "machine/topology/network.h"
#include "simulate/collective/lowering.h"
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
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return model_.link_uses(); }

  /// What ran since the last restart; the recorder is empty afterwards, and the model as it was.
  Recording take();

 private:
  /// Forgets the operations as well.
  void reset(LinkRecorder* recorder) override;
  std::uint32_t intern(std::span<const std::uint32_t> ranks);

  NetworkModel& model_;
  Recording recording_;
  std::unordered_map<OpId, std::size_t> place_of_;  // in flight
  std::map<std::vector<std::uint32_t>, std::uint32_t> rank_set_numbers_;
};

// How far two schedules of the same operations lie apart: whether prices that were taken from one still belong to the
// other.

/// The most that the start of any operation moved. Operations of only one of the two are passed over.
TimePs largest_shift_ps(const Recording& before, const Recording& after);

/// 1 - |A and B| / |A or B|, A and B being whom an operation overlaps before and after; the mean over operations, of
/// which at most kMostCompared are looked at, evenly taken. 0 for operations that overlap nobody in either.
double overlap_mismatch(const Recording& before, const Recording& after);
inline constexpr std::size_t kMostCompared = 4096;

// Which fabric an operation is of, for whoever prices fabrics apart: the outermost dimension of the machine in which
// its ranks differ. That is only right where fabrics share no link: a NIC behind the PCIe switch of the NVLink ports,
// or a collective that goes through a node and then between nodes, makes them share.

/// By operation.
std::vector<std::uint32_t> fabrics_of(const Recording& recording, const machine::Network& network);

/// The links that operations of different fabrics cross, ascending.
Result<std::vector<machine::LinkId>> links_of_several_fabrics(const Recording& recording,
                                                              std::span<const std::uint32_t> fabric_of,
                                                              Lowering& lowering);

}  // namespace orrery::simulate
