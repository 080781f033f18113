// Feeds arbitrary bytes to the readers of A-mpiP traces and of mpiP's reports. What is accepted keeps its promises:
// calls in order, times within bounds, lists as long as their communicator.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/ampip/reader.h"
#include "formats/ampip/report.h"
#include "formats/ampip/site_join.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (ampip::is_report(text)) {
    const Result<ampip::Report> report = ampip::parse_report(text, "fuzz.mpiP");
    if (!report) {
      require(report.error().file == "fuzz.mpiP" && !report.error().message.empty(), "an error without its file");
      return 0;
    }
    for (const ampip::SiteTime& time : report->site_times)
      require(time.count > 0 && time.mean_ps >= 0, "a site without calls");
    ampip::name_sites(*report);
    return 0;
  }
  match::MpiRankRead read;
  Diagnostics diagnostics;
  const Status parsed = ampip::parse_rank(text, "fuzz_0", 0, read.rank, diagnostics);
  require(parsed.ok() || parsed.error().file == "fuzz_0", "an error without its file");
  const trace::RankTrace& rank = read.rank.trace;
  require(rank.field(trace::Field::callsite).value.size() == rank.event_count(), "a call without a callsite");
  for (const std::int64_t delta : rank.field(trace::Field::recorded_delta).value)
    require(delta >= 0, "a negative delta");
  for (const match::CommunicatorUse& use : read.rank.communicators.uses())
    require(use.event < rank.event_count(), "a use of nothing");
  return 0;
}
