#include "ask/graphs/job_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"

namespace orrery::ask {

void tell_job(report::Facts& facts, const causal::CausalGraph& job, TimePs replayed) {
  facts.key("job").begin_object();
  facts.key("ranks").begin_array();
  for (const causal::JobRank& rank : job.ranks) facts.value(rank.rank);
  facts.end_array();
  facts.key("missing").begin_array();
  for (const std::int64_t rank : job.missing) facts.value(rank);
  facts.end_array();
  facts.key("steps").begin_array();
  for (const std::string& step : job.steps) facts.value(step);
  facts.end_array();
  facts.key("window").begin_object();
  facts.field("label", job.label).field("begin_us", to_us(job.begin_ps)).field("span_us", to_us(job.span));
  facts.end_object();
  facts.key("clock").begin_object();
  facts.field("source", to_string(job.clock));
  if (job.band < 0) facts.key("band_us").null();
  else facts.field("band_us", to_us(job.band));
  facts.field("cut", job.cut);
  facts.end_object();
  facts.field("operations", job.operations.size())
      .field("unmatched", job.unmatched)
      .field("incomplete", job.incomplete);
  facts.field("residual_pct", job.residual_percent(replayed));
  facts.end_object();
}

std::string job_trust_line(const causal::CausalGraph& job, TimePs replayed) {
  std::string clock = job.clock == causal::ClockSource::one ? "one clock"
                      : job.clock == causal::ClockSource::aligned
                          ? fmt::format("clocks aligned to {}", format_duration(std::max<TimePs>(job.band, 0)))
                      : job.clock == causal::ClockSource::relative ? "no times are recorded, only lengths"
                      : job.band < 0                               ? "clocks as recorded, how far apart is not known"
                                     : fmt::format("clocks as recorded, within {}", format_duration(job.band));
  if (job.ranks.size() == 1) return fmt::format("Replay residual {:.4g} %.", job.residual_percent(replayed));
  return fmt::format("{} the ranks ({} without partners, {} incomplete, {} contradict); {}; replay residual {:.4g} %.",
                     report::counted(job.operations.size(), "operation joins", "operations join"), job.unmatched,
                     job.incomplete, job.cut, clock, job.residual_percent(replayed));
}

}  // namespace orrery::ask
