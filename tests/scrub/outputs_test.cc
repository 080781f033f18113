// What is written where, and what happens to it when something goes wrong.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/io/output_file.h"
#include "cli/captured_run.h"
#include "scrub/scrub.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;
using testing::fixed_key;

const std::string kEvents = R"({"traceEvents":[{"ph":"X","name":"secret","ts":1,"dur":2}]})";

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(fs::relative(entry.path(), folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

Request request_for(const std::vector<std::string>& paths, const std::string& folder) {
  Request request;
  for (const std::string& path : paths) request.inputs.push_back(testing::input(path));
  request.output_folder = folder;
  request.settings.key = fixed_key();
  return request;
}

FileFacts facts(FileKind kind, std::optional<std::int64_t> rank, const std::string& path = "dir/x.json",
                bool compressed = false) {
  FileFacts made;
  made.path = path;
  made.kind = kind;
  made.rank = rank;
  made.compressed = compressed;
  return made;
}

TEST_CASE("names are by kind and rank, each once") {
  Diagnostics diagnostics;
  const std::vector<FileFacts> files = {
      facts(FileKind::kineto, 3), facts(FileKind::kineto, 3),       facts(FileKind::host, 3, "a", true),
      facts(FileKind::linked, 0), facts(FileKind::chakra, 7),       facts(FileKind::chakra, 7),
      facts(FileKind::feeder, 1), facts(FileKind::groups, {}, "g"), facts(FileKind::groups, {}, "h")};
  CHECK(name_outputs(files, false, diagnostics) ==
        std::vector<std::string>{"rank_3.kineto.json", "rank_3.kineto_2.json", "rank_3.host.json.gz",
                                 "rank_0.linked.json", "job.7.et", "job_2.7.et", "job.1.json", "job.groups.json",
                                 "job_2.groups.json"});
  CHECK(diagnostics.count(kRankUnknown) == 0);
}

TEST_CASE("files that do not say their rank are numbered by their place, and that is told of several") {
  Diagnostics one, several;
  CHECK(name_outputs(std::vector{facts(FileKind::kineto, {})}, false, one) ==
        std::vector<std::string>{"rank_0.kineto.json"});
  CHECK(one.count(kRankUnknown) == 0);
  CHECK(name_outputs(std::vector{facts(FileKind::kineto, {}), facts(FileKind::kineto, {})}, false, several) ==
        std::vector<std::string>{"rank_0.kineto.json", "rank_1.kineto.json"});
  CHECK(several.count(kRankUnknown) == 2);
}

TEST_CASE("names are kept on request, but for what is compressed otherwise and what would come twice") {
  Diagnostics diagnostics;
  const std::vector<FileFacts> files = {facts(FileKind::kineto, 0, "a/step.json.zst", true),
                                        facts(FileKind::kineto, 1, "b/step.json.gz", true),
                                        facts(FileKind::chakra, 2, "c/mine.2.et")};
  CHECK(name_outputs(files, true, diagnostics) ==
        std::vector<std::string>{"step.json.gz", "rank_1.kineto.json.gz", "mine.2.et"});
}

TEST_CASE("the rank is the file's own word, else that of its name") {
  const orrery::testing::TempDir folder;
  const auto rank_of = [&](const std::string& name, const std::string& text) {
    return survey_file(testing::input(folder.write(name, text)))->rank;
  };
  CHECK(rank_of("rank5.json", R"({"distributedInfo":{"rank":2},"traceEvents":[]})") == 2);
  CHECK(rank_of("rank5.json", R"({"distributedInfo":{"rank":"no"},"traceEvents":[]})") == 5);
  CHECK(rank_of("job.12.json", R"({"workload_graph":[]})") == 12);
  CHECK_FALSE(rank_of("job.-1.json", R"({"workload_graph":[]})").has_value());
  CHECK_FALSE(rank_of("trace.json", R"({"traceEvents":[]})").has_value());
}

TEST_CASE("a file of a format without rules is refused by its name") {
  const orrery::testing::TempDir folder;
  Diagnostics diagnostics;
  const auto outcome =
      scrub_job(request_for({folder.write("s.goal", "num_ranks 1\nrank 0 {\n}\n")}, folder.path("out")), diagnostics);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().message == "scrub has no rules for a GOAL schedule, so it could not say what stays in it");
  CHECK(outcome.error().hint.find("a Kineto trace") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path("out")));
}

TEST_CASE("what the registry takes for a trace must be one to its end") {
  CHECK(testing::refusal(R"([{"ph":"X"},)").empty());  // Chrome's lists need no end
  CHECK(testing::refusal(R"({"1":[0,1],"2":["secret"]})") != "");
  CHECK(testing::refusal(R"({"1":[0,1],"2":[0,1)") != "");
  CHECK(testing::refusal(R"({"schema":"1.1.1","nodes":{}})") == "there is no list of nodes in this file");
}

TEST_CASE("nothing is written when one file is bad, and what was there before stays as it was") {
  const orrery::testing::TempDir folder;
  const std::string good = folder.write("in/rank0.json", kEvents), out = folder.path("out");
  Diagnostics diagnostics;
  REQUIRE(scrub_job(request_for({good}, out), diagnostics).ok());
  const std::string before = orrery::testing::read_file(out + "/rank_0.kineto.json");
  const std::string other =
      folder.write("in/rank0b.json", R"({"distributedInfo":{"rank":0},"traceEvents":[{"ts":7}]})");
  const std::string bad = folder.write("in/rank1.json", R"({"traceEvents":[{"ts":1},{"ts)");
  CHECK_FALSE(scrub_job(request_for({other, bad}, out), diagnostics).ok());
  CHECK(files_in(out) == std::vector<std::string>{"rank_0.kineto.json"});
  CHECK(orrery::testing::read_file(out + "/rank_0.kineto.json") == before);
}

TEST_CASE("an output that cannot be written leaves older ones as they were, and no parts") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> inputs = {folder.write("in/rank0.json", kEvents),
                                           folder.write("in/rank1.json", kEvents)};
  const std::string out = folder.path("out");
  folder.write("out/rank_0.kineto.json", "older");
  fs::create_directories(out + "/rank_1.kineto.json/in the way");
  Diagnostics diagnostics;
  CHECK_FALSE(scrub_job(request_for(inputs, out), diagnostics).ok());
  CHECK(orrery::testing::read_file(out + "/rank_0.kineto.json") == "older");
  CHECK(files_in(out) ==
        std::vector<std::string>{"rank_0.kineto.json", "rank_1.kineto.json", "rank_1.kineto.json/in the way"});
}

TEST_CASE("a folder that was made for outputs goes with them when they cannot be written") {
  const orrery::testing::TempDir folder;
  const std::string blocked = folder.write("file", "a file, not a folder");
  Diagnostics diagnostics;
  CHECK_FALSE(scrub_job(request_for({folder.write("in/rank0.json", kEvents)}, blocked + "/out"), diagnostics).ok());
  CHECK(orrery::testing::read_file(blocked) == "a file, not a folder");
}

TEST_CASE("inputs are never overwritten: not through links, and not one of a job by another") {
  const orrery::testing::TempDir folder;
  const std::string input = folder.write("in/rank_0.kineto.json", kEvents);
  fs::create_directory(folder.path("out"));
  fs::create_hard_link(input, folder.path("out/rank_0.kineto.json"));
  Diagnostics diagnostics;
  const auto through_link = scrub_job(request_for({input}, folder.path("out")), diagnostics);
  REQUIRE_FALSE(through_link.ok());
  CHECK(through_link.error().kind == Error::Kind::misuse);
  // The output of rank 1 would be called like the file of rank 0.
  const std::string swapped = folder.write("in/other.json", R"({"distributedInfo":{"rank":0},"traceEvents":[]})");
  CHECK_FALSE(scrub_job(request_for({swapped, input}, folder.path("in")), diagnostics).ok());
  CHECK(orrery::testing::read_file(input) == kEvents);
}

TEST_CASE("a dry run writes nothing and counts the same") {
  const orrery::testing::TempDir folder;
  const std::string input = folder.write("in/rank0.json", kEvents);
  Diagnostics diagnostics;
  const auto dry = scrub_job(request_for({input}, ""), diagnostics);
  const auto real = scrub_job(request_for({input}, folder.path("out")), diagnostics);
  REQUIRE((dry.ok() && real.ok()));
  CHECK(files_in(folder.path()) == std::vector<std::string>{"in", "in/rank0.json", "out", "out/rank_0.kineto.json"});
  CHECK(dry->files.front().output == "rank_0.kineto.json");
  CHECK(dry->files.front().output_bytes == real->files.front().output_bytes);
  CHECK(dry->names.renamed(Domain::name).front().scrubbed == real->names.renamed(Domain::name).front().scrubbed);
  for (std::size_t i = 0; i < all_rules().size(); ++i)
    CHECK(dry->tally.by_rule()[i].count == real->tally.by_rule()[i].count);
}

TEST_CASE("damaged compression is refused with its position, and nothing is written") {
  const orrery::testing::TempDir folder;
  REQUIRE(write_whole_file(folder.path("t.json.gz"), kEvents + std::string(100'000, ' ')).ok());
  std::string bytes = orrery::testing::read_file(folder.path("t.json.gz"));
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{30}}) {
    CAPTURE(size);
    CHECK(testing::refusal(bytes.substr(0, size), "t.json.gz") != "");
  }
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  CHECK(testing::refusal(bytes, "t.json.gz") != "");
}

TEST_CASE("cut at any byte, a document is refused or was whole") {
  const std::string text =
      R"({"schemaVersion":1,"traceEvents":[{"ph":"X","name":"a","ts":1},{"ph":"X","name":"b","ts":2,"args":{"stream":7}}],"x":[1]})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK(testing::refusal(text.substr(0, size)) != "");
  }
  CHECK(testing::refusal(text).empty());
}

TEST_CASE("one text becomes one new text in all files of a job, and the counts add up") {
  const orrery::testing::TempDir folder;
  const auto scrubbed = testing::scrub_files(
      {folder.write("rank0.json", kEvents), folder.write("rank1.json", kEvents),
       folder.write(
           "rank0.et.json",
           R"({"schema":"1.1.1-chakra.0.0.4","nodes":[{"id":1,"name":"secret"},{"id":2,"name":"s\u0065cret"}]})")},
      folder.path("out"));
  const auto& names = scrubbed.outcome.names.renamed(Domain::name);
  REQUIRE(names.size() == 1);
  CHECK(names.front().original == "secret");
  CHECK(names.front().uses == 4);
  CHECK_FALSE(names.front().is_kept());
  for (const std::string& output : scrubbed.outputs)
    CHECK(output.find("\"" + names.front().scrubbed + "\"") != std::string::npos);
}

TEST_CASE("a key file makes several calls agree; without one no two do") {
  const orrery::testing::TempDir folder;
  const std::string input = folder.write("rank0.json", kEvents);
  const auto scrub = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"scrub", input, "-o", folder.path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const cli::CapturedRun run = cli::run_captured(arguments);
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    return orrery::testing::read_file(folder.path(out) + "/rank_0.kineto.json");
  };
  const std::string key = folder.path("key");
  const std::string first = scrub("a", {"--key-file", key});
  CHECK(first == scrub("b", {"--key-file", key}));
  CHECK(first != scrub("c", {}));
  CHECK(scrub("d", {}) != scrub("e", {}));
  struct stat info {};
  REQUIRE(::stat(key.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const std::string secret = orrery::testing::read_file(key).substr(0, 16);
  for (const char* out : {"a", "b"})
    CHECK(orrery::testing::read_file(folder.path(out) + "/rank_0.kineto.json").find(secret) == std::string::npos);
}

TEST_CASE("a dry run makes no key file, and a key file is never an output") {
  const orrery::testing::TempDir folder;
  const std::string input = folder.write("in/rank0.json", kEvents);
  CHECK(cli::run_captured({"scrub", input, "--dry-run", "--key-file", folder.path("key")}).exit_code == 0);
  CHECK_FALSE(fs::exists(folder.path("key")));
  const std::string in_the_way = folder.path("out/rank_0.kineto.json");
  fs::create_directory(folder.path("out"));
  const cli::CapturedRun made = cli::run_captured({"scrub", input, "--key-file", in_the_way, "-o", folder.path("out")});
  CHECK(made.exit_code == 2);
  CHECK(orrery::testing::read_file(in_the_way).find("secret") == std::string::npos);
}

}  // namespace
}  // namespace orrery::scrub
