// Put the traces of many nodes on one clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ask/recording.h"

namespace orrery::ask {

struct AlignRequest {
  RecordingRequest recording = {};
  std::vector<std::string> trace = {};  ///< more files, as xprof_trace_align names them
  // What tells how the clocks relate; of none, what lies beside the traces, and the collectives in them.
  std::vector<std::string> probes = {};
  std::vector<std::string> probe_windows = {};
  std::vector<std::string> offsets = {};
  std::vector<std::string> snapshots = {};
  std::vector<std::string> snapshot_pairs = {};  ///< snapshots, as xprof_trace_align names them

  std::optional<std::int64_t> reference = {};  ///< the node whose host clock is used; none: 0, or whatever is there
  std::optional<std::int64_t> ranks_per_node = {};
  std::optional<std::string> output = {};    ///< the folder for the aligned files; of one trace also the file
  std::optional<std::string> merge = {};     ///< all nodes in one XSpace, too
  std::optional<std::string> perfetto = {};  ///< all nodes as one timeline, too
  bool clc = false;      ///< as a last resort bend the clocks until no collective contradicts happens-before
  bool force = false;    ///< copy the traces even if nothing tells how their clocks relate
  bool dry_run = false;  ///< say what would be done, write nothing
  bool undo = false;     ///< restore files that were aligned before
};
template <typename Visitor>
void fields(AlignRequest& request, Visitor&& visit) {
  fields(request.recording, visit);
  visit("trace", request.trace);
  visit("probes", request.probes);
  visit("probe-windows", request.probe_windows);
  visit("offsets", request.offsets);
  visit("snapshots", request.snapshots);
  visit("snapshot_pairs", request.snapshot_pairs);
  visit("reference", request.reference);
  visit("ranks-per-node", request.ranks_per_node);
  visit("output", request.output);
  visit("merge", request.merge);
  visit("perfetto", request.perfetto);
  visit("clc", request.clc);
  visit("force", request.force);
  visit("dry-run", request.dry_run);
  visit("undo", request.undo);
}

/// Without any source nothing is written, and the answer fails.
Result<report::Answer> run(const AlignRequest& request, Context& context);

}  // namespace orrery::ask
