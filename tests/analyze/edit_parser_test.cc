// The language of what-if edits: what is understood, and where a misunderstanding is pointed at.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "analyze/edit_language.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::analyze;
using link::EdgeKind;

namespace {

EditRule parsed(const std::string& text) {
  auto result = parse_edit(text);
  if (const auto* error = std::get_if<EditError>(&result)) FAIL("\"", text, "\": ", error->message, " at ", error->position);
  return std::get<EditRule>(std::move(result));
}

EditError refused(const std::string& text) {
  auto result = parse_edit(text);
  if (std::holds_alternative<EditRule>(result)) FAIL("\"", text, "\" was understood");
  return std::get<EditError>(std::move(result));
}

std::vector<std::string> kinds_of(const std::string& text) {
  const EditRule rule = parsed(text);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < link::kEdgeKinds; ++k) {
    if ((rule.kinds >> k & 1) != 0) names.emplace_back(identifier(static_cast<EdgeKind>(k)));
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what: every word selects its kinds of time") {
  CHECK(kinds_of("cpu remove") == Names{"cpu_operator", "cpu_python", "cpu_runtime", "cpu_untraced", "data_loading"});
  CHECK(kinds_of("op remove") == Names{"cpu_operator"});
  CHECK(kinds_of("python remove") == Names{"cpu_python"});
  CHECK(kinds_of("runtime remove") == Names{"cpu_runtime"});
  CHECK(kinds_of("untraced remove") == Names{"cpu_untraced"});
  CHECK(kinds_of("loading remove") == Names{"data_loading"});
  CHECK(kinds_of("gpu remove") == Names{"kernel", "communication", "memory_copy", "memory_set"});
  CHECK(kinds_of("kernel remove") == Names{"kernel"});
  CHECK(kinds_of("comm remove") == Names{"communication"});
  CHECK(kinds_of("copy remove") == Names{"memory_copy"});
  CHECK(kinds_of("set remove") == Names{"memory_set"});
  CHECK(kinds_of("gap remove") ==
        Names{"launch_delay", "kernel_gap", "stream_wait", "sync_return", "handoff", "idle_thread", "idle_device"});
  CHECK(kinds_of("all remove").size() == link::kEdgeKinds - 1);  // all but order, which costs nothing
}

TEST_CASE("gaps by name") {
  CHECK(kinds_of("gap:launch = 0") == Names{"launch_delay"});
  CHECK(kinds_of("gap:kernel = 0") == Names{"kernel_gap"});
  CHECK(kinds_of("gap:stream = 0") == Names{"stream_wait"});
  CHECK(kinds_of("gap:sync = 0") == Names{"sync_return"});
  CHECK(kinds_of("gap:handoff = 0") == Names{"handoff"});
  CHECK(kinds_of("gap:idle = 0") == Names{"idle_thread", "idle_device"});
}

TEST_CASE("actions") {
  CHECK(parsed("kernel * 0.5").action == EditRule::Action::scale);
  CHECK(parsed("kernel * 0.5").factor == 0.5);
  CHECK(parsed("kernel*1e-3").factor == 0.001);
  CHECK(parsed("kernel * 0").factor == 0);
  CHECK(parsed("kernel = 5us").action == EditRule::Action::set);
  CHECK(parsed("kernel = 5us").amount == 5 * kPsPerUs);
  CHECK(parsed("kernel + 5us").action == EditRule::Action::add);
  CHECK(parsed("kernel + 5us").amount == 5 * kPsPerUs);
  CHECK(parsed("kernel - 5us").action == EditRule::Action::add);
  CHECK(parsed("kernel - 5us").amount == -5 * kPsPerUs);
  CHECK(parsed("kernel remove").action == EditRule::Action::set);
  CHECK(parsed("kernel remove").amount == 0);
}

TEST_CASE("units, with or without a blank, and whole picoseconds") {
  CHECK(parsed("kernel = 300ns").amount == 300 * kPsPerNs);
  CHECK(parsed("kernel = 300 ns").amount == 300 * kPsPerNs);
  CHECK(parsed("kernel = 1.2ms").amount == 1'200 * kPsPerUs);
  CHECK(parsed("kernel = 2s").amount == 2 * kPsPerSecond);
  CHECK(parsed("kernel = 0.0005ns").amount == 1);  // to the nearest
  CHECK(parsed("kernel = 0").amount == 0);
  CHECK(parsed("kernel + 0").amount == 0);
}

TEST_CASE("names: globs match the whole name, regular expressions any part of it") {
  const auto matches = [](const std::string& pattern, std::string_view name) {
    return parsed("kernel:" + pattern + " * 1").name.matches(name);
  };
  CHECK(matches("gemm", "gemm"));
  CHECK_FALSE(matches("gemm", "sgemm"));
  CHECK(matches("*gemm*", "ampere_sgemm_128x64"));
  CHECK(matches("?gemm", "sgemm"));
  CHECK_FALSE(matches("?gemm", "gemm"));
  CHECK(matches("void*", "void f<int>(float*)\n"));  // * also matches a line break
  CHECK(matches("a.b", "a.b"));
  CHECK_FALSE(matches("a.b", "axb"));
  CHECK(matches("\"Memcpy HtoD*\"", "Memcpy HtoD (Pinned -> Device)"));
  CHECK(matches("\"\"", ""));
  CHECK(matches("\u00fcber*", "\u00fcbergang"));
  CHECK(matches("?berg*", "\u00fcbergang"));  // one character, not one byte
  CHECK(matches("/gemm/", "ampere_sgemm_128x64"));
  CHECK(matches("/^gemm$/", "gemm"));
  CHECK_FALSE(matches("/^gemm$/", "sgemm"));
  CHECK(matches("/a b|c/", "xa by"));
  CHECK(matches("/a\\/b/", "a/b"));
  CHECK(matches("/\\d+x\\d+/", "128x64"));
  CHECK_FALSE(matches("/GEMM/", "gemm"));
  CHECK(matches("/(?i)GEMM/", "gemm"));
  CHECK(matches("//", "anything"));
  CHECK(parsed("kernel * 1").name.matches("anything"));
  CHECK(parsed("kernel * 1").name.matches_everything());
}

TEST_CASE("filters, in any order and number") {
  const EditRule rule = parsed("kernel:nccl* stream 20 device 1 in \"## backward ##\" * 2");
  CHECK(rule.name.matches("ncclDevKernel"));
  CHECK(rule.stream == 20);
  CHECK(rule.device == 1);
  REQUIRE(rule.inside);
  CHECK(rule.inside->matches("## backward ##"));
  CHECK_FALSE(rule.inside->matches("backward"));
  CHECK(parsed("gpu in /step/ stream 7 remove").stream == 7);
  CHECK(parsed("gpu in ProfilerStep* remove").inside->matches("ProfilerStep#7"));
  CHECK(parsed("  gpu   stream   7   *   2  ").stream == 7);
  CHECK(parsed("kernel:stream * 1").name.matches("stream"));  // after the colon it is a name
  CHECK(parsed("kernel:/gemm/ * 0.5").text == "kernel:/gemm/ * 0.5");
}

TEST_CASE("errors point at the character, and say what would be understood") {
  struct Case {
    const char* text;
    std::size_t position;
    const char* message;
  };
  const Case cases[] = {
      {"", 0, "expected what to change"},
      {"   ", 3, "expected what to change"},
      {"* 0.5", 0, "expected what to change"},
      {"kernl * 0.5", 0, "unknown kind \"kernl\""},
      {"  KERNEL * 0.5", 2, "unknown kind \"KERNEL\""},
      {"gap:lunch = 0", 4, "unknown gap"},
      {"gap: lunch = 0", 5, "unknown gap"},
      {"gap:", 4, "unknown gap"},
      {"gap:/launch/ = 0", 4, "unknown gap"},
      {"kernel:/gemm * 0.5", 7, "this regular expression has no closing /"},
      {"kernel:/(/ * 0.5", 7, "not a regular expression: missing ): ("},
      {"kernel:\"gemm * 0.5", 7, "this name has no closing quote"},
      {"kernel:", 7, "expected a name pattern"},
      {"kernel: ", 8, "expected a name pattern"},
      {"kernel", 6, "expected an action at the end"},
      {"kernel:gemm*0.5", 15, "expected an action at the end"},  // the glob takes it all
      {"kernel stream 7", 15, "expected an action at the end"},
      {"kernel stream x * 2", 14, "expected a whole number"},
      {"kernel stream", 13, "expected a whole number"},
      {"kernel device 99999999999999999999 * 2", 14, "expected a whole number"},
      {"kernel stream 7.5 * 2", 15, "expected an action"},
      {"kernel in * 2", 12, "expected an action"},  // the glob * is the annotation
      {"kernel in", 9, "expected a name pattern"},
      {"kernel in /x * 2", 10, "this regular expression has no closing /"},
      {"kernel on stream 7 * 2", 7, "expected a filter or an action, not \"on\""},
      {"kernel removed", 7, "expected a filter or an action, not \"removed\""},
      {"kernel / 2", 7, "expected an action"},
      {"kernel 2", 7, "expected an action"},
      {"kernel *", 8, "expected a number"},
      {"kernel * x", 9, "expected a number"},
      {"kernel * -1", 9, "a negative number makes no sense here"},
      {"kernel * inf", 9, "expected a number"},
      {"kernel * nan", 9, "expected a number"},
      {"kernel * 1e999", 9, "expected a number"},
      {"kernel * 2 3", 11, "nothing may follow the action"},
      {"kernel * 0x10", 10, "nothing may follow the action"},
      {"kernel * 50%", 11, "nothing may follow the action"},
      {"kernel remove now", 14, "nothing may follow the action"},
      {"kernel = 5", 10, "expected a unit"},
      {"kernel = 5 parsecs", 11, "expected a unit"},
      {"kernel = 0 parsecs", 11, "expected a unit"},
      {"kernel + -5us", 9, "a negative number makes no sense here"},
      {"kernel - ", 9, "expected a number"},
      {"kernel = 5us 3", 13, "nothing may follow the action"},
      {"kernel = 1e30s", 13, "this duration is too long"},
      {"kernel = 3000000s", 16, "this duration is too long"},  // 34 days, more than a graph can hold
      {"kernel\t* 2", 6, "expected an action"},
  };
  for (const Case& expected : cases) {
    const EditError error = refused(expected.text);
    CAPTURE(expected.text);
    CHECK(error.message == expected.message);
    CHECK(error.position == expected.position);
  }
  CHECK(refused("kernl").hint == "one of: cpu op python runtime untraced loading gpu kernel comm copy set gap all");
  CHECK(refused("gap:x").hint == "one of: launch kernel stream sync handoff idle");
  CHECK(refused("kernel = 5").hint == "ns, us, ms or s");
  CHECK(refused("kernel").hint == "* factor, = duration, + duration, - duration, or remove");
}

TEST_CASE("the examples of docs/WHATIF.md are understood") {
  std::istringstream document(orrery::testing::read_file(std::string(ORRERY_SOURCE_DIR) + "/docs/WHATIF.md"));
  int examples = 0;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      inside = line == "```edits";
    } else if (inside) {
      parsed(line.substr(0, line.find("   ")));  // what follows is its meaning
      ++examples;
    }
  }
  CHECK(examples >= 8);
}
