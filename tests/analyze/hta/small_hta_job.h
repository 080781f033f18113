// A few small ranks as HTA holds them, and its tables as lines of CSV.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "causal/hta/job_rows.h"
#include "report/sheet_csv.h"
#include "support/kineto_lines.h"

namespace orrery::analyze::hta::testing {

using Lines = std::vector<std::string>;

/// Rank i is made of ranks[i]: see support/kineto_lines.h.
class SmallHtaJob {
 public:
  explicit SmallHtaJob(const std::vector<std::string>& ranks,
                       causal::hta::Filter filter = causal::hta::Filter::whole_steps) {
    std::vector<causal::hta::RankInput> inputs;
    for (const std::string& lines : ranks) {
      traces_.emplace_back(lines);
      inputs.push_back({static_cast<std::int64_t>(inputs.size()), &traces_.back().trace(), &traces_.back().rank()});
    }
    Result<causal::hta::JobRows> made = causal::hta::make_job_rows(inputs, filter);
    if (!made) throw std::runtime_error(made.error().to_string());
    rows = std::move(*made);
  }

  causal::hta::JobRows rows;

 private:
  std::deque<orrery::testing::SmallTrace> traces_;  // they do not move
};

/// Without the line of keys.
inline Lines csv_lines(const report::Sheet& sheet) {
  const std::string text = report::to_csv(sheet);
  Lines lines;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline Lines csv_lines(const Result<report::Sheet>& sheet) {
  return sheet ? csv_lines(*sheet) : Lines{"unavailable: " + sheet.error().message};
}

}  // namespace orrery::analyze::hta::testing

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};
