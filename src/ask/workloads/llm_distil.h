// What measured rows say of a device, as files of its description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"

namespace orrery::ask {

/// Constants and tables of a device from tables of measurements.
struct LlmDistilRequest {
  std::vector<std::string> tables = {};
  std::string device = "h200";  ///< whose rows count; its rates are what shares are of
  std::optional<std::string> origin =
      {};  ///< where the measurements are from, and under which licence; none: the files
  std::optional<std::string> output = {};  ///< DEVICE.yaml: tables are written into the folder DEVICE beside it
};
template <typename Visitor>
void fields(LlmDistilRequest& request, Visitor&& visit) {
  visit("device", request.device);
  visit("output", request.output);
  visit("origin", request.origin);
}
Result<report::Answer> run(const LlmDistilRequest& request, Context& context);

}  // namespace orrery::ask
