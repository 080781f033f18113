#include <doctest/doctest.h>

#include <algorithm>

#include "base/io/file_content.h"
#include "formats/ampip/format.h"
#include "formats/ampip/reader.h"
#include "formats/ampip/report.h"
#include "scrub/scrub.h"
#include "support/temp_dir.h"

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;
using orrery::testing::TempDir;

Result<Outcome> scrub_folder(const std::string& folder, const std::string& target, Settings settings = {}) {
  Request request{.inputs = {}, .output_folder = target, .keep_file_names = false, .settings = settings};
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths)
    request.inputs.push_back({path, path.ends_with(".mpiP") ? &ampip::kReportFormat : &ampip::kFormat});
  Diagnostics diagnostics;
  return scrub_job(request, diagnostics);
}

std::string text_of(const std::string& path) {
  const auto content = FileContent::open(path);
  REQUIRE(content.ok());
  return std::string(content->bytes());
}

trace::Trace read(const std::string& folder, const std::string& ending) {
  std::vector<std::string> paths;
  for (const char* rank : {"0", "1", "2", "3"}) paths.push_back(folder + "/trace_" + rank + ending);
  Diagnostics diagnostics;
  auto job = ampip::read_job(paths, diagnostics);
  REQUIRE_MESSAGE(job.ok(), job.error().to_string());
  return std::move(*job);
}

}  // namespace

TEST_CASE("an MPI job keeps its calls, times, sizes, ranks and communicators") {
  for (const auto& [job, ending] : {std::pair("colls4", ""), std::pair("halo4", ".gz"), std::pair("colls4_2023", "")}) {
    CAPTURE(job);
    const TempDir folder;
    const std::string before = std::string(ORRERY_SOURCE_DIR) + "/data/mpi/" + job, after = folder.path("out");
    const auto outcome = scrub_folder(before, after);
    REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
    const trace::Trace a = read(before, ending), b = read(after, ending);
    REQUIRE(a.ranks.size() == b.ranks.size());
    for (std::size_t r = 0; r < a.ranks.size(); ++r) {
      const trace::RankTrace &x = a.ranks[r], &y = b.ranks[r];
      REQUIRE(x.event_count() == y.event_count());
      for (trace::EventIndex e = 0; e < x.event_count(); ++e) {
        CHECK(a.name(x, e) == b.name(y, e));
        CHECK(x.start[e] == y.start[e]);
        CHECK(x.duration[e] == y.duration[e]);
        for (const trace::Field field : {trace::Field::bytes, trace::Field::destination_rank, trace::Field::callsite})
          CHECK(x.field(field).find(e) == y.field(field).find(e));
        const auto group = [&](const trace::Trace& trace, const trace::RankTrace& rank) {
          return std::string(
              trace.strings.text(static_cast<StringId>(rank.field(trace::Field::group_name_text).find(e).value_or(0))));
        };
        CHECK(group(a, x) == group(b, y));
      }
    }
  }
}

TEST_CASE("paths, source files, functions, hosts, the command, dates and regions are gone") {
  const TempDir folder;
  fs::create_directory(folder.path("in"));
  folder.write("in/trace_0",
               "callsite,op,dur_us,sendSize_B,dest_group,dest_global,region\n1,MPI_Isend,1672857250203354.0,64,1,1,"
               "solver.inner\n"
               "2,MPI_Secret,2.500000,0,-1,-1,\n");
  folder.write(
      "in/job.mpiP",
      "@ mpiP\n@ Command : ./secret_program --model x\n@ Version : 3.5.0\n@ Start time : 2026 11 14 23:59:38\n@ MPI "
      "Task Assignment : 0 "
      "secrethost\n\n---\n@--- Callsites: 2 ---\n---\n ID TmpID HashID Lev File/Address Line Parent_Funct MPI_Call\n"
      "  1   1 662900   0 secret.cc  7 Secret::solve(int, long) Isend\n  1   1 662900   1 /home/me/secret_main.cc 12 "
      "main\n"
      "  2   2 662901   0 0x5581 [unknown] Secret\n---\n@--- I/O of secretfs ---\n---\nsecret rows\n---\n@--- End of "
      "Report ---\n---\n");
  const auto outcome = scrub_folder(folder.path("in"), folder.path("out"));
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  const std::string trace = text_of(folder.path("out/trace_0")), report = text_of(folder.path("out/report.mpiP"));
  for (const std::string_view word :
       {"secret", "Secret", "solver", "inner", "home", "main", "2026", "1672857250203354", "long"}) {
    CAPTURE(word);
    CHECK(trace.find(word) == std::string::npos);
    CHECK(report.find(word) == std::string::npos);
  }
  CHECK(trace.find("1,MPI_Isend,0.0,64,1,1,text.") !=
        std::string::npos);  // the first time means nothing, and may be a date
  CHECK(trace.find(",2.500000,0,-1,-1,\n") != std::string::npos);
  CHECK(report.find("1 1 662900 0 text.") != std::string::npos);
  CHECK(report.find(" Isend\n") != std::string::npos);
  CHECK(report.find("0x5581 [unknown]") != std::string::npos);
  CHECK(ampip::is_report(report));
}

TEST_CASE("of a report nothing leaves that only looks like a row, a number or an address") {
  const TempDir folder;
  fs::create_directory(folder.path("in"));
  folder.write("in/job.mpiP",
               "@ mpiP of secretlab : x\n@--- MPI Time (seconds) secret: \n---\nTask AppTime MPITime MPI%\n0 1.5 0.5 "
               "nan(secret)\n1 1.5 0.5 -nan\n"
               "---\n@--- Callsites: secret ---\n---\n ID Lev File/Address Line Parent_Funct MPI_Call\n  1 0 "
               "0xsecret.cc 7 main Isend\r\n"
               "---\n@--- End of Report ---\n----\n@--- Callsites: 1 ---\n---\nID Lev\nsecret secret secret secret\n"
               "@ MPI Task Assignment : secret secret\n@--- MPI Time (seconds) ---\nTask\nsecret 1 2 3\n");
  const auto outcome = scrub_folder(folder.path("in"), folder.path("out"));
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  const std::string report = text_of(folder.path("out/report.mpiP"));
  CHECK(report.find("secret") == std::string::npos);
  CHECK(report.find("@--- MPI Time (seconds) ---\n---\nTask AppTime MPITime MPI%\n1 1.5 0.5 -nan\n") !=
        std::string::npos);
  CHECK(report.find("@--- Callsites ---") != std::string::npos);
  CHECK(report.ends_with("@--- End of Report ---\n---\n---\n"));
  CHECK(ampip::parse_report(report, "report.mpiP").ok());
}

TEST_CASE("one name has one new name in all files of a key") {
  const TempDir folder;
  const std::string runs = std::string(ORRERY_SOURCE_DIR) + "/data/mpi/halo/";
  for (const char* run : {"p4_n64", "p4_n128"}) REQUIRE(scrub_folder(runs + run, folder.path(run)).ok());
  const auto function = [&](const char* run) {
    const std::string report = text_of(folder.path(std::string(run) + "/report.mpiP"));
    const std::size_t at = report.find(" Isend\n");
    return report.substr(report.rfind(' ', at - 1), at - report.rfind(' ', at - 1));
  };
  CHECK(function("p4_n64") == function("p4_n128"));
}

TEST_CASE("what cannot be done to sums is refused, and a damaged line names its place") {
  const TempDir folder;
  fs::create_directory(folder.path("in"));
  folder.write("in/trace_0", "TRACE 0 -> 1 5.0 MPI_Barrier\n");
  const auto rounded = scrub_folder(folder.path("in"), folder.path("out"), {.size_bits = 3});
  REQUIRE_FALSE(rounded.ok());
  CHECK(rounded.error().message == "times and sizes of A-mpiP can only stay as they are: mpiP's report has their sums");
  folder.write("in/trace_0", "TRACE 0 -> 1 5.0 MPI_Barrier\nTRACE 1 -> 2 six MPI_Barrier\n");
  const auto damaged = scrub_folder(folder.path("in"), folder.path("out"));
  REQUIRE_FALSE(damaged.ok());
  CHECK(damaged.error().offset == 42);
  CHECK_FALSE(fs::exists(folder.path("out")));
}

}  // namespace orrery::scrub
