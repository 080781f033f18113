#include "cli/graphs/job_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"

namespace orrery::cli {
void write_job_json(JsonWriter& json, const causal::CausalGraph& job, TimePs replayed) {
  json.key("job").begin_object();
  json.key("ranks").begin_array();
  for (const causal::JobRank& rank : job.ranks) json.value(rank.rank);
  json.end_array();
  json.key("missing").begin_array();
  for (const std::int64_t rank : job.missing) json.value(rank);
  json.end_array();
  json.key("steps").begin_array();
  for (const std::string& step : job.steps) json.value(step);
  json.end_array();
  json.key("window").begin_object();
  json.field("label", job.label).field("begin_us", to_us(job.begin_ps)).field("span_us", to_us(job.span));
  json.end_object();
  json.key("clock").begin_object();
  json.field("source", to_string(job.clock));
  if (job.band < 0) json.key("band_us").null();
  else json.field("band_us", to_us(job.band));
  json.field("cut", job.cut);
  json.end_object();
  json.field("operations", job.operations.size()).field("unmatched", job.unmatched).field("incomplete", job.incomplete);
  json.field("residual_pct", job.residual_percent(replayed));
  json.end_object();
}

std::string job_trust_line(const causal::CausalGraph& job, TimePs replayed) {
  std::string clock = job.clock == causal::ClockSource::one ? "one clock"
                      : job.clock == causal::ClockSource::aligned
                          ? fmt::format("clocks aligned to {}", format_duration(std::max<TimePs>(job.band, 0)))
                      : job.band < 0 ? "clocks as recorded, how far apart is not known"
                                     : fmt::format("clocks as recorded, within {}", format_duration(job.band));
  if (job.ranks.size() == 1) return fmt::format("Replay residual {:.4g} %.", job.residual_percent(replayed));
  return fmt::format("{} the ranks ({} without partners, {} incomplete, {} contradict); {}; replay residual {:.4g} %.",
                     report::counted(job.operations.size(), "operation joins", "operations join"), job.unmatched,
                     job.incomplete, job.cut, clock, job.residual_percent(replayed));
}

}  // namespace orrery::cli
