// Fits the constants of serving stacks to measured serving points: first those that all stacks have in common, pulled
// to the start of the shipped file, then those of each stack and generation, pulled to the common ones. How strong the
// second pull is follows from leaving out one model at a time.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/backtest/serving_points.h"
#include "report/sheet.h"

namespace orrery::llm {

struct FittedPoint {
  std::string model;  ///< as the catalog calls it: names of one shape are one model
  std::string stack, device;
  double measured_ms = 0, start_ms = 0, fitted_ms = 0;
  double left_out_ms = 0;  ///< by constants that had seen no point of the model
};

struct PullTrial {
  double pull = 0;
  double left_out_pct = 0;  ///< mean error of models that were left out
};

struct StackFit {
  StackConstants constants;
  std::vector<PullTrial> trials = {};
  std::vector<FittedPoint> points = {};  ///< measured ones, in the order of the table
};

/// An Error if fewer than two models were measured: then none can be left out. The same for any number of threads.
Result<StackFit> fit_stacks(const Catalog& catalog, const std::vector<ServingPoint>& points, Diagnostics& diagnostics);

/// "stacks": a row per stack and generation, and the common ones.
report::Sheet stack_sheet(const StackFit& fit);
/// "pulls": pull, left_out_pct.
report::Sheet pull_sheet(const StackFit& fit);
/// "models" and, by stack and device, "servers": rows, and mean errors at the start, fitted, and left out.
report::Sheet fitted_model_sheet(const StackFit& fit);
report::Sheet fitted_server_sheet(const StackFit& fit);

/// The file data/frameworks/serving_stacks.yaml. `origin`: whose points, under which licence; `table`: their file.
std::string stacks_yaml(const StackFit& fit, const std::string& table, const std::string& origin);

}  // namespace orrery::llm
