// Small Kineto traces for tests, written as one line per event and read back through the real reader.
//
//     # thread  start  duration  category      name              arguments
//     1         0      100       cpu_op        aten::mm
//     1         10     5         cuda_runtime  cudaLaunchKernel  correlation=1
//     gpu0/7    20     50        kernel        gemm              correlation=1
//
// A thread is a number (of process 100) or gpuDEVICE/STREAM. Times are microseconds and go into the file as they are
// written; - leaves one out. Names and arguments with blanks are put in quotes: "Stream Sync", "Collective
// name"=allreduce.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_writer.h"
#include "formats/kineto/reader.h"
#include "support/temp_dir.h"
#include "trace/trace.h"

namespace orrery::testing {

/// Splits at blanks outside of quotes; quotes are dropped, so that x"a b"y is one word: xa by.
inline std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool open = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) words.emplace_back();
    if (c != '"') words.back() += c;
  }
  return words;
}

inline std::string json_value(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("-0123456789.") == std::string::npos;
  if (is_number) return text;
  std::string quoted;
  append_json_string(quoted, text);
  return quoted;
}

/// The JSON object of one line.
inline std::string kineto_event(std::string_view line) {
  const std::vector<std::string> words = split_words(line);
  if (words.size() < 5) throw std::invalid_argument("not an event: " + std::string(line));
  std::vector<std::pair<std::string, std::string>> arguments;
  std::string process = "100", thread = words[0];
  if (thread.starts_with("gpu")) {
    const std::size_t slash = thread.find('/');
    process = thread.substr(3, slash - 3);
    thread = thread.substr(slash + 1);
    arguments = {{"device", process}, {"stream", thread}};
  }
  for (std::size_t i = 5; i < words.size(); ++i) {
    const std::size_t equals = words[i].rfind('=');
    arguments.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  std::string json;
  JsonWriter writer(json);
  writer.begin_object().field("ph", words[2] == "-" ? "i" : "X").field("cat", words[3]).field("name", words[4]);
  writer.key("pid").raw(process).key("tid").raw(json_value(thread));
  if (words[1] != "-") writer.key("ts").raw(words[1]);
  if (words[2] != "-") writer.key("dur").raw(words[2]);
  writer.key("args").begin_object();
  for (const auto& [key, value] : arguments) writer.key(key).raw(json_value(value));
  writer.end_object().end_object();
  return json;
}

/// `members`: further members of the document, as JSON text: R"("baseTimeNanoseconds": 5)".
inline std::string kineto_json(std::string_view lines, std::string_view members = {}) {
  std::string json = "{";
  if (!members.empty()) json += std::string(members) + ",\n";
  json += "\"traceEvents\": [";
  bool first = true;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t text = line.find_first_not_of(' ');
    if (text == std::string_view::npos || line[text] == '#') continue;
    json += (std::exchange(first, false) ? "\n" : ",\n") + kineto_event(line);
  }
  return json + "\n]}\n";
}

/// The trace of one rank, read from a file that lives as long as this does.
class SmallTrace {
 public:
  explicit SmallTrace(std::string_view lines, std::string_view members = {}, std::string_view file_name = "trace.json")
      : path_(dir_.write(file_name, kineto_json(lines, members))) {
    Result<trace::Trace> job = kineto::read_job({path_}, diagnostics_);
    if (!job) throw std::runtime_error(job.error().to_string());
    trace_ = std::move(*job);
  }

  [[nodiscard]] const trace::Trace& trace() const { return trace_; }
  [[nodiscard]] const trace::RankTrace& rank() const { return trace_.ranks.front(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const TempDir& dir() const { return dir_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  TempDir dir_;
  std::string path_;
  Diagnostics diagnostics_;
  trace::Trace trace_;
};

/// Several ranks of one job, numbered by their place.
inline trace::Trace read_ranks(const TempDir& dir, const std::vector<std::string>& files, Diagnostics& diagnostics) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < files.size(); ++i)
    paths.push_back(dir.write("rank" + std::to_string(i) + ".json", files[i]));
  Result<trace::Trace> job = kineto::read_job(paths, diagnostics);
  if (!job) throw std::runtime_error(job.error().to_string());
  return std::move(*job);
}

inline std::uint64_t count_of(const Diagnostics& diagnostics, std::string_view code) {
  std::uint64_t count = 0;
  for (const Diagnostic& entry : diagnostics.sorted()) {
    if (entry.kind->code == code) count += entry.count;
  }
  return count;
}

}  // namespace orrery::testing
