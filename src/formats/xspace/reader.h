// Reads XSpace files (.xplane.pb) of the XLA / TensorFlow profiler, plain or compressed: docs/formats/xspace.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/read_rank.h"
#include "trace/trace.h"

namespace orrery::xspace {

struct ReadOptions {
  bool salvage =
      false;  ///< of a damaged file the planes before the damage are read, with a warning, instead of its being refused
  bool positions = true;  ///< where in the file an event is (ordinal, source_offset); without, these columns are empty
  bool far_clocks = false;  ///< read_job: a file more than 26 days away from the others is moved to them
                            ///< (RankTrace::era_ns), not refused
  std::function<void(std::uint64_t bytes)> on_progress =
      {};  ///< called from any thread with the number of input bytes newly read
};

/// One file = one node = one rank. Lane i is the i-th line of the file, plane after plane, also where it is empty; its
/// process is the plane (number: place of the plane, name: that of the plane) and its thread the line. Lane::clock is
/// set: see docs/formats/xspace.md. Times are ps since epoch_unix_ns, the profile's start; events with num_occurrences
/// have none and are passed over.
///   * Collectives carry collective_text (allreduce, all_gather, reduce_scatter, all_to_all, broadcast,
///   collective_permute, reduce, send,
///     recv), operation_text (all-reduce.3), and where the file has them collective_sequence (run_id or the unique id
///     of the collective: the same on every participant, not unique in a loop), module_text, group_ranks_text
///     (replica_groups) and pairs_text (source_target_pairs) of those whose instruction is written out, group_name_text
///     (the channel) of send and recv, device. An event that wraps another of the same name on its line stands for
///     both, and launches on the host are no collectives where the device's own are recorded.
///   * Snapshots of the device tracer's clock (plane /host:snapshots) carry tracer_clock.
///   * Steps are annotations with the field `step` on host lines; their name is completed by the number ("train 12").
/// Memory: the columns; pages of a plain file are given back as they have been read; a compressed file is held inflated
/// until the end.
Result<trace::RankTrace> read_rank(const std::string& path, Interner& strings, Diagnostics& diagnostics,
                                   const ReadOptions& options = {});

/// Several files = several nodes of one job, read in parallel. Nodes are numbered by the files' names if all of them
/// have a number and no two the same (node3.xplane.pb), else by their place in `paths`.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

/// The second half of it: the nodes that read_rank gave, as `paths`, become a job.
Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics, const ReadOptions& options);

}  // namespace orrery::xspace
