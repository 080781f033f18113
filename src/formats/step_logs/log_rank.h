// A rank as a log tells it: steps and phases on one lane, beside them intervals of other lengths.
#pragma once

#include <string>
#include <string_view>

#include "base/int128.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::step_logs {

/// A log as it is read, followed by at least 64 readable bytes.
struct LogText {
  std::string_view bytes;
  std::string path;
  std::uint64_t file_bytes = 0;  ///< before it was inflated

  [[nodiscard]] std::uint64_t offset_of(const char* at) const { return static_cast<std::uint64_t>(at - bytes.data()); }
  /// "log.jsonl, byte 120"
  [[nodiscard]] std::string describe(const char* at) const { return path + ", byte " + std::to_string(offset_of(at)); }
  void describe_source(trace::SourceInfo& source, std::string_view format) const {
    source.path = path;
    source.format = format;
    source.file_bytes = file_bytes;
    source.text_bytes = bytes.size();
  }
};

class LogRank {
 public:
  enum Lane : std::uint8_t { kSteps, kIntervals };

  /// Both live as long as this.
  LogRank(trace::RankTrace& rank, Interner& strings) : rank_(rank), strings_(strings) {}

  /// `start` and `end`: ps since 1970; an end before the start makes it an instant. `offset`: of its line. Where the
  /// first lies sets the epoch; none: it is years away from that.
  std::optional<trace::EventIndex> add(trace::Activity activity, std::string_view name, Lane lane, Int128 start,
                                       Int128 end, std::uint64_t offset);
  void add_step(std::int64_t number, Int128 start, Int128 end, std::uint64_t offset);
  /// A value of the run as a whole, without a unit. `time`: ps since 1970.
  void add_counter(std::string_view name, Int128 time, double value);

 private:
  trace::LaneIndex lane_of(Lane lane);
  std::uint16_t category_of(trace::Activity activity);

  trace::RankTrace& rank_;
  Interner& strings_;
};

}  // namespace orrery::step_logs
