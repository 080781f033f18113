#include "llm/backtest/accuracy_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "llm/measurements.h"

namespace orrery::llm {
namespace {

constexpr std::string_view kTitle = "## Language models";
constexpr double kGibBytes = 0x1p30;

constexpr std::string_view kIntroduction = R"(

Written by `orrery llm backtest TABLE... --write-accuracy docs/ACCURACY.md`: every measurement of the tables beside what is predicted of it. The columns of
tables and the models are in [LLM.md](LLM.md).

### Measurements and predictions

One set of constants per device, framework and cluster, fitted on the public rows that the first lines of the file with the constants name. *Not seen*: mean
error of rows of the kind that the constants had not seen, cross-validated or kept back, whichever was more. *Inside*: the share of the measured values inside
the interval that is printed with each prediction, of which 80 % is promised for further measurements; rows that were fitted on lie inside more often.

| data set | rows | mean error % | median % | bias % | not seen % | inside % | constants |
|---|---:|---:|---:|---:|---:|---:|---|
)";

constexpr std::string_view kMemory = R"(
### Peak memory on one device

| rows | | mean error % | median % | bias % |
|---|---:|---:|---:|---:|
)";

constexpr std::string_view kMemoryRemark = R"(
Of the inference rows, what is left after weights, cache, activations and logits is not a matter of the configuration. Measured on an H200 with the same PyTorch
(2.11, CUDA 13): every graph that is captured after warming up on a stream of its own leaves a workspace of cuBLAS of 32 MiB behind (33 with biases, where
cuBLASLt has one besides), until the 32 streams of PyTorch's pool all have one: from 64 MiB after the first capture to 1,024 (1,056 with biases) from the
31st on, where it stays. A process that never captured one holds 32 MiB. The prediction is the amount that makes the expected error least.
)";

constexpr std::string_view kSchedules = R"(
### Schedules

The same configurations run by the engine, on clusters with the nominal bandwidth of their networks. Kernels and what software adds to them
have the constants of the closed forms; overlap, bubbles and shared links have none: those follow from streams, dependencies and links.

| rows | | mean error % | median % | bias % | closed form, same rows % |
|---|---:|---:|---:|---:|---:|
)";

/// What is said of a group of rows.
struct Score {
  std::size_t rows = 0;  ///< measured
  std::vector<double> errors = {}, closed_errors = {};
  std::size_t with_interval = 0, inside = 0;
  double unseen_sum = 0;
  std::size_t unseen = 0;
  std::set<std::string> rests_on = {};
};

bool was_measured(const BacktestRow& row) { return row.unit != "bool" && row.measured && *row.measured != 0; }

/// A data set that measured several things is told apart by what they are.
std::string data_set_name(const BacktestRow& row) {
  const bool plain = row.metric == "iteration_time" || row.metric == "latency" || row.metric == "e2e_latency";
  return plain ? row.dataset : fmt::format("{}, {}", row.dataset, row.metric);
}

std::string summary_cells(const std::vector<double>& errors) {
  if (errors.empty()) return "- | - | -";
  const ErrorSummary sum = summarise_errors(errors);
  return fmt::format("{:.1f} | {:.1f} | {:+.1f}", sum.mean_pct, sum.median_pct, sum.bias_pct);
}

void count_row(Score& score, const BacktestRow& row, const Prediction& prediction) {
  ++score.rows;
  if (!prediction.value) return;
  score.errors.push_back(error_pct(*prediction.value, *row.measured));
  if (!prediction.rests_on.empty()) score.rests_on.insert(prediction.rests_on);
  if (prediction.unseen_pct) {
    score.unseen_sum += *prediction.unseen_pct;
    ++score.unseen;
  }
  if (!prediction.low || !prediction.high) return;
  ++score.with_interval;
  if (*prediction.low <= *row.measured && *row.measured <= *prediction.high) ++score.inside;
}

std::string data_set_lines(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions) {
  std::map<std::string, Score> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (was_measured(rows[i])) count_row(scores[data_set_name(rows[i])], rows[i], predictions[i]);
  }
  std::string lines;
  for (auto& [name, score] : scores) {
    // Sums of errors must not depend on the order of rows.
    std::sort(score.errors.begin(), score.errors.end());
    const auto share = [](double part, std::size_t whole) {
      return whole == 0 ? std::string("-") : fmt::format("{:.1f}", part / static_cast<double>(whole));
    };
    lines += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name,
                         score.errors.size() == score.rows ? fmt::format("{}", score.rows)
                                                           : fmt::format("{} of {}", score.errors.size(), score.rows),
                         summary_cells(score.errors), share(score.unseen_sum, score.unseen),
                         share(100 * static_cast<double>(score.inside), score.with_interval),
                         fmt::join(score.rests_on, ", "));
  }
  return lines;
}

std::string memory_part(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions) {
  std::map<std::string_view, std::vector<double>> peaks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].measured_peak_gib || !predictions[i].peak_bytes) continue;
    peaks[rows[i].phase == "train" ? "training" : "inference"].push_back(
        error_pct(*predictions[i].peak_bytes / kGibBytes, *rows[i].measured_peak_gib));
  }
  if (peaks.empty()) return {};
  std::string part(kMemory);
  for (auto& [name, errors] : peaks) {
    std::sort(errors.begin(), errors.end());
    part += fmt::format("| {} | {} | {} |\n", name, errors.size(), summary_cells(errors));
  }
  return part.append(kMemoryRemark);
}

/// What schedules are about, whichever data set they are of.
struct Subject {
  const char* name;
  bool (*holds)(const BacktestRow& row);
};
constexpr std::array kSubjects = {
    Subject{"all: models with experts", [](const BacktestRow& row) { return row.expert > 1; }},
    Subject{"all: adapters (LoRA), no weight gradients",
            [](const BacktestRow& row) { return row.notes.find("LoRA") != std::string::npos; }},
    Subject{"all: everything sharded (FSDP)", [](const BacktestRow& row) { return row.sharded; }},
    Subject{"all: data parallelism of 16 and more", [](const BacktestRow& row) { return row.data >= 16; }},
    Subject{"all: data parallelism below 16", [](const BacktestRow& row) { return row.data < 16; }},
};

std::string schedule_part(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions) {
  std::map<std::string, Score> data_sets;
  std::array<Score, kSubjects.size()> subjects;
  const auto count = [](Score& score, double scheduled, std::optional<double> closed) {
    score.errors.push_back(scheduled);
    if (closed) score.closed_errors.push_back(*closed);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BacktestRow& row = rows[i];
    const std::optional<Estimate>& scheduled = predictions[i].scheduled;
    if (!was_measured(row) || !scheduled || !scheduled->value) continue;
    const double error = error_pct(*scheduled->value, *row.measured);
    std::optional<double> closed;
    if (predictions[i].value) closed = error_pct(*predictions[i].value, *row.measured);
    count(data_sets[data_set_name(row)], error, closed);
    for (std::size_t s = 0; s < kSubjects.size(); ++s) {
      if (kSubjects[s].holds(row)) count(subjects[s], error, closed);
    }
  }
  if (data_sets.empty()) return {};
  std::string part(kSchedules);
  const auto line = [&](std::string_view name, Score& score) {
    if (score.errors.empty()) return;
    std::sort(score.errors.begin(), score.errors.end());
    std::sort(score.closed_errors.begin(), score.closed_errors.end());
    part += fmt::format("| {} | {} | {} | {:.1f} |\n", name, score.errors.size(), summary_cells(score.errors),
                        summarise_errors(score.closed_errors).mean_pct);
  };
  for (auto& [name, score] : data_sets) line(name, score);
  for (std::size_t s = 0; s < kSubjects.size(); ++s) line(kSubjects[s].name, subjects[s]);
  return part;
}

}  // namespace

std::string accuracy_section(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions) {
  return std::string(kTitle)
      .append(kIntroduction)
      .append(data_set_lines(rows, predictions))
      .append(memory_part(rows, predictions))
      .append(schedule_part(rows, predictions))
      .append("\n");
}

std::string with_section(std::string_view document, std::string_view section) {
  // Titles stand at the beginning of a line; deeper ones are part of the section.
  const auto line_from = [&](std::string_view wanted, std::size_t from) {
    for (std::size_t at = document.find(wanted, from); at != std::string_view::npos;
         at = document.find(wanted, at + 1)) {
      if (at == 0 || document[at - 1] == '\n') return at;
    }
    return document.size();
  };
  const std::size_t begin = line_from(std::string(kTitle) + "\n", 0);
  const std::size_t end = begin == document.size() ? begin : line_from("## ", begin + 1);
  std::string result(document.substr(0, begin));
  if (begin == document.size()) {
    while (result.ends_with('\n')) result.pop_back();
    if (!result.empty()) result += "\n\n";
  }
  result += section;
  // An empty line is between sections, and not behind the last.
  if (end == document.size()) result.pop_back();
  return result.append(document.substr(end));
}

}  // namespace orrery::llm
