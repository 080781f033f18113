// Answers of HTA on their way out: each is a table, or a reason why HTA has none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_writer.h"
#include "base/result.h"
#include "cli/frame/invocation.h"
#include "report/sheet.h"

namespace orrery::cli {

class HtaAnswers {
 public:
  /// Writes the value of a key whose members nest; the sheet is for people and CSV.
  using WriteJson = std::function<void(JsonWriter&)>;

  void add(report::Sheet sheet) { answers_.push_back({sheet.name(), std::move(sheet), {}, {}}); }
  /// `key`: of the answer, where there is none.
  void add(std::string key, Result<report::Sheet> sheet);
  void add(report::Sheet sheet, WriteJson write) {
    answers_.push_back({sheet.name(), std::move(sheet), std::move(write), {}});
  }
  void add_unavailable(std::string key, std::string reason) {
    answers_.push_back({std::move(key), {}, {}, std::move(reason)});
  }

  /// Ends the run of a verb: as JSON with `ranks` in front and `unavailable` behind, as CSV, or as tables.
  ExitCode show(Invocation& invocation, const std::vector<std::int64_t>& ranks);

 private:
  struct Answer {
    std::string key;
    std::optional<report::Sheet> sheet;
    WriteJson write;
    std::string unavailable;
  };
  void write_json(JsonWriter& json, const std::vector<std::int64_t>& ranks) const;
  [[nodiscard]] std::string to_text(const Invocation& invocation, const std::vector<std::int64_t>& ranks) const;

  std::vector<Answer> answers_;
};

}  // namespace orrery::cli
