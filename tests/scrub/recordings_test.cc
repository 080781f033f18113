// The promises of scrub, held against the recordings in data/: the same times before and after, and nothing left of
// what was there.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <string.h>  // memmem

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/captured_run.h"
#include "scrub/small_scrub.h"
#include "scrub/words/public_words.h"

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;
using simdjson::dom::element_type;
using testing::fixed_key;
using testing::inflated;

const std::string kShipped = std::string(ORRERY_SOURCE_DIR) + "/data/";

std::vector<std::string> recordings(std::string_view ending) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(kShipped)) {
    if (entry.path().string().ends_with(ending)) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE_FALSE(paths.empty());
  return paths;
}

// The texts of a document, and its lists of two and more numbers as they may be written.
struct Tokens {
  std::set<std::string> texts, lists;
};

void collect(element value, Tokens& tokens) {
  switch (value.type()) {
    case element_type::STRING: tokens.texts.emplace(std::string_view(value)); break;
    case element_type::OBJECT:
      for (const auto [key, content] : simdjson::dom::object(value)) collect(content, tokens);
      break;
    case element_type::ARRAY: {
      const simdjson::dom::array list(value);
      std::string compact = "[", spaced = "[";
      std::size_t numbers = 0;
      bool all_zero = true;
      for (const element entry : list) {
        collect(entry, tokens);
        std::int64_t number = 0;
        if (entry.get(number) != simdjson::SUCCESS) continue;
        (compact += numbers > 0 ? "," : "") += std::to_string(number);
        (spaced += numbers > 0 ? ", " : "") += std::to_string(number);
        ++numbers;
        all_zero = all_zero && number == 0;
      }
      if (numbers > 1 && numbers == list.size() && !all_zero) tokens.lists.insert({compact + "]", spaced + "]"});
      break;
    }
    default: break;
  }
}

// Also in brackets: the size of a message looks like the value of some argument.
bool is_number(const std::string& text) {
  const bool in_brackets =
      text.size() > 2 && text.front() == '[' && text.back() == ']' && text.find(',') == std::string::npos;
  return (in_brackets ? text.substr(1, text.size() - 2) : text).find_first_not_of("0123456789.,-+e ") ==
         std::string::npos;
}

bool is_allowed(const std::string& text) {
  static const std::set<std::string> words = {
      "",       "CPU",   "<None>", "<Object>", "<Storage>", "<Generator>",    "string",      "rf_id",       "fw_parent",
      "seq_id", "scope", "tid",    "fw_tid",   "op_schema", "kernel_backend", "kernel_file", "tensor_range"};
  if (text.size() < 4 || words.contains(text) || is_number(text) || is_public_name(text)) return true;
  for (int v = 1; v <= static_cast<int>(Vocabulary::schema); ++v) {
    if (is_public(static_cast<Vocabulary>(v), text)) return true;
  }
  if (text.starts_with("GPU ") || text.starts_with("stream ")) return true;
  // Types in words of PyTorch alone.
  std::string word;
  for (const char c : text + " ") {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && !is_public_type_word(word)) return false;
    word.clear();
  }
  return true;
}

// Who talks to whom stays: "ranks":[0,1], also in a text.
std::string without_ranks(std::string text) {
  for (std::size_t at = text.find("ranks"); at != std::string::npos; at = text.find("ranks", at))
    text.erase(at, text.find(']', at) + 1 - at);
  return text;
}

// std::string::find stops at every first letter of the word, and thousands of words are looked for in megabytes.
bool occurs(const std::string& word, const std::string& text) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

TEST_CASE("nothing is left of names, paths, shapes and values") {
  const orrery::testing::TempDir folder;
  std::vector<std::string> inputs = recordings(".json.gz");
  const auto scrubbed = testing::scrub_files(inputs, folder.path("out"));
  Tokens tokens;
  for (const std::string& input : inputs) {
    simdjson::dom::parser parser;
    collect(parser.parse(inflated(input)).value(), tokens);
  }
  std::size_t secrets = 0;
  for (const std::string& text : tokens.texts) secrets += is_allowed(text) ? 0u : 1u;
  CHECK(secrets > 300);  // the test looks for something
  CHECK(tokens.lists.size() > 100);
  for (const std::string& output : scrubbed.outputs) {
    for (const std::string& text : tokens.texts) {
      if (is_allowed(text) || !occurs(text, output)) continue;
      FAIL_CHECK("left over: " << text);
    }
    const std::string rest = without_ranks(output);
    for (const std::string& list : tokens.lists) {
      if (occurs(list, rest)) FAIL_CHECK("left over: " << list);
    }
    for (const char* gone : {"NVIDIA", "/tmp", ".py", "python3", "2026-", "aten::", "tilesize"})
      CHECK(output.find(gone) == std::string::npos);
  }
}

// Everything `path --json` says but names: "data" without texts.
void times_of(element value, std::string& out) {
  switch (value.type()) {
    case element_type::OBJECT:
      for (const auto [key, content] : simdjson::dom::object(value)) {
        if (key == "contributors" || key == "lane")
          continue;  // ties are in order of the names; threads have other numbers
        (out += key) += ':';
        times_of(content, out);
      }
      break;
    case element_type::ARRAY:
      for (const element entry : simdjson::dom::array(value)) times_of(entry, out);
      break;
    case element_type::STRING: break;
    default: (out += simdjson::minify(value)) += ';';
  }
}

std::string times(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const cli::CapturedRun run = cli::run_captured(arguments);
  CAPTURE(arguments[1]);
  REQUIRE(run.exit_code == 0);
  simdjson::dom::parser parser;
  std::string text;
  times_of(parser.parse(run.out)["data"].value(), text);
  REQUIRE(text.size() > 100);
  return text;
}

TEST_CASE("path gives the same times before and after") {
  const orrery::testing::TempDir folder;
  for (const std::string& input : recordings(".kineto.json.gz")) {
    CAPTURE(input);
    fs::remove_all(folder.path("out"));
    const std::string output = testing::scrub_files({input}, folder.path("out")).paths.front();
    CHECK(times({"path", output}) == times({"path", input}));
    CHECK(times({"path", output, "--compat", "hta"}) == times({"path", input, "--compat", "hta"}));
    CHECK(times({"path", output, "--compat", "hta", "--annotation", ""}) ==
          times({"path", input, "--compat", "hta", "--annotation", ""}));
  }
}

TEST_CASE("simulate gives the same times before and after") {
  const orrery::testing::TempDir folder;
  std::vector<std::string> inputs;
  for (const auto& entry : fs::directory_iterator(kShipped + "workloads")) inputs.push_back(entry.path().string());
  std::sort(inputs.begin(), inputs.end());
  testing::scrub_files(inputs, folder.path("out"));
  const auto simulate = [&](const std::string& prefix) {
    return times({"simulate", "--workload", prefix, "--comm-group", prefix + ".groups.json", "--machine",
                  kShipped + "machines/dgx_h100_pod.yaml", "--per-node"});
  };
  CHECK(simulate(folder.path("out/job")) == simulate(kShipped + "workloads/training"));
}

TEST_CASE("replay gives the same times before and after, fused or not") {
  const orrery::testing::TempDir folder;
  std::vector<std::string> linked;
  for (const std::string rank : {"0", "1", "2", "3"}) {
    const std::string pair = kShipped + "ddp4.rank" + rank;
    linked.push_back(folder.path("secret." + rank + ".et"));
    REQUIRE(cli::run_captured(
                {"link", "--host", pair + ".et.json.gz", "--device", pair + ".kineto.json.gz", "-o", linked.back()})
                .exit_code == 0);
  }
  testing::scrub_files(linked, folder.path("out"));
  CHECK(times({"replay", folder.path("out/job")}) == times({"replay", folder.path("secret")}));
  testing::scrub_files(linked, folder.path("fused"), {.key = fixed_key(), .fuse = true});
  const auto span = [&](const std::string& prefix) {
    const cli::CapturedRun run = cli::run_captured({"replay", prefix, "--json"});
    simdjson::dom::parser parser;
    return double(parser.parse(run.out)["data"]["makespan_us"].value());
  };
  CHECK(span(folder.path("fused/job")) == span(folder.path("secret")));
}

TEST_CASE("the same key gives the same bytes, another key other names, and no order matters") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> inputs = recordings("ddp4.rank0.kineto.json.gz");
  const auto one = testing::scrub_files(inputs, folder.path("a"));
  const auto same = testing::scrub_files(inputs, folder.path("b"));
  const auto other = testing::scrub_files(inputs, folder.path("c"), {.key = fixed_key(1)});
  CHECK(one.outputs == same.outputs);
  CHECK(one.outputs != other.outputs);
  CHECK(one.outcome.names.renamed(Domain::name)[1].scrubbed != other.outcome.names.renamed(Domain::name)[1].scrubbed);
}

TEST_CASE("the files of a job are renamed alike") {
  const orrery::testing::TempDir folder;
  const auto scrubbed =
      testing::scrub_files({kShipped + "ddp4.rank0.kineto.json.gz", kShipped + "ddp4.rank1.kineto.json.gz",
                            kShipped + "ddp4.rank0.et.json.gz"},
                           folder.path("out"));
  std::size_t shared = 0;
  for (const Renamed& name : scrubbed.outcome.names.renamed(Domain::name)) {
    if (name.original != "aten::addmm") continue;
    ++shared;
    for (const std::string& output : scrubbed.outputs)
      CHECK(output.find("\"" + name.scrubbed + "\"") != std::string::npos);
  }
  CHECK(shared == 1);
}

}  // namespace
}  // namespace orrery::scrub
