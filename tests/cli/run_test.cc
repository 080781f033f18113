#include "cli/frame/run.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include "cli/captured_run.h"
#include "cli/sample_verb.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

CapturedRun run_sample_verb(std::vector<std::string> arguments, bool colour = false) {
  arguments.insert(arguments.begin(), "sample");
  return run_captured(arguments, sample_table(), colour);
}

simdjson::dom::element parse_json(simdjson::dom::parser& parser, const std::string& text) {
  REQUIRE_FALSE(text.empty());
  REQUIRE(text.find('\n') == text.size() - 1);  // one line
  return parser.parse(text).value();
}

std::string text_of(simdjson::dom::element element) { return std::string(element.get_string().value()); }

/// What the program says of itself.
std::string version_text() {
  return "orrery " + std::string(ask::version()) + (ask::has_otf2() ? "\nwith OTF2\n" : "\nwithout OTF2\n");
}

constexpr const char* kWarningLine =
    "orrery: warning: T001: something is odd; the first: file.json: byte 7 (2 times); hint: look at it\n";
constexpr const char* kNoteLine = "orrery: note: T000: something is so\n";

}  // namespace

TEST_CASE("a verb that ends well: text on stdout, remarks on stderr") {
  const CapturedRun result = run_sample_verb({"--instance", "7"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == "annotation <ProfilerStep> instance 7\n");
  CHECK(result.err == std::string(kNoteLine) + kWarningLine);
}

TEST_CASE("--quiet hides notes and warnings, not errors") {
  CHECK(run_sample_verb({"-q"}).err.empty());
  CHECK(run_sample_verb({"-q", "--outcome", "input"}).err ==
        "orrery: error: trace.json: byte 12: the event ends too soon\n  hint: copy it again\n");
}

TEST_CASE("remarks that the text lists itself are not repeated") {
  const CapturedRun result = run_sample_verb({"--outcome", "listed"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(run_sample_verb({"--outcome", "listed", "--json"}).out.find("\"code\":\"T001\"") != std::string::npos);
}

TEST_CASE("--verbose tells the cost on stderr") {
  CHECK(run_sample_verb({"-v"}).err.find("orrery: sample: 0.") != std::string::npos);
}

TEST_CASE("colours only where they are wanted") {
  CHECK(run_sample_verb({}, true).err.find("\x1b[33mwarning:\x1b[0m") != std::string::npos);
  CHECK(run_sample_verb({"--no-color"}, true).err.find('\x1b') == std::string::npos);
  CHECK(run_sample_verb({}, false).err.find('\x1b') == std::string::npos);
}

TEST_CASE("every way to fail has its exit code, a sentence on stderr and nothing on stdout") {
  struct Case {
    const char* outcome;
    int exit_code;
    const char* message;
  };
  for (const Case& expected :
       {Case{"input", 3, "orrery: error: trace.json: byte 12: the event ends too soon\n  hint: copy it again\n"},
        Case{"usage", 2, "orrery: error: '*' is not a factor\n  cpu * *\n        ^\n  hint: write a number\n"},
        Case{"mute", 3, "orrery: error: the verb failed and did not say why\n"},
        Case{"memory", 4, "orrery: error: out of memory\n"},
        Case{"throw", 4, "orrery: error: internal error: the invariant broke\n"},
        Case{"undeclared", 4, "orrery: error: internal error: the flag --nonsense is not declared by the verb\n"}}) {
    CAPTURE(expected.outcome);
    const CapturedRun result = run_sample_verb({"--outcome", expected.outcome});
    CHECK(result.exit_code == expected.exit_code);
    CHECK(result.out.empty());
    CHECK(result.err.find(expected.message) != std::string::npos);
  }
}

TEST_CASE("a failed check delivers its result and exits with 1") {
  const CapturedRun result = run_sample_verb({"--outcome", "check"});
  CHECK(result.exit_code == 1);
  CHECK(result.out == "annotation <ProfilerStep> instance 0\n");
}

TEST_CASE("the envelope") {
  const testing::TempDir folder;
  const CapturedRun result = run_sample_verb({"--json", "--edit", "a", "--edit", "b \"c\""});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out ==
        "{\"schema\":\"orrery.sample/"
        "1\",\"ok\":true,\"data\":{\"annotation\":\"ProfilerStep\",\"factor\":0.5,\"edits\":[\"a\",\"b "
        "\\\"c\\\"\"]},"
        "\"diagnostics\":[{\"code\":\"T000\",\"severity\":\"note\",\"count\":1,\"message\":\"something is "
        "so\",\"hint\":\"\"},"
        "{\"code\":\"T001\",\"severity\":\"warning\",\"count\":2,\"message\":\"something is odd; the first: file.json: "
        "byte "
        "7\",\"hint\":\"look at it\"}],"
        "\"provenance\":{\"version\":\"" +
            std::string(ask::version()) +
            "\",\"command\":\"orrery sample --json --edit a --edit 'b \\\"c\\\"'\",\"inputs\":[],\"seed\":null}}\n");
  simdjson::dom::parser parser;
  CHECK(parse_json(parser, result.out)["ok"].get_bool().value());
}

TEST_CASE("the envelope of a failed run holds the error") {
  for (const char* outcome : {"input", "usage", "mute", "memory", "throw"}) {
    CAPTURE(outcome);
    const CapturedRun result = run_sample_verb({"--json", "--outcome", outcome});
    simdjson::dom::parser parser;
    const auto envelope = parse_json(parser, result.out);
    CHECK_FALSE(envelope["ok"].get_bool().value());
    CHECK(envelope["data"].get_object().value().size() == 0);
    const auto diagnostics = envelope["diagnostics"].get_array().value();
    REQUIRE(diagnostics.size() == 3);
    CHECK(text_of(diagnostics.at(2)["severity"].value()) == "error");
    CHECK(text_of(diagnostics.at(2)["code"].value()) == "E00" + std::to_string(result.exit_code));
    CHECK(result.err.starts_with("orrery: error: "));
  }
}

TEST_CASE("usage errors found before the verb runs have an envelope too") {
  simdjson::dom::parser parser;
  const CapturedRun wrong_flag = run_sample_verb({"--json", "--nonsense"});
  CHECK(wrong_flag.exit_code == 2);
  CHECK(text_of(parse_json(parser, wrong_flag.out)["schema"].value()) == "orrery.sample/1");
  const CapturedRun wrong_verb = run_captured({"--json", "smaple"}, sample_table());
  CHECK(wrong_verb.exit_code == 2);
  CHECK(text_of(parse_json(parser, wrong_verb.out)["schema"].value()) == "orrery.orrery/1");
}

TEST_CASE("a failed check is not ok but has its data") {
  simdjson::dom::parser parser;
  const CapturedRun result = run_sample_verb({"--json", "--outcome", "check"});
  const auto envelope = parse_json(parser, result.out);
  CHECK_FALSE(envelope["ok"].get_bool().value());
  CHECK(text_of(envelope["data"]["annotation"].value()) == "ProfilerStep");
}

TEST_CASE("-o takes what would go to stdout, and a failed run leaves the old file") {
  const testing::TempDir folder;
  const std::string file = folder.write("out.txt", "old");
  CHECK(run_sample_verb({"-o", file, "--outcome", "input"}).exit_code == 3);
  CHECK(testing::read_file(file) == "old");
  const CapturedRun failed = run_sample_verb({"-o", file, "--json", "--outcome", "input"});
  CHECK(testing::read_file(file) == "old");
  CHECK(failed.out.find("\"ok\":false") != std::string::npos);
  const CapturedRun result = run_sample_verb({"-o", file});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(testing::read_file(file) == "annotation <ProfilerStep> instance 0\n");
  CHECK(run_sample_verb({"--json", "-o", file}).out.empty());
  CHECK(testing::read_file(file).starts_with("{\"schema\":\"orrery.sample/1\""));
  CHECK(std::filesystem::directory_iterator(folder.path()) != std::filesystem::directory_iterator());
}

TEST_CASE("-o to a place that cannot be written, to a device, and over the input") {
  const testing::TempDir folder;
  const CapturedRun nowhere = run_sample_verb({"-o", folder.path("missing/out.txt")});
  CHECK(nowhere.exit_code == 3);
  CHECK(nowhere.err.find("cannot write: No such file or directory") != std::string::npos);
  CHECK(run_sample_verb({"-o", "/dev/null"}).exit_code == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(run_sample_verb({"-o", "/dev/full"}).exit_code == 3);
  const std::string input = folder.write("in.json", "{}");
  const CapturedRun over = run_sample_verb({input, "-o", input});
  CHECK(over.exit_code == 2);
  CHECK(testing::read_file(input) == "{}");
}

TEST_CASE("a stdout that cannot be written to is an error") {
  std::string err;
  const Console console{.write_out = [](std::string_view) { return ENOSPC; },
                        .write_err = [&](std::string_view text) { err += text; }};
  const std::vector<std::string> arguments = {"sample"};
  CHECK(static_cast<int>(run(arguments, console, sample_table())) == 3);
  CHECK(err.find("cannot write to standard output: No space left on device") != std::string::npos);
}

TEST_CASE("no verb, --version, --help and help") {
  CHECK(run_captured({}, sample_table()).exit_code == 2);
  CHECK(run_captured({"--version"}, sample_table()).out == version_text());
  CHECK(run_captured({"sample", "--version"}, sample_table()).out == version_text());
  CHECK(run_captured({"--version", "--json"}, sample_table())
            .out.starts_with("{\"schema\":\"orrery.version/1\",\"ok\":true,\"data\":{\"version\":\""));
  const std::string help = run_captured({"help", "sample"}, sample_table()).out;
  CHECK(help.starts_with("orrery sample: a verb for tests"));
  CHECK(run_captured({"sample", "--help"}, sample_table()).out == help);
  CHECK(run_captured({"--help", "sample"}, sample_table()).out == help);
  CHECK(run_captured({"-h"}, sample_table()).out == run_captured({"help"}, sample_table()).out);
}

TEST_CASE("--threads is bounded") {
  CHECK(run_sample_verb({"--threads", "1"}).exit_code == 0);
  CHECK(run_sample_verb({"--threads", "5000"}).exit_code == 2);
  CHECK(run_sample_verb({"--threads", "-1"}).exit_code == 2);
  CHECK(run_sample_verb({"--threads", "0"}).exit_code == 0);
}

TEST_CASE("control characters in arguments do not reach the terminal") {
  const CapturedRun result = run_captured({"\x1b[31mevil\n"}, sample_table());
  CHECK(result.err.find('\x1b') == std::string::npos);
  CHECK(result.err.starts_with("orrery: error: there is no verb ' [31mevil '\n"));
}

}  // namespace orrery::cli
