// How long communication takes: the one interface behind which every network timing model stands.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/int128.h"
#include "base/result.h"
#include "base/units.h"
#include "machine/communication.h"
#include "machine/topology/network.h"
#include "simulate/event_queue.h"
#include "simulate/link_series.h"
#include "workload/workload.h"

namespace orrery::simulate {

// Bytes that are fractions of transfers, added up without rounding.

/// In units of 2^-32 byte: what is added is rounded to that, and sums are exact, so that they do not depend on the
/// order in which they were made, and n times a sum is what adding it n times would give.
class ByteSum {
 public:
  /// At least 0, and below 2^63.
  void add(double bytes) {
    const auto whole = static_cast<std::int64_t>(bytes);
    units_ += static_cast<Int128>(whole) << kFractionBits;
    units_ += std::llround((bytes - static_cast<double>(whole)) * 0x1p32);
  }
  void add(const ByteSum& other) { units_ += other.units_; }
  void add(const ByteSum& other, std::uint64_t times) { units_ += other.units_ * static_cast<Int128>(times); }
  [[nodiscard]] ByteSum minus(const ByteSum& other) const {
    ByteSum difference;
    difference.units_ = units_ - other.units_;
    return difference;
  }
  [[nodiscard]] double bytes() const { return static_cast<double>(units_) * 0x1p-32; }

  friend bool operator==(const ByteSum&, const ByteSum&) = default;

 private:
  static constexpr int kFractionBits = 32;
  Int128 units_ = 0;
};

/// How what is recorded of communication differs from what links alone would make of it. See
/// analyze/whatif/job_calibration.h.
struct Calibration {
  TimePs alpha_ps = 0;    ///< on top of the alpha; below 0 it is taken off, as far as there is any
  double efficiency = 1;  ///< the share of the links' bandwidth that is got out of them; above 0

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// An operation that is like another in all but who takes part.
struct AlikeOp {
  std::span<const std::uint32_t> ranks;  ///< as CommOp's
  std::uint64_t flow = 0;                ///< likewise
};

/// One communication: a collective over `ranks`, or a message from ranks[0] to ranks[1].
struct CommOp {
  enum class Kind : std::uint8_t { message, collective };

  Kind kind = Kind::message;
  workload::Collective collective = workload::Collective::all_reduce;
  /// Of a message: its size. all_reduce, reduce_scatter, reduce, broadcast: of the whole buffer on one rank.
  /// all_gather, gather: of the whole result. all_to_all, scatter: of what one rank (the root) sends, its own share
  /// included. barrier: ignored.
  std::int64_t bytes = 0;
  std::span<const std::uint32_t> ranks;  ///< in the order of the group; outlives the call it is passed to
  /// Where parts are of unequal size, what each member puts in (all_gather, gather) or gets (reduce_scatter, scatter),
  /// or each sends to each (all_to_all, by sender); see workload/collective_parts.h. Empty: `bytes` says it all.
  std::span<const std::int64_t> parts = {};
  std::uint32_t root = 0;        ///< of a rooted collective: an index into `ranks`
  std::uint64_t flow = 0;        ///< tells apart operations between the same ranks, for ECMP
  Calibration calibration = {};  ///< minded by the models of links; algorithms are chosen without it
  TimePs recorded_ps =
      0;  ///< what it took when it was recorded: the shortest of its sides, which waited for the others; 0: not known
  /// Of a collective: how it is done, whatever the machine's settings say; none: as they say.
  std::optional<machine::CollectiveAlgorithm> algorithm = {};
  /// Those that start and end with this one, and are not started by themselves: see NetworkFolding.
  std::span<const AlikeOp> alike = {};
};

/// What one operation costs.
struct Price {
  static constexpr machine::LinkId kNoLink = ~machine::LinkId{0};

  TimePs total_ps = 0;  ///< alpha_ps + beta_ps
  TimePs alpha_ps = 0;  ///< latencies, launches, overheads: does not grow with bytes or sharing
  TimePs beta_ps = 0;   ///< moving bytes
  machine::LinkId bottleneck = kNoLink;
  double slowdown = 1;  ///< beta_ps over what it would be alone; 1 when alone

  friend bool operator==(const Price&, const Price&) = default;
};

/// What a link did during a simulation.
struct LinkUse {
  std::uint64_t bytes = 0;
  TimePs busy_ps = 0;              ///< time during which it carried anything
  std::uint32_t peak_sharing = 0;  ///< most operations at once
};

/// The same as numbers that can be subtracted and added up exactly.
struct LinkCount {
  ByteSum bytes;
  TimePs busy_ps = 0;

  friend bool operator==(const LinkCount&, const LinkCount&) = default;
};

using OpId = std::uint64_t;

/// A collective whose end is known before it starts, unless somebody else comes to its links until then.
struct PredictedOp {
  TimePs end_ps = 0;
  // What the model needs to know of it.
  TimePs flow_begin_ps = 0;
  double flow_bytes = 0;
  std::uint32_t place = 0;
  bool is_measured = false;  ///< as NetworkModel::is_measured
};

/// What lookahead asks of a model, beside what every model can do.
class NetworkLookahead {
 public:
  /// A collective that is to start at `start` >= now, if the model can tell when it would end: it is not started.
  virtual std::optional<PredictedOp> predict(const CommOp& op, TimePs start) = 0;
  /// It will happen as it was predicted at this moment, and counts as if it had: neither start() nor advance() have to
  /// do with it. Whatever comes to its links before it ends makes that wrong.
  virtual void commit(const PredictedOp& op) = 0;
  /// Something came in the way of what was committed since restart(): all answers since are void.
  [[nodiscard]] virtual bool has_mispredicted() const = 0;

 protected:
  ~NetworkLookahead() = default;  // nobody owns a model by this part of it
};

/// What passing over a steady state asks of a model, beside what every model can do.
class NetworkSteadyState {
 public:
  /// Nothing is in flight, and the model remembers nothing of what was but what it counted: from here on it answers as
  /// it would at any other such moment, with all times moved by the difference, and as it would for operations with
  /// other ids of the same order.
  [[nodiscard]] virtual bool is_quiescent() const = 0;
  /// By LinkId: what was counted so far.
  virtual void count_links(std::vector<LinkCount>& counts) const = 0;
  /// Counts `each` for a link, `times` times, as if that had been.
  virtual void add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) = 0;

 protected:
  ~NetworkSteadyState() = default;
};

/// What starting one operation for all that are alike asks of a model. Operations may stand for others from fold() on
/// until restart(). What they come to is what all of them would, each started by itself, unless that finds that the
/// links tell them apart.
class NetworkFolding {
 public:
  virtual void fold() = 0;
  /// Another job begins: of no operation anything is known.
  virtual void forget_classes() = 0;
  /// Operations of different classes are known to load links differently. All are of one class at first.
  [[nodiscard]] virtual std::uint32_t class_of(const CommOp& op) const = 0;
  /// One like this will be started: so that what is unlike is found before there is a run to be repeated.
  virtual void announce(const CommOp& op) = 0;
  /// Since restart(): one was started that is not alike with those that it stood for. All answers since are void.
  [[nodiscard]] virtual bool found_unlike() const = 0;
  /// Then, before restart(): makes finer classes, by all that was started. False: there are no finer ones, or nearly as
  /// many as operations.
  virtual bool refine_classes() = 0;

 protected:
  ~NetworkFolding() = default;
};

/// Not thread-safe. Deterministic: the same calls give the same answers, bit for bit.
class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// One operation with the network to itself. An Error says why it cannot be done (a group of one rank is done at
  /// once).
  virtual Result<Price> estimate(const CommOp& op) = 0;
  /// All of `ops` started at the same moment and sharing the network.
  virtual Result<std::vector<Price>> estimate(std::span<const CommOp> ops) = 0;

  // In the loop of an engine that owns the clock.

  /// The operation has all its participants and starts at `now`, which never decreases between calls. `op` must not be
  /// in flight.
  virtual Status start(OpId id, const CommOp& op, TimePs now) = 0;
  /// When something next happens that nobody else causes; kNever if nothing is in flight. At least the last `now`.
  [[nodiscard]] virtual TimePs next_event() const = 0;
  /// Moves on to `now` <= next_event() and appends what is finished by then, in the order of their ids.
  virtual void advance(TimePs now, std::vector<OpId>& finished) = 0;
  /// Forgets what is in flight and what was counted, and goes back to time 0. `recorder`, if there is one, is told from
  /// then on when links carry what, and outlives the operations that follow; models that know no flows tell nothing.
  void restart(LinkRecorder* recorder = nullptr) { reset(recorder); }
  /// By LinkId, up to the last advance().
  [[nodiscard]] virtual std::span<const LinkUse> link_uses() const = 0;

  /// Whether what the operation takes was measured as a whole, and not made up of links.
  [[nodiscard]] virtual bool is_measured(const CommOp& /*op*/) const { return false; }

  // What some models can do besides; null: this one cannot.

  [[nodiscard]] virtual NetworkLookahead* lookahead() { return nullptr; }
  [[nodiscard]] virtual NetworkSteadyState* steady_state() { return nullptr; }
  [[nodiscard]] virtual NetworkFolding* folding() { return nullptr; }

 protected:
  virtual void reset(LinkRecorder* recorder) = 0;
};

}  // namespace orrery::simulate
