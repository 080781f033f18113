// Tables of what became of requests to a serving engine, a row each, as load generators and engines write them and as
// `orrery llm --requests` does: docs/formats/request_log.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/csv.h"
#include "base/result.h"
#include "base/units.h"

namespace orrery::request_log {

/// Times in ps from its arrival.
struct LoggedRequest {
  std::string id;
  TimePs arrival_ps = 0;                                    ///< on the clock of the log
  std::optional<TimePs> queue_ps = {};                      ///< until it was first scheduled
  TimePs ttft_ps = 0;                                       ///< until its first token
  TimePs latency_ps = 0;                                    ///< until its last token
  std::optional<TimePs> tpot_ps = {};                       ///< per token after the first; 0 of one token
  std::optional<std::uint32_t> prompt = {}, generate = {};  ///< tokens
  std::optional<std::uint32_t> replica = {};
};

struct RequestLog {
  std::string path;
  std::uint64_t file_bytes = 0, text_bytes = 0;
  std::vector<LoggedRequest> requests;  ///< in the order of the table
};

/// The first line names the columns: id; ttft_ms or first_token_s; latency_ms or last_token_s.
bool is_request_log(std::string_view head);

/// `beside`: a table of the same requests with the columns that are missing (arrival_s, prompt, generate); null: there
/// is none. An Error names line, column and rule.
Result<RequestLog> take_requests(const CsvTable& table, const CsvTable* beside);

/// Where arrivals are missing they are those of requests.csv in the same folder.
Result<RequestLog> read_request_log(const std::string& path);

}  // namespace orrery::request_log
