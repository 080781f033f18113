// What is told or written of one step of a language model, and makes no sense of several.
#pragma once

#include <optional>
#include <string>

namespace orrery::ask {

struct LlmStepOutputs {
  std::optional<std::string> output = {};    ///< the step as a trace: a file, or a folder with a file per rank
  std::optional<std::string> et = {};        ///< a folder for execution traces, with the machine's files for ASTRA-sim
  std::optional<std::string> manifest = {};  ///< the snapshots, their members and prices as JSON
  std::optional<std::string> report = {};    ///< a page for a browser
  bool sensitivity = false;  ///< what the step would take if everything of a sort took 10 % less, solved again
  bool edges = false;        ///< every communication of each stage
};
template <typename Visitor>
void fields(LlmStepOutputs& step, Visitor&& visit) {
  visit("output", step.output);
  visit("et", step.et);
  visit("manifest", step.manifest);
  visit("sensitivity", step.sensitivity);
  visit("edges", step.edges);
  visit("report", step.report);
}

}  // namespace orrery::ask
