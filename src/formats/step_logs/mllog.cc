#include "formats/step_logs/mllog.h"

#include <map>
#include <optional>
#include <vector>

#include "base/io/file_content.h"
#include "base/json/json_members.h"
#include "base/numbers.h"
#include "formats/step_logs/diagnostics.h"
#include "formats/step_logs/log_rank.h"
#include "formats/step_logs/log_time.h"

namespace orrery::step_logs {
namespace {

constexpr std::string_view kMark = ":::MLLOG ";
constexpr std::string_view kStart = "_start", kStop = "_stop";

class MllogReader {
 public:
  MllogReader(const LogText& content, trace::RankTrace& rank, Interner& strings, Diagnostics& diagnostics)
      : content_(content), rank_(rank), log_(rank, strings), diagnostics_(diagnostics) {}

  void read() {
    std::string_view rest = content_.bytes;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t mark = line.find(kMark);
      if (mark == std::string_view::npos) continue;  // whatever else the program printed
      const std::string_view entry = line.substr(mark + kMark.size());
      if (!take(entry.substr(0, entry.rfind('}') + 1)))
        diagnostics_.add(kBadLine, [&] { return content_.describe(line.data()); });
    }
    for (const auto& [key, starts] : open_) {
      const std::string& name = key;
      for (const Open& open : starts) {
        diagnostics_.add(kOpenInterval, [&] { return name + " of " + content_.describe(open.line); });
        log_.add(trace::Activity::annotation, name, LogRank::kIntervals, open.time, open.time - 1,
                 content_.offset_of(open.line));
      }
    }
    for (const Throughput& sample : throughputs_) log_.add_counter("throughput", sample.time, sample.value);
  }

 private:
  struct Open {
    Int128 time;
    const char* line;
  };

  struct Throughput {
    Int128 time;
    double value;
  };

  bool take(std::string_view entry) {
    const auto [time_text, type, key_text, value, metadata] =
        members_of<5>(entry, {"time_ms", "event_type", "key", "value", "metadata"});
    const std::optional<Int128> time = exact_ps(time_text, 3);
    if (!time || !is_json_string(key_text)) return false;
    const std::string_view key = string_content(key_text);
    if (type == "\"INTERVAL_START\"" && key.ends_with(kStart)) {
      open_[std::string(key.substr(0, key.size() - kStart.size()))].push_back({*time, entry.data()});
      return true;
    }
    if (type == "\"INTERVAL_END\"" && key.ends_with(kStop)) {
      close(std::string(key.substr(0, key.size() - kStop.size())), *time, entry.data());
      return true;
    }
    if (key == "tracked_stats") return take_stats(*time, value, metadata, entry.data());
    // Told by several processes, it is the same each time.
    for (const auto& [known, ignored] : rank_.source.properties) {
      if (known == key) return true;
    }
    rank_.source.properties.emplace_back(key, value);
    return true;
  }

  void close(const std::string& key, Int128 time, const char* line) {
    const auto open = open_.find(key);
    if (open == open_.end() || open->second.empty()) {
      diagnostics_.add(kEndAlone, [&] { return key + " of " + content_.describe(line); });
      return;
    }
    const Open begun = open->second.back();
    open->second.pop_back();
    log_.add(trace::Activity::annotation, key, LogRank::kIntervals, begun.time, time, content_.offset_of(begun.line));
  }

  /// A step that ends here; its time is the mean of those since the last time that one was told.
  bool take_stats(Int128 time, std::string_view value, std::string_view metadata, const char* line) {
    const auto [seconds, throughput] = members_of<2>(value, {"train_step_time", "throughput"});
    if (seconds.empty()) {
      // How long a step took does not follow from it: how many samples a step has is not told beside it.
      if (const auto sample = parse_finite(throughput)) throughputs_.push_back({time, *sample});
      return true;
    }
    const std::optional<Int128> length = exact_ps(seconds, 0);
    if (!length || *length < 0) return false;
    const auto [step, samples] = members_of<2>(metadata, {"step", "samples_count"});
    std::int64_t number = static_cast<std::int64_t>(steps_++);
    if (!parse_number(step, number)) parse_number(samples, number);
    log_.add_step(number, time - *length, time, content_.offset_of(line));
    return true;
  }

  const LogText& content_;
  trace::RankTrace& rank_;
  LogRank log_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::vector<Open>> open_;
  std::vector<Throughput> throughputs_;  // added last: the first event sets the epoch
  std::size_t steps_ = 0;
};

}  // namespace

bool is_mllog(std::string_view head) { return head.find(":::MLLOG {") != std::string_view::npos; }

Result<trace::RankTrace> parse_mllog(const LogText& text, Interner& strings, Diagnostics& diagnostics) {
  trace::RankTrace rank;
  text.describe_source(rank.source, "mllog");
  MllogReader(text, rank, strings, diagnostics).read();
  if (rank.event_count() == 0 && rank.counters.size() == 0)
    return Error{"no interval and no step time is in this log", text.path, Error::kNoOffset,
                 "steps are told by tracked_stats with train_step_time, intervals by X_start and X_stop"};
  return rank;
}

Result<trace::RankTrace> read_mllog(const std::string& path, Interner& strings, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_mllog({content->bytes(), path, content->file_bytes()}, strings, diagnostics);
}

}  // namespace orrery::step_logs
