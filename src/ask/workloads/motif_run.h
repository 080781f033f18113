// Motifs on a machine: built-in ones, files of them, and fitted ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "ask/workloads/simulation.h"
#include "base/result.h"
#include "workload/source.h"

namespace orrery::ask {

/// A motif, and what is free in it.
struct MotifChoice {
  std::string what = {};              ///< the name of a built-in motif, or a file with jobs or a fitted motif
  std::vector<std::string> set = {};  ///< NAME=VALUE, of a built-in motif
  std::optional<double> size = {};    ///< the problem size, of a fitted one
  std::uint64_t seed = 1;             ///< of the branches that chance decides in a fitted one
};
template <typename Visitor>
void fields(MotifChoice& motif, Visitor&& visit) {
  visit("set", motif.set);
  visit("size", motif.size);
  visit("seed", motif.seed);
}

/// The name of a built-in motif, or a file with jobs or a fitted motif.
bool is_motif(const std::string& what);
/// For so many ranks.
Result<std::unique_ptr<workload::WorkloadSource>> open_motif(Context& context, const MotifChoice& motif,
                                                             std::uint32_t nodes);

struct MotifRunRequest {
  MotifChoice motif = {};
  RunRequest run = {};
  std::optional<double> nodes = {};           ///< none: as many as the machine has
  std::optional<std::string> machine = {};    ///< a file, or the name of one that is shipped
  std::optional<std::string> to_format = {};  ///< written for another simulator instead of run
};
template <typename Visitor>
void fields(MotifRunRequest& request, Visitor&& visit) {
  fields(request.motif, visit);
  fields(request.run, visit);
  visit("nodes", request.nodes);
  visit("machine", request.machine);
  visit("export", request.to_format);
}
Result<report::Answer> run(const MotifRunRequest& request, Context& context);

/// The built-in motifs: names, parameters with their defaults, a sentence each.
struct MotifListRequest {};
template <typename Visitor>
void fields(MotifListRequest&, Visitor&&) {}
Result<report::Answer> run(const MotifListRequest& request, Context& context);

}  // namespace orrery::ask
