// How long steps of language models take, from their configurations: training, inference and distributed products.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "ask/workloads/network.h"
#include "base/team/sweep.h"

namespace orrery::ask {

/// One configuration is shown in full, several are compared.
struct LlmRequest {
  std::vector<std::string> configs = {};
  NetworkChoice network = {};                  ///< whatever the configurations say
  bool sweep = false;                          ///< try all parallelisation plans
  std::optional<std::string> checkpoint = {};  ///< of a sweep: keeps finished points
  // What is told or written of one step alone.
  std::optional<std::string> output = {};    ///< the step as a trace: a file, or a folder with a file per rank
  std::optional<std::string> et = {};        ///< a folder for execution traces, with the machine's files for ASTRA-sim
  std::optional<std::string> manifest = {};  ///< the snapshots, their members and prices as JSON
  std::optional<std::string> report = {};    ///< a page for a browser
  bool sensitivity = false;  ///< what the step would take if everything of a sort took 10 % less, solved again
  bool edges = false;        ///< every communication of each stage
};
template <typename Visitor>
void fields(LlmRequest& request, Visitor&& visit) {
  fields(request.network, visit);
  visit("sweep", request.sweep);
  visit("checkpoint", request.checkpoint);
  visit("output", request.output);
  visit("et", request.et);
  visit("manifest", request.manifest);
  visit("sensitivity", request.sensitivity);
  visit("edges", request.edges);
  visit("report", request.report);
}

Result<report::Answer> run(const LlmRequest& request, Context& context);

/// The points that run() would solve, for a process that helps the one that runs it; null: there are none.
std::unique_ptr<Sweep> open_llm_sweep(const LlmRequest& request);

}  // namespace orrery::ask
