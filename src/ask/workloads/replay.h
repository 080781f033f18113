// A workload in time, three ways: in recorded time without a machine, as operators of PyTorch that run again on real
// devices, and by MPI, one process per rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "ask/graphs/edits.h"
#include "ask/workloads/motif_run.h"
#include "base/result.h"
#include "replay/torch/write/emit_options.h"

namespace orrery::ask {

/// What is replayed.
struct ReplaySource {
  std::vector<std::string> files = {};    ///< PREFIX of PREFIX.0.et, ..., or files of some ranks
  std::optional<std::int64_t> rank = {};  ///< this one only, on its own
  std::string groups = {};                ///< a file of communicators; empty: none
};
template <typename Visitor>
void fields(ReplaySource& source, Visitor&& visit) {
  visit("rank", source.rank);
  visit("comm-group", source.groups);
}

/// In recorded time: what the dependencies explain.
struct ReplayRequest {
  ReplaySource source = {};
  bool without_profiler = false;             ///< of recordings: the run as it would be if nobody had recorded it
  bool alone = false;                        ///< every rank on its own: communication takes as long as recorded
  std::optional<std::string> timeline = {};  ///< write the replay for Perfetto
  std::optional<std::string> report = {};    ///< write a page of it
};
template <typename Visitor>
void fields(ReplayRequest& request, Visitor&& visit) {
  fields(request.source, visit);
  visit("without-profiler", request.without_profiler);
  visit("alone", request.alone);
  visit("timeline", request.timeline);
  visit("report", request.report);
}
Result<report::Answer> run(const ReplayRequest& request, Context& context);

/// A folder that runs the recorded operations again on real devices.
struct TorchReplayRequest {
  ReplaySource source = {};
  std::optional<std::string> output = {};
  replay::torch::EmitOptions options = {};  ///< `scale` is set from the field of the request
  std::optional<std::string> scale = {};    ///< "batch 2": batch, sequence or size:N, and a factor
  /// Recordings of captures or eager runs of the same program, and their host traces: what its graphs consist of.
  std::vector<std::string> captures = {};
};
inline constexpr std::pair<std::string_view, bool> kPaceWords[] = {{"fast", false}, {"recorded", true}};
template <typename Visitor>
void fields(TorchReplayRequest& request, Visitor&& visit) {
  fields(request.source, visit);
  visit("output", request.output);
  visit("capture", request.captures);
  visit("pace", choice(request.options.keeps_pace, kPaceWords));
  visit("scale", request.scale);
  visit("edit", written(request.options.edits, parse_edit));
  visit("compute-only", request.options.compute_only);
  visit("communication-only", request.options.communication_only);
}
Result<report::Answer> run(const TorchReplayRequest& request, Context& context);

/// By the processes that this was started as: messages and collectives for real, computation as time spent.
struct MpiReplayRequest {
  ReplaySource source = {};  ///< whatever simulate takes as a workload, or the name of a motif; all its ranks
  MotifChoice motif = {};    ///< what is free in that; `what` is not looked at
  std::int64_t repeats = 3;
  std::int64_t warm_ups = 1;
  bool uses_flops = false;                    ///< computation is arithmetic
  double timeout_s = 60;                      ///< it ends when no rank got on for so long
  std::optional<std::string> against = {};    ///< also simulated on this machine
  std::optional<std::string> calibrate = {};  ///< write a machine that is fitted to the run
  std::optional<std::string> output = {};     ///< a folder for recordings of the last run
};
template <typename Visitor>
void fields(MpiReplayRequest& request, Visitor&& visit) {
  fields(request.source, visit);
  fields(request.motif, visit);
  visit("repeat", request.repeats);
  visit("warm-up", request.warm_ups);
  visit("flops", request.uses_flops);
  visit("timeout", request.timeout_s);
  visit("against", request.against);
  visit("calibrate", request.calibrate);
  visit("output", request.output);
}
Result<report::Answer> run(const MpiReplayRequest& request, Context& context);

}  // namespace orrery::ask
