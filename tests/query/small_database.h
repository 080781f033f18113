// A small trace that can be asked: for the tests of query.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "query/database.h"
#include "support/kineto_lines.h"

namespace orrery::testing {

/// Three steps of one operator each, which launches a kernel; the second kernel runs while the first does.
inline constexpr std::string_view kThreeLaunches = R"(
    1       0    100  user_annotation  ProfilerStep#1
    1       100  100  user_annotation  ProfilerStep#2
    1       5    60   cpu_op           aten::mm
    1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
    1       110  30   cpu_op           aten::add
    1       115  5    cuda_runtime     cudaLaunchKernel  correlation=2
    1       125  5    cuda_runtime     cudaLaunchKernel  correlation=3
    gpu0/7  20   50   kernel           gemm              correlation=1
    gpu0/7  130  20   kernel           add               correlation=2
    gpu0/8  140  40   kernel           gemm              correlation=3
    2       150  -    Trace            mark
)";

class SmallDatabase {
 public:
  explicit SmallDatabase(std::string_view lines = kThreeLaunches, bool all_arguments = false)
      : trace_(lines), database_(open(trace_.trace(), remarks_, all_arguments)) {}

  [[nodiscard]] query::Database& database() { return database_; }
  [[nodiscard]] const SmallTrace& trace() const { return trace_; }
  [[nodiscard]] Diagnostics& remarks() { return remarks_; }

  /// Rows as "a|b|c", nulls as nothing.
  std::vector<std::string> ask(std::string_view sql) {
    const Result<query::Answer> answer = database_.ask(sql);
    if (!answer) throw std::runtime_error(answer.error().to_string());
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < answer->rows(); ++row) {
      std::string text;
      for (std::size_t c = 0; c < answer->columns().size(); ++c)
        text += (c == 0 ? "" : "|") + text_of(answer->at(row, c));
      rows.push_back(text);
    }
    return rows;
  }

  static std::string text_of(const query::Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return std::to_string(*real);
    if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
    return {};
  }

 private:
  static query::Database open(const trace::Trace& trace, Diagnostics& remarks, bool all_arguments) {
    Result<query::Database> database =
        query::Database::open({.trace = trace, .remarks = remarks, .all_arguments = all_arguments});
    if (!database) throw std::runtime_error(database.error().to_string());
    return std::move(*database);
  }

  SmallTrace trace_;
  Diagnostics remarks_;
  query::Database database_;
};

}  // namespace orrery::testing
