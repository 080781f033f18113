// Aligned Kineto files hold exactly what the alignment does to the trace in memory.
#include "job/write/aligned_files.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "formats/kineto/reader.h"
#include "support/kineto_ranks.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using orrery::testing::kineto_rank;
using orrery::testing::TempDir;

std::uint64_t count(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& remark : diagnostics.sorted()) {
    if (remark.kind->code == code) return remark.count;
  }
  return 0;
}

struct Aligned {
  trace::Trace job;
  align::Alignment alignment;
};

Aligned align_files(const std::vector<std::string>& files) {
  Diagnostics diagnostics;
  auto job = kineto::read_job(files, diagnostics);
  REQUIRE(job.ok());
  auto alignment = align::align(*job, {}, {}, diagnostics);
  REQUIRE(alignment.ok());
  REQUIRE(alignment->calibrated);
  return {std::move(*job), std::move(*alignment)};
}

TEST_CASE("reading the aligned files gives the times that apply() gives, whatever each file counts from") {
  const TempDir dir;
  const std::vector<std::string> files = {
      dir.write("a.rank0.json", kineto_rank(0, 3, {}, 1'700'000'000'000'000'000 - 77)),
      dir.write("a.rank1.json", kineto_rank(1, 3, {.ahead_ns = 3'000'123, .ppm = 25}, 1'699'999'000'000'000'000)),
      dir.write("a.rank2.json", kineto_rank(2, 3, {.ahead_ns = -900'001, .ppm = -40}, 0))};
  Aligned aligned = align_files(files);
  std::vector<NodeCorrection> corrections = describe_corrections(aligned.job, aligned.alignment);
  Diagnostics diagnostics;
  REQUIRE(write_aligned(aligned.job, aligned.alignment, common_origin(aligned.job, aligned.alignment),
                        {dir.path("out"), {}}, corrections, diagnostics)
              .ok());
  CHECK(diagnostics.empty());
  align::apply(aligned.alignment, aligned.job);

  std::vector<std::string> written;
  for (const NodeCorrection& correction : corrections) written.push_back(correction.file);
  const auto again = kineto::read_job(written, diagnostics);
  REQUIRE(again.ok());
  const TimePs shift = (again->epoch_unix_ns - aligned.job.epoch_unix_ns) * kPsPerNs;
  for (std::size_t i = 0; i < 3; ++i) {
    const trace::RankTrace &expected = aligned.job.ranks[i], &read = again->ranks[i];
    REQUIRE(read.event_count() == expected.event_count());
    REQUIRE(read.flows.size() == expected.flows.size());
    std::size_t different = 0;
    for (trace::EventIndex e = 0; e < read.event_count(); ++e)
      different += read.start[e] + shift != expected.start[e] || read.duration[e] != expected.duration[e] ? 1 : 0;
    for (std::size_t f = 0; f < read.flows.size(); ++f)
      different += read.flows.time[f] + shift != expected.flows.time[f] ? 1 : 0;
    CHECK(different == 0);
    CHECK(read.source.base_time_ns == expected.source.base_time_ns);
    CHECK(std::filesystem::exists(dir.path("out/a.rank" + std::to_string(i) + ".alignment_stats.json")));
  }
  CHECK(std::filesystem::exists(dir.path("out/alignment_report.json")));
}

TEST_CASE("files of one name get the numbers of their ranks, and no original is replaced") {
  const TempDir dir;
  const std::vector<std::string> files = {dir.write("0/trace.json", kineto_rank(0, 2, {}, 0)),
                                          dir.write("1/trace.json", kineto_rank(1, 2, {.ahead_ns = 1'000'000}, 0))};
  const Aligned aligned = align_files(files);
  std::vector<NodeCorrection> corrections = describe_corrections(aligned.job, aligned.alignment);
  Diagnostics diagnostics;
  REQUIRE(write_aligned(aligned.job, aligned.alignment, common_origin(aligned.job, aligned.alignment),
                        {dir.path("out"), {}}, corrections, diagnostics)
              .ok());
  CHECK(corrections[0].file == dir.path("out/trace.rank0.json"));
  CHECK(corrections[1].file == dir.path("out/trace.rank1.json"));
  CHECK(std::filesystem::exists(corrections[1].file));
  CHECK(count(diagnostics, "A732") == 2);

  const Aligned again = align_files({corrections[0].file, corrections[1].file});
  const Status refused = write_aligned(again.job, again.alignment, common_origin(again.job, again.alignment),
                                       {dir.path("out"), {}}, corrections, diagnostics);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("would overwrite an input") != std::string::npos);
}

TEST_CASE("names that ranks do not tell apart are refused; what lies beside traces is known by its name") {
  trace::Trace job;
  for (const char* path : {"a/trace.json", "b/trace.json.gz"}) job.ranks.emplace_back().source.path = path;
  Diagnostics diagnostics;
  CHECK_FALSE(aligned_names(job, {}, diagnostics).ok());
  job.ranks[1].rank = 1;
  const auto names = aligned_names(job, {}, diagnostics);
  REQUIRE(names.ok());
  CHECK((*names)[1].file == "trace.rank1.json.gz");
  CHECK((*names)[1].statistics == "trace.rank1.alignment_stats.json");
  CHECK(is_alignment_report("alignment_report.json"));
  CHECK(is_alignment_report((*names)[0].statistics));
  CHECK_FALSE(is_alignment_report("trace.json"));
}

TEST_CASE("events that cannot be moved are counted") {
  const TempDir dir;
  std::string odd = kineto_rank(1, 2, {.ahead_ns = 1'000'000}, 0);
  odd.insert(odd.find("  {\"ph\": \"i\""), "  {\"ph\": \"i\", \"name\": \"odd\", \"ts\": 9e40},\n");
  const Aligned aligned = align_files({dir.write("r0.json", kineto_rank(0, 2, {}, 0)), dir.write("r1.json", odd)});
  std::vector<NodeCorrection> corrections = describe_corrections(aligned.job, aligned.alignment);
  Diagnostics diagnostics;
  REQUIRE(write_aligned(aligned.job, aligned.alignment, common_origin(aligned.job, aligned.alignment),
                        {dir.path("out"), {}}, corrections, diagnostics)
              .ok());
  CHECK(count(diagnostics, "A731") == 1);
}

}  // namespace

TEST_CASE("the output is a folder, or for one trace also a file") {
  const testing::TempDir dir;
  CHECK(aligned_target("out", 1).folder == "out");
  CHECK(aligned_target("out", 1).file.empty());
  CHECK(aligned_target("to/here.xplane.pb", 1).folder == "to");
  CHECK(aligned_target("to/here.xplane.pb", 1).file == "here.xplane.pb");
  CHECK(aligned_target("here.json.gz", 1).folder == ".");
  CHECK(aligned_target("here.xplane.pb", 2).folder == "here.xplane.pb");
  const std::string folder = dir.path("is.xplane.pb");
  std::filesystem::create_directories(folder);
  CHECK(aligned_target(folder, 1).file.empty());
}

}  // namespace orrery::job
