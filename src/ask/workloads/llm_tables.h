// Tables about language models: kernels priced or fitted to, and published measurements predicted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"

namespace orrery::ask {

/// Every kernel of a table as a benchmark on the device would time it.
struct LlmKernelsRequest {
  std::string table = {};
  std::string hardware = "h200";  ///< a shipped device, or a file that describes one
};
template <typename Visitor>
void fields(LlmKernelsRequest& request, Visitor&& visit) {
  visit("hardware", request.hardware);
}
Result<report::Answer> run(const LlmKernelsRequest& request, Context& context);

/// Every collective of a table by what was measured of its device.
struct LlmCollectivesRequest {
  std::string table = {};
  std::string hardware = "h200";  ///< of rows that name no device
};
template <typename Visitor>
void fields(LlmCollectivesRequest& request, Visitor&& visit) {
  visit("hardware", request.hardware);
}
Result<report::Answer> run(const LlmCollectivesRequest& request, Context& context);

/// A device fitted to the user's own timings of kernels; or, of a table of serving points, the constants of serving
/// stacks.
struct LlmCalibrateRequest {
  std::string table = {};
  std::string hardware = "h200";           ///< what to begin with
  std::string origin = {};                 ///< of serving points: where they come from, under which licence
  std::optional<std::string> output = {};  ///< the fitted device, or the constants of stacks
};
template <typename Visitor>
void fields(LlmCalibrateRequest& request, Visitor&& visit) {
  visit("hardware", request.hardware);
  visit("origin", request.origin);
  visit("output", request.output);
}
Result<report::Answer> run(const LlmCalibrateRequest& request, Context& context);

/// Published measurements predicted from their configurations.
struct LlmBacktestRequest {
  std::vector<std::string> tables =
      {};                 ///< of steps and operators, kernels, collectives, serving points: told by their columns
  bool schedule = false;  ///< run the schedules of Megatron's steps on their clusters instead of the closed forms
  /// A document whose section about language models is rewritten; schedules then stand beside the closed forms, if they
  /// are asked for.
  std::optional<std::string> write_accuracy = {};
  std::optional<std::string> stacks = {};  ///< constants of serving stacks, in place of the shipped ones
};
template <typename Visitor>
void fields(LlmBacktestRequest& request, Visitor&& visit) {
  visit("schedule", request.schedule);
  visit("write-accuracy", request.write_accuracy);
  visit("stacks", request.stacks);
}
Result<report::Answer> run(const LlmBacktestRequest& request, Context& context);

}  // namespace orrery::ask
