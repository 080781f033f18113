// Requests through a serving engine, from a configuration with `serving:`: what each waits for, and what comes of other
// rates and settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/forecast/serving_sheets.h"
#include "ask/context.h"
#include "ask/fields.h"
#include "base/result.h"
#include "job/shipped/llm_config.h"
#include "job/shipped/serving_inputs.h"
#include "llm/catalog.h"
#include "report/answer.h"

namespace orrery::ask {

/// Requests at and above a quantile of what they wait for.
struct Tail {
  double share = 0.99;
};

struct ServingOutputs {
  bool summary = false;                      ///< neither requests nor their blame
  std::optional<std::string> requests = {};  ///< a file for the requests, as a table
  std::optional<std::string> timeline = {};  ///< a file for the steps and requests, as a trace
  std::vector<double> rates = {};            ///< per second: a run each, with arrivals stretched
  std::optional<Tail> blame = {};            ///< whose work the slowest first tokens waited for
};

/// "1,2,4": numbers above 0.
Status take_rates(std::string_view text, std::vector<double>& rates);
/// "ttft:p99".
Status take_tail(std::string_view text, std::optional<Tail>& tail);

template <typename Visitor>
void fields(ServingOutputs& serving, Visitor&& visit) {
  visit("summary", serving.summary);
  visit("requests", serving.requests);
  visit("timeline", serving.timeline);
  visit("rates", written(serving.rates, take_rates));
  visit("blame", written(serving.blame, take_tail));
}

/// Requests and times of steps; all files are told to the context.
Result<job::ServingInputs> open_serving_inputs(Context& context, const llm::Catalog& catalog,
                                               const job::LlmConfig& config);
/// A list of objects for programs, a table for everybody else.
void tell_settings(report::Answer& answer, std::string_view key, const std::vector<analyze::ServingSetting>& settings);

/// What would be ignored is refused.
Status check_serving_outputs(const ServingOutputs& outputs, const std::vector<job::LlmConfig>& configs);

/// `page`: a file for the page; none: no page.
Result<report::Answer> run_serving(Context& context, const ServingOutputs& outputs,
                                   const std::optional<std::string>& page, const llm::Catalog& catalog,
                                   const job::LlmConfig& config);

/// Every setting that sweep: of the configuration lists, best goodput first; per device where their number differs.
Result<report::Answer> sweep_serving(Context& context, const llm::Catalog& catalog, const job::LlmConfig& config);

}  // namespace orrery::ask
