// A verdict that its own what-if contradicts is no verdict: held on every recording that is shipped, and on a simulated
// run.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <filesystem>
#include <regex>

#include "cli/captured_run.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

const std::string kShipped = std::string(ORRERY_SOURCE_DIR) + "/data/";

/// Single files are one rank each; folders are jobs.
std::vector<std::string> shipped_recordings() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kShipped)) {
    if (entry.path().filename().string().find(".kineto.json") != std::string::npos) paths.push_back(entry.path());
  }
  for (const char* folder : {"jobs", "mpi"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kShipped + folder)) paths.push_back(entry.path());
  }
  paths.push_back(kShipped + "jax_cpu4");
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string data_of(const std::vector<std::string>& arguments) {
  const CapturedRun run = run_captured(arguments);
  return run.exit_code == 0 ? run.out : std::string();
}

/// Whether the path of `traces` could be judged.
bool judge(const std::string& traces) {
  CAPTURE(traces);
  simdjson::dom::parser parser, second;
  const std::string path_json = data_of({"--json", "path", traces});
  if (path_json.empty()) return false;  // not everything that is shipped is a recording with a path
  const simdjson::dom::element path = parser.parse(path_json)["data"];
  const std::string sentence(path["verdict"].get_string().value());
  CAPTURE(sentence);
  if (path["if_free"].is_null()) return false;
  const std::string edit(path["if_free"]["edit"].get_string().value());
  const double promised = path["if_free"]["gain_pct"].get_double().value();
  const std::string whatif_json = data_of({"--json", "whatif", traces, edit});
  REQUIRE_FALSE(whatif_json.empty());
  const simdjson::dom::element whatif = second.parse(whatif_json)["data"];
  const double before = whatif["before_us"].get_double().value(), after = whatif["after_us"].get_double().value();
  const double saved = 100.0 * (before - after) / before;
  CHECK(saved == doctest::Approx(promised).epsilon(1e-6));
  const double claimed = std::stod(sentence);
  CHECK((saved >= claimed / 3 || sentence.find(", but ") != std::string::npos));
  return true;
}

}  // namespace

TEST_CASE("what a verdict names saves a third of its share, or the sentence says what takes its place") {
  int judged = 0;
  for (const std::string& traces : shipped_recordings()) judged += judge(traces) ? 1 : 0;
  CHECK(judged >= 15);
}

TEST_CASE("the verdict of a simulated run is held to the same") {
  const orrery::testing::TempDir folder;
  const CapturedRun run = run_captured({"simulate", "--workload", kShipped + "workloads/training", "--machine",
                                        kShipped + "machines/dgx_h100_pod.yaml", "-o", folder.path() + "/run"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(judge(folder.path() + "/run"));
}

}  // namespace orrery::cli
