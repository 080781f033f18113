// Chakra execution traces into a Workload: one file per rank, PREFIX.0.et, PREFIX.1.et, ..., plain or compressed, or in
// the feeder's JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/units.h"
#include "graph/graph.h"
#include "workload/workload.h"

namespace orrery::chakra {

// Recorded starts, which are microseconds since 1970 or since some start-up, as picoseconds since the first of them:
// numbers that fit.

/// Moves the recorded starts of a program from one epoch to an earlier one; what then does not fit counts as not
/// recorded.
inline void move_epoch(workload::Program& program, std::int64_t from_us, std::int64_t to_us) {
  const std::int64_t apart_us = from_us - to_us;
  if (apart_us == 0) return;
  const bool fits = apart_us <= graph::kMaxWeightPs / kPsPerUs;
  program.starts_ps.update([&](TimePs start) { return fits ? start + apart_us * kPsPerUs : workload::kNotRecorded; });
}

class RecordedStarts {
 public:
  /// A start as it is to be kept until finish(); kNotRecorded if it is too far from the first one.
  TimePs take(std::uint64_t start_us) {
    if (start_us > kLargest) return workload::kNotRecorded;
    const auto us = static_cast<std::int64_t>(start_us);
    if (!base_us_) base_us_ = us, least_us_ = us;
    const std::int64_t apart = us - *base_us_;
    if (apart > kRange || apart < -kRange) return workload::kNotRecorded;
    least_us_ = std::min(least_us_, us);
    return apart * kPsPerUs;
  }
  /// Makes the earliest start of the program 0, and returns which microsecond that is; 0 if there is none.
  std::int64_t finish(workload::Program& program) const {
    if (!base_us_) return 0;
    move_epoch(program, *base_us_, least_us_);
    return least_us_;
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()} / 2;
  static constexpr std::int64_t kRange = graph::kMaxWeightPs / kPsPerUs;

  std::optional<std::int64_t> base_us_;  // the first that was seen
  std::int64_t least_us_ = 0;
};

struct ReadOptions {
  std::string schema = {};  ///< "0.0.1" to "1.0.0": what old enumerators mean; empty: recognised from the file
  /// Given, what is odd but usable is counted there (docs/DIAGNOSTICS.md, C301 on): a control dependency on an absent
  /// node is left out, a message without tag or size gets 0. Without it, as in ASTRA-sim, these are Errors.
  Diagnostics* diagnostics = nullptr;
  bool micros_only =
      false;  ///< the attribute duration_ps is passed over, as by everybody else; also without `diagnostics`
};

/// The files of ranks 0 to `ranks` - 1, which must all be there (rank_files.h). Ranks whose files have the same content
/// share one Program, and such a file is parsed once. Workload::epoch_us is the earliest recorded start of all ranks.
Result<workload::Workload> read_workload(const std::string& prefix, std::size_t ranks, const ReadOptions& options = {});
/// The same from files by name, one per rank.
Result<workload::Workload> read_workload(std::span<const std::string> paths, const ReadOptions& options = {});

/// Whether a file that begins like this may be one: a record that is metadata or a node, and the beginning of another.
bool looks_like_protobuf(std::string_view first_bytes);
/// Whether a file that begins like this is in the feeder's JSON.
bool looks_like_feeder_json(std::string_view first_bytes);

// The two spellings of a program. Texts go to `strings`; an Error names the file and the record that cannot be used.
// Recorded starts are since the earliest of them, which is microsecond `*epoch_us` of the recording's clock.

/// `bytes`: a stream of messages, each with its length in front: GlobalMetadata, then one Node after the other. Every
/// schema since 0.0.1. About 0.5 GB/s; most of a large file is passed over.
Result<workload::Program> parse_protobuf(std::string_view bytes, const std::string& path, Interner& strings,
                                         const ReadOptions& options = {}, std::int64_t* epoch_us = nullptr);
/// {"workload_graph": [{"Id": 0, "Name": "...", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 5, ...}]}
Result<workload::Program> parse_feeder_json(std::string_view bytes, const std::string& path, Interner& strings,
                                            const ReadOptions& options = {}, std::int64_t* epoch_us = nullptr);

}  // namespace orrery::chakra
