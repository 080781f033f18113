// What the lines of an Inspector log say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace orrery::nccl_inspector {

/// A communicator as one process sees it.
struct Communicator {
  std::string id;         ///< the same on all members
  std::string name;       ///< empty: not known
  std::int64_t rank = 0;  ///< of the process, in it
  std::int64_t size = 0;
};

/// One collective, or one side of a message.
struct Operation {
  std::uint32_t communicator = 0;  ///< place in ProcessLog::communicators
  bool is_message = false;
  std::string function;   ///< AllReduce, Send
  std::string algorithm;  ///< RING; empty before v4.2
  std::string protocol;
  std::int64_t number = 0;  ///< counts on its communicator, messages apart
  std::int64_t peer = -1;   ///< of a message: its place in the communicator
  std::int64_t bytes = 0;
  std::int64_t length_us = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> times_us;  ///< from the first kernel to the last, Unix time
  std::uint64_t offset = 0;                                       ///< of its line
};

/// What one process recorded.
struct ProcessLog {
  std::string path;  ///< of the file, or of the first of several
  std::string host;
  std::int64_t pid = 0;
  std::string version;
  std::vector<Communicator> communicators;
  std::vector<Operation> operations;
  std::uint64_t file_bytes = 0, text_bytes = 0;
};

/// By host and process.
using ProcessLogs = std::map<std::pair<std::string, std::int64_t>, ProcessLog>;

/// Adds what `text`, the content of the file `path`, holds. An Error if no line is a record.
Status read_records(std::string_view text, const std::string& path, ProcessLogs& logs, Diagnostics& diagnostics);

}  // namespace orrery::nccl_inspector
