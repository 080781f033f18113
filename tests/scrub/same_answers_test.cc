// What scrubbing must not change: the answers to questions about whole jobs, asked of the recordings in data/ before
// and after.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/captured_run.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;
using simdjson::dom::element_type;

const std::string kRecordings = std::string(ORRERY_SOURCE_DIR) + "/data/";

// Names have become others, threads have other numbers, and so has what is listed in their order.
bool may_differ(std::string_view key) {
  for (const char* one :
       {"contributors", "lane", "name", "file", "files", "path", "output", "outputs", "input", "label", "message"}) {
    if (key == one) return true;
  }
  return false;
}

// All numbers and truth values of an answer, with their keys.
void append_figures(element value, std::string& out) {
  switch (value.type()) {
    case element_type::OBJECT:
      for (const auto [key, content] : simdjson::dom::object(value)) {
        if (may_differ(key)) continue;
        (out += key) += ':';
        append_figures(content, out);
      }
      break;
    case element_type::ARRAY:
      for (const element entry : simdjson::dom::array(value)) append_figures(entry, out);
      break;
    case element_type::STRING: break;
    default: (out += simdjson::minify(value)) += ';';
  }
}

struct Answer {
  int exit_code = -1;
  std::string figures;
  std::string diagnostics;  ///< codes and counts
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer ask(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const cli::CapturedRun run = cli::run_captured(arguments);
  simdjson::dom::parser parser;
  const element document = parser.parse(run.out).value();
  Answer answer;
  answer.exit_code = run.exit_code;
  append_figures(document["data"].value(), answer.figures);
  for (const element entry : simdjson::dom::array(document["diagnostics"].value())) {
    // What recording cost is told by the lengths of rows, too, of which scrubbing leaves little.
    if (std::string_view(entry["code"].value()) == "W404") continue;
    answer.diagnostics += std::string(std::string_view(entry["code"].value())) + " ";
    answer.diagnostics += std::to_string(std::int64_t(entry["count"].value())) + ";";
  }
  REQUIRE(answer.figures.size() > 20);
  return answer;
}

// The job as it was recorded and the job scrubbed, in folders whose files have the same names.
struct Job {
  orrery::testing::TempDir folder;
  explicit Job(const std::vector<std::string>& files) {
    for (const char* made : {"before", "linked_before", "linked_after"}) fs::create_directory(folder.path(made));
    const auto scrubbed = testing::scrub_files(files, folder.path("after"));
    for (std::size_t i = 0; i < files.size(); ++i)
      fs::copy_file(files[i], folder.path("before/" + fs::path(scrubbed.paths[i]).filename().string()));
  }
  [[nodiscard]] std::string before(const std::string& file = "") const {
    return folder.path("before" + (file.empty() ? "" : "/" + file));
  }
  [[nodiscard]] std::string after(const std::string& file = "") const {
    return folder.path("after" + (file.empty() ? "" : "/" + file));
  }
};

std::vector<std::string> files_of(const std::string& folder, std::string_view beginning = "",
                                  std::string_view ending = ".json.gz") {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kRecordings + folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning) && name.ends_with(ending)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  return files;
}

void check_answers(const Job& job) {
  CHECK(ask({"check", "--causality", job.after()}) == ask({"check", "--causality", job.before()}));
  CHECK(ask({"path", job.after()}) == ask({"path", job.before()}));
  CHECK(ask({"path", job.after("rank_1.kineto.json.gz")}) == ask({"path", job.before("rank_1.kineto.json.gz")}));
  CHECK(ask({"align", job.after(), "-o", job.folder.path("aligned_after")}) ==
        ask({"align", job.before(), "-o", job.folder.path("aligned_before")}));
  CHECK(ask({"link", job.after(), "-o", job.folder.path("linked_after/job")}) ==
        ask({"link", job.before(), "-o", job.folder.path("linked_before/job")}));
  CHECK(ask({"replay", job.folder.path("linked_after/job")}) == ask({"replay", job.folder.path("linked_before/job")}));
}

TEST_CASE("a tree of broadcasts and reductions by gloo: roots are still known") {
  const Job job(files_of("jobs/tree6_base"));
  check_answers(job);
  // All of it was checked before, too: the comparison is not of two answers that say nothing.
  const Answer answer = ask({"check", "--causality", job.before()});
  CHECK(answer.exit_code == 0);
  CHECK(answer.figures.find("collectives:18;") != std::string::npos);
  CHECK(answer.figures.find("root_unknown:0;") != std::string::npos);
}

TEST_CASE("tensor and data parallel groups by gloo: sub-groups are still told apart") {
  check_answers(Job(files_of("jobs/tpdp8_base")));
}

TEST_CASE("sends, receives and collectives with roots, host and device traces together") {
  const Job job(files_of("", "calls4."));
  check_answers(job);
}

TEST_CASE("data parallel training on GPUs, host and device traces together") {
  check_answers(Job(files_of("", "ddp4.")));
}

TEST_CASE("scrubbing what is scrubbed changes no answer either") {
  const Job once(files_of("jobs/tree6_base"));
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(once.after())) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  const Job twice(files);
  CHECK(ask({"check", "--causality", twice.after()}) == ask({"check", "--causality", once.before()}));
}

TEST_CASE("rounded sizes keep who talks to whom") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> files = files_of("jobs/tree6_base");
  testing::scrub_files(files, folder.path("out"), {.key = testing::fixed_key(), .size_bits = 2});
  const Answer answer = ask({"check", "--causality", folder.path("out")});
  CHECK(answer.figures.find("collectives:18;") != std::string::npos);
}

}  // namespace
}  // namespace orrery::scrub
