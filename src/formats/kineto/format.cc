#include "formats/kineto/format.h"

#include "base/numbers.h"
#include "formats/kineto/reader.h"
#include "trace/names/rank_numbers.h"

namespace orrery::kineto {
namespace {

// Of all JSON what nothing else claims: a trace may say "traceEvents" far behind. A small file can be seen whole.
bool is_kineto(const formats::Head& head) {
  // The length in front of a Chakra file may read as a bracket; its name says what it is.
  if (!head.is_json() || head.is_called(".et")) return false;
  const bool is_list = head.bytes.substr(head.bytes.find_first_of("{[")).front() == '[';
  return is_list || !head.is_all || head.bytes.find("\"traceEvents\"") != std::string_view::npos;
}

ReadOptions read_options(const formats::TraceOptions& options) {
  ReadOptions read;
  read.salvage = options.salvage;
  read.requested = {options.record_functions, options.operands};
  read.launch_arrows = options.launch_arrows;
  read.on_progress = options.on_progress;
  read.in_parts = options.in_parts;
  return read;
}

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, read_options(options));
}

Result<trace::ReadRank> read_one(const std::string& path, const formats::TraceOptions& options) {
  trace::ReadRank read;
  Result<trace::RankTrace> rank = read_rank(path, read.strings, read.diagnostics, read_options(options));
  if (!rank) return rank.error();
  read.rank = std::move(*rank);
  return read;
}

Result<trace::Trace> join(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                          Diagnostics& diagnostics, const formats::TraceOptions&) {
  return join_ranks(paths, std::move(ranks), diagnostics);
}

/// The number behind `key` in the text of an object.
std::optional<std::int64_t> number_behind(std::string_view object, std::string_view key) {
  const std::size_t at = object.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t digits = object.find_first_of("0123456789", at);
  return digits == std::string_view::npos ? std::nullopt : leading_number<std::int64_t>(object.substr(digits));
}

// "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, ...}, which profilers write before the events.
std::optional<std::int64_t> peek_rank(const formats::Head& head) {
  std::string_view text = head.bytes.substr(0, head.bytes.find("\"traceEvents\""));
  const std::size_t info = text.find("\"distributedInfo\"");
  if (info == std::string_view::npos) return trace::rank_in_name(head.name);
  text = text.substr(info);
  text = text.substr(0, text.find('}'));
  // The only rank of its world may be a run beside others: whoever reads all of them can tell.
  if (number_behind(text, "\"world_size\"") == 1) return std::nullopt;
  const std::optional<std::int64_t> rank = number_behind(text, "\"rank\"");
  return rank ? rank : trace::rank_in_name(head.name);
}

}  // namespace

const formats::Format kFormat{.name = "kineto",
                              .title = "a Kineto trace",
                              .content = formats::Content::trace,
                              .priority = 40,
                              .sniff = is_kineto,
                              .read_traces = read_traces,
                              .read_rank = read_one,
                              .join_ranks = join,
                              .joins_outlines = true,
                              .peek_rank = peek_rank};

}  // namespace orrery::kineto
