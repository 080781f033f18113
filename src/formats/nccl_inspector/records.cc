#include "formats/nccl_inspector/records.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>

#include "formats/nccl_inspector/diagnostics.h"

// Line by line. Up to v4.2 every record says whose it is; from v4.3 on only the marker in front of a dump does, for as
// many lines as it announces:
//   {"header": {"id": "0x7e…", "rank": 0, "n_ranks": 4, …}, "metadata": {…}, "dump_stats": {"coll_records": 64, …}}
//   {"coll_perf": {"coll": "AllReduce", "coll_sn": 1, "coll_msg_size_bytes": 8192, "coll_exec_time_us": 61, …}}

namespace orrery::nccl_inspector {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// Lengths and times beyond this (a hundred years) are damage.
constexpr std::int64_t kMostUs = 3'000'000'000'000'000;

std::string text_at(object from, const std::string& key) {
  std::string_view text;
  return from[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

/// A whole number; others are rounded down. None if there is none or it makes no sense.
std::optional<std::int64_t> number_at(object from, const std::string& key) {
  std::int64_t number = 0;
  if (from[key].get(number) == simdjson::SUCCESS) return number;
  double real = 0;
  if (from[key].get(real) != simdjson::SUCCESS || !(real > -9e15 && real < 9e15)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

std::optional<std::int64_t> time_at(object from, const std::string& key) {
  const std::optional<std::int64_t> us = number_at(from, key);
  return us && *us > 0 && *us < kMostUs ? us : std::nullopt;
}

/// From the first start of a kernel to the last stop; without kernels, from the start of the collective for as long as
/// it took.
std::optional<std::pair<std::int64_t, std::int64_t>> times_of(object record, const std::string& prefix,
                                                              std::int64_t length_us) {
  object trace;
  if (record["event_trace_ts"].get(trace) != simdjson::SUCCESS) return std::nullopt;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  simdjson::dom::array kernels;
  if (trace["kernel_events"].get(kernels) == simdjson::SUCCESS) {
    for (const element kernel : kernels) {
      object events;
      if (kernel.get(events) != simdjson::SUCCESS) continue;
      const auto start = time_at(events, "kernel_start_ts"), stop = time_at(events, "kernel_stop_ts");
      if (start) begin = std::min(begin, *start);
      if (stop) end = std::max(end, *stop);
    }
  }
  if (begin < end) return std::pair(begin, end);
  const auto start = time_at(trace, prefix + "_start_ts");
  return start ? std::optional(std::pair(*start, *start + length_us)) : std::nullopt;
}

/// Reads the lines of one file.
class LineReader {
 public:
  LineReader(const std::string& path, ProcessLogs& logs, Diagnostics& diagnostics)
      : path_(path), logs_(logs), diagnostics_(diagnostics) {}

  void add(std::string_view line, std::uint64_t offset) {
    offset_ = offset;
    element document;
    object record;
    if (parser_.parse(line.data(), line.size()).get(document) != simdjson::SUCCESS ||
        document.get(record) != simdjson::SUCCESS)
      return diagnostics_.add(kUnusableLine, [&] { return position(); });
    object header, metadata, part;
    const bool has_header =
        record["header"].get(header) == simdjson::SUCCESS && record["metadata"].get(metadata) == simdjson::SUCCESS;
    if (has_header && !take_header(header, metadata))
      return diagnostics_.add(kUnusableLine, [&] { return position(); });
    if (record["dump_stats"].get(part) == simdjson::SUCCESS) return take_marker(part, has_header);
    const bool is_collective = record["coll_perf"].get(part) == simdjson::SUCCESS;
    const bool is_message = !is_collective && record["p2p_perf"].get(part) == simdjson::SUCCESS;
    if (!is_collective && !is_message) {
      // Of proxies there is nothing to be said, but they count among the lines of a dump.
      if (record["proxy_trace"].error() != simdjson::SUCCESS)
        diagnostics_.add(kUnusableLine, [&] { return position(); });
      announced_ -= announced_ > 0 && !has_header ? 1 : 0;
      return;
    }
    if (!has_header && announced_ == 0) return diagnostics_.add(kRecordWithoutHeader, [&] { return position(); });
    if (!has_header) --announced_;
    take_operation(part, is_message ? "p2p" : "coll");
  }

  [[nodiscard]] bool found_any() const { return found_any_; }

 private:
  [[nodiscard]] std::string position() const { return path_ + ": byte " + std::to_string(offset_); }

  bool take_header(object header, object metadata) {
    Communicator communicator{text_at(header, "id"), text_at(header, "comm_name"),
                              number_at(header, "rank").value_or(-1), number_at(header, "n_ranks").value_or(0)};
    if (communicator.name == "unknown") communicator.name.clear();
    constexpr std::int64_t kMostRanks = 1 << 24;
    if (communicator.id.empty() || communicator.rank < 0 || communicator.rank >= communicator.size ||
        communicator.size > kMostRanks)
      return false;
    const std::pair key(text_at(metadata, "hostname"), number_at(metadata, "pid").value_or(0));
    log_ = &logs_[key];
    if (log_->path.empty()) {
      log_->path = path_;
      log_->host = key.first;
      log_->pid = key.second;
      log_->version = text_at(metadata, "inspector_output_format_version");
    }
    const auto at = std::find_if(log_->communicators.begin(), log_->communicators.end(),
                                 [&](const Communicator& known) { return known.id == communicator.id; });
    communicator_ = static_cast<std::uint32_t>(at - log_->communicators.begin());
    if (at == log_->communicators.end()) log_->communicators.push_back(std::move(communicator));
    found_any_ = true;
    return true;
  }

  void take_marker(object stats, bool has_header) {
    announced_ = 0;
    if (!has_header) return diagnostics_.add(kRecordWithoutHeader, [&] { return position(); });
    for (const char* const key : {"coll_records", "p2p_records", "proxy_records"})
      announced_ += std::clamp<std::int64_t>(number_at(stats, key).value_or(0), 0, 1 << 30);
    for (const char* const key : {"coll_dropped_since_last_dump", "p2p_dropped_since_last_dump"}) {
      const std::int64_t dropped = number_at(stats, key).value_or(0);
      if (dropped > 0) diagnostics_.add_many(kDroppedRecords, static_cast<std::uint64_t>(dropped), position());
    }
  }

  void take_operation(object record, const std::string& prefix) {
    Operation operation;
    operation.communicator = communicator_;
    operation.is_message = prefix == "p2p";
    operation.function = text_at(record, prefix);
    operation.algorithm = text_at(record, prefix + "_algo");
    operation.protocol = text_at(record, prefix + "_proto");
    operation.peer = number_at(record, "p2p_peer").value_or(-1);
    operation.offset = offset_;
    const auto number = number_at(record, prefix + "_sn"), length = number_at(record, prefix + "_exec_time_us");
    if (operation.function.empty() || !number || !length || *length < 0 || *length > kMostUs)
      return diagnostics_.add(kUnusableLine, [&] { return position(); });
    operation.number = *number;
    // The Inspector counts whole microseconds; what took less took some time.
    operation.length_us = std::max<std::int64_t>(*length, 1);
    operation.bytes = std::max<std::int64_t>(number_at(record, prefix + "_msg_size_bytes").value_or(0), 0);
    operation.times_us = times_of(record, prefix, operation.length_us);
    log_->operations.push_back(std::move(operation));
  }

  const std::string& path_;
  ProcessLogs& logs_;
  Diagnostics& diagnostics_;
  simdjson::dom::parser parser_;
  std::uint64_t offset_ = 0;
  ProcessLog* log_ = nullptr;       // of the last header
  std::uint32_t communicator_ = 0;  // the same
  std::int64_t announced_ = 0;      // lines behind the marker that it speaks for
  bool found_any_ = false;
};

}  // namespace

Status read_records(std::string_view text, const std::string& path, ProcessLogs& logs, Diagnostics& diagnostics) {
  LineReader reader(path, logs, diagnostics);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) reader.add(line, at);
    at = end + 1;
  }
  if (reader.found_any()) return {};
  return Error{"no line of this log says which communicator it is of", path, 0, "is it a log of NCCL's Inspector?"};
}

}  // namespace orrery::nccl_inspector
