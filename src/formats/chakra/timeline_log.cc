#include "formats/chakra/timeline_log.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json_writer.h"
#include "base/json/python_json.h"
#include "base/numbers.h"
#include "formats/chakra/schema.h"

// Lines "issue,..." open a node and "callback,..." close it; each pair becomes an event. Logs of newer versions have a
// prefix and the node's type, older ones only names. With like_chakra the output is that of Chakra's own script, odd
// units included.

namespace orrery::chakra {
namespace {

enum class Thread : std::uint8_t { other, local_memory, remote_memory, compute, communication };
constexpr std::array<std::string_view, 5> kThreadNames = {"other", "local memory", "remote memory", "compute",
                                                          "communication"};

Thread thread_of(std::string_view name) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  // The original tells the unit that a node ran on from words in its name, in this order.
  const bool is_memory = has("MEM_LOAD_NODE") || has("MEM_STORE_NODE");
  if (is_memory && has("LOCAL_MEMORY")) return Thread::local_memory;
  if (is_memory && has("REMOTE_MEMORY")) return Thread::remote_memory;
  if (has("COMP_NODE")) return Thread::compute;
  if (has("COMM_SEND_NODE") || has("COMM_RECV_NODE") || has("COMM_COLL_NODE")) return Thread::communication;
  return Thread::other;
}

/// The unit by the type of a node, which newer logs have.
Thread thread_of_type(std::int64_t type) {
  switch (static_cast<NodeType>(type)) {
    case NodeType::mem_load:
    case NodeType::mem_store: return Thread::remote_memory;
    case NodeType::comp: return Thread::compute;
    case NodeType::comm_send:
    case NodeType::comm_recv:
    case NodeType::comm_coll: return Thread::communication;
    case NodeType::invalid:
    case NodeType::metadata: break;
  }
  return Thread::other;
}

struct LogLine {
  std::string_view word, name;
  std::int64_t rank = 0, cycle = 0, node = 0;
  std::optional<std::int64_t> type = {};
};

/// "[2026-03-26 10:00:00.000] [workload] [debug] issue,..." without what stands in brackets, which newer versions put
/// in front of every line; nothing if it does not begin so.
std::optional<std::string_view> without_prefix(std::string_view line) {
  // "[2026-03-": the digits and hyphens of a date tell a prefix from another bracket.
  if (line.size() < 12 || line[0] != '[' || line[5] != '-' || line[8] != '-' || line[1] < '0' || line[1] > '9')
    return std::nullopt;
  for (int group = 0; group < 3; ++group) {
    const std::size_t end = line.find(']');
    if (!line.starts_with('[') || end == std::string_view::npos) return std::nullopt;
    line.remove_prefix(end + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// What stands behind the first '=' of a column, up to another one.
std::optional<std::string_view> value_of(std::string_view column) {
  const std::size_t equals = column.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view value = column.substr(equals + 1);
  // As Python's split("=")[1] does: a name may have an equals sign in it, and ends there.
  return value.substr(0, value.find('='));
}

bool number_of(std::string_view column, std::int64_t& number) {
  return parse_number(trimmed(value_of(column).value_or("")), number);
}

std::optional<LogLine> parse_line(std::string_view line) {
  std::array<std::string_view, 5> columns;
  line = trimmed(line);
  LogLine out;
  // Behind the name, which may have commas in it.
  if (const std::size_t at = line.rfind(", node->type="); at != std::string_view::npos) {
    std::int64_t type = 0;
    if (number_of(line.substr(at), type)) out.type = type, line = line.substr(0, at);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos && i + 1 < columns.size()) return std::nullopt;
    columns[i] = line.substr(0, comma);
    line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
  }
  out.word = columns[0];
  const std::optional<std::string_view> name = value_of(columns[4]);
  if (!name || !number_of(columns[1], out.rank) || !number_of(columns[2], out.cycle) ||
      !number_of(columns[3], out.node))
    return std::nullopt;
  out.name = *name;
  return out;
}

class Timeline {
 public:
  Timeline(const std::string& path, const TimelineOptions& options, Diagnostics& diagnostics, OutputFile& out)
      : path_(path), options_(options), diagnostics_(diagnostics), out_(out) {}

  Status add(std::string_view line, std::uint64_t number);
  void begin() {
    out_.write(options_.like_chakra ? "{\"meta_user\": \"aras\", \"traceEvents\": [" : "{\"traceEvents\":[");
  }
  void end();

 private:
  struct Issued {
    std::string name;
    std::int64_t cycle = 0;
    Thread thread = Thread::other;
  };
  Status finish(const LogLine& line, std::uint64_t number);
  void append_event(const LogLine& line, const Issued& issued);
  void append_like_chakra(const LogLine& line, const Issued& issued);
  [[nodiscard]] Error error(std::uint64_t line, std::string what) const {
    return {fmt::format("line {}: {}", line, what), path_};
  }
  void count_unfinished(const std::string& what, std::int64_t rank, std::int64_t node) {
    diagnostics_.add(kUnfinishedNode,
                     [&] { return fmt::format("{}: {} node {} of rank {}", path_, what, node, rank); });
  }

  const std::string& path_;
  const TimelineOptions& options_;
  Diagnostics& diagnostics_;
  OutputFile& out_;
  std::map<std::pair<std::int64_t, std::int64_t>, Issued> issued_;  // by rank and node
  std::map<std::pair<std::int64_t, Thread>, bool> threads_;         // that have events
  std::int64_t ranks_ = 0;
  bool has_events_ = false;
};

Status Timeline::add(std::string_view text, std::uint64_t number) {
  if (const std::optional<std::string_view> rest = options_.like_chakra ? std::nullopt : without_prefix(text)) {
    text = *rest;
    if (!text.starts_with("issue,") && !text.starts_with("callback,"))
      return {};  // there all lines begin alike, and the words may be in any
  }
  // Logs have other lines between; the original looks for the two words anywhere, so a line with one of them must be an
  // event.
  const bool is_event = text.find("issue") != std::string_view::npos || text.find("callback") != std::string_view::npos;
  if (!is_event) return {};
  const std::optional<LogLine> line = parse_line(text);
  if (!line) return error(number, "this is no event: issue|callback,x=RANK,x=CYCLE,x=NODE,x=NAME");
  const bool is_known_rank =
      options_.ranks == 0 || (line->rank >= 0 && static_cast<std::uint64_t>(line->rank) < options_.ranks);
  if (!is_known_rank) return error(number, fmt::format("rank {} of {}", line->rank, options_.ranks));
  ranks_ = std::max(ranks_, line->rank + 1);
  if (line->word == "callback") return finish(*line, number);
  if (line->word != "issue") return error(number, fmt::format("\"{}\" is neither issue nor callback", line->word));
  issued_.insert_or_assign(
      {line->rank, line->node},
      Issued{std::string(line->name), line->cycle, line->type ? thread_of_type(*line->type) : thread_of(line->name)});
  return {};
}

Status Timeline::finish(const LogLine& line, std::uint64_t number) {
  const auto found = issued_.find({line.rank, line.node});
  if (found == issued_.end()) {
    // There the original ends with a KeyError.
    if (options_.like_chakra) return error(number, fmt::format("node {} was not issued", line.node));
    count_unfinished("never issued:", line.rank, line.node);
    return {};
  }
  if (options_.like_chakra && thread_of(found->second.name) == Thread::other)
    return error(number, fmt::format("Node type cannot be identified from {}", found->second.name));
  if (options_.like_chakra) append_like_chakra(line, found->second);
  else append_event(line, found->second);
  issued_.erase(found);
  return {};
}

void Timeline::append_like_chakra(const LogLine& line, const Issued& issued) {
  // Milliseconds where trace viewers read microseconds, and divided in this order: the original's own, to the last
  // digit.
  const double start = static_cast<double>(issued.cycle) / static_cast<double>(options_.frequency_mhz) / 1000;
  const double duration =
      static_cast<double>(line.cycle - issued.cycle) / static_cast<double>(options_.frequency_mhz * 1000);
  std::string name;
  append_json_string(name, issued.name);
  out_.write(fmt::format(
      "{}{{\"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, \"ph\": \"X\", \"name\": {}, \"args\": {{\"ms\": {}}}}}",
      std::exchange(has_events_, true) ? ", " : "", line.rank, static_cast<int>(thread_of(issued.name)),
      python_number(start), python_number(duration), name, python_number(duration)));
}

void Timeline::append_event(const LogLine& line, const Issued& issued) {
  const Thread thread = issued.thread;
  threads_[{line.rank, thread}] = true;
  std::string text = std::exchange(has_events_, true) ? ",\n" : "\n";
  JsonWriter json(text);
  const auto micros = [&](std::int64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(options_.frequency_mhz);
  };
  json.begin_object().field("ph", "X").field("pid", line.rank).field("tid", static_cast<int>(thread));
  json.field("ts", micros(issued.cycle)).field("dur", micros(line.cycle - issued.cycle)).field("name", issued.name);
  json.key("args").begin_object().field("node", line.node).end_object().end_object();
  out_.write(text);
}

void Timeline::end() {
  if (options_.like_chakra) {
    // The original says nothing of nodes that never finished.
    out_.write(fmt::format("], \"meta_cpu_count\": {}}}", options_.ranks));
    return;
  }
  for (const auto& [key, issued] : issued_) count_unfinished("never finished:", key.first, key.second);
  for (const auto& [key, unused] : threads_) {
    std::string text = ",\n";
    JsonWriter json(text);
    json.begin_object()
        .field("ph", "M")
        .field("pid", key.first)
        .field("tid", static_cast<int>(key.second))
        .field("name", "thread_name");
    json.key("args")
        .begin_object()
        .field("name", kThreadNames[static_cast<std::size_t>(key.second)])
        .end_object()
        .end_object();
    out_.write(text);
  }
  out_.write("\n]}\n");
}

}  // namespace

bool looks_like_timeline_log(std::string_view first_bytes) {
  const std::string_view first = first_bytes.substr(0, first_bytes.find('\n'));
  if (without_prefix(first)) return true;
  return parse_line(first).has_value() && (first.starts_with("issue") || first.starts_with("callback"));
}

Status write_timeline(std::string_view log, const std::string& path, const TimelineOptions& options,
                      Diagnostics& diagnostics, OutputFile& out) {
  if (options.frequency_mhz <= 0) return Error{"the frequency is not above 0"};
  Timeline timeline(path, options, diagnostics, out);
  timeline.begin();
  for (std::uint64_t number = 1; !log.empty(); ++number) {
    const std::size_t end = log.find('\n');
    if (Status added = timeline.add(log.substr(0, end), number); !added) return added;
    log = end == std::string_view::npos ? std::string_view() : log.substr(end + 1);
  }
  timeline.end();
  return {};
}

}  // namespace orrery::chakra
