// The language of what-if edits: what is understood, and where a misunderstanding is pointed at.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::EdgeKind;

namespace {

EditRule parsed(const std::string& text) {
  auto result = parse_edit(text);
  if (const auto* error = std::get_if<EditError>(&result))
    FAIL("\"", text, "\": ", error->message, " at ", error->position);
  return std::get<EditRule>(std::move(result));
}

template <typename Edit>
Edit parsed_as(const std::string& text) {
  auto result = parse_edit(text);
  if (const auto* error = std::get_if<EditError>(&result))
    FAIL("\"", text, "\": ", error->message, " at ", error->position);
  REQUIRE(std::holds_alternative<Edit>(result));
  return std::get<Edit>(std::move(result));
}

EditError refused(const std::string& text) {
  auto result = parse_edit(text);
  if (!std::holds_alternative<EditError>(result)) FAIL("\"", text, "\" was understood");
  return std::get<EditError>(std::move(result));
}

std::vector<std::string> kinds_of(const std::string& text) {
  const EditRule rule = parsed(text);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < causal::kEdgeKinds; ++k) {
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
  CHECK(kinds_of("all remove").size() == causal::kEdgeKinds - 1);  // all but order, which costs nothing
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

TEST_CASE("scopes: whose pieces, when, of which group; in any order, before what is changed") {
  const EditRule rule = parsed("rank:0-3,7 step:2 group:dp* comm:*AllReduce* * 2");
  REQUIRE(rule.scope.ranks);
  for (const int rank : {0, 1, 2, 3, 7}) CHECK(rule.scope.ranks->contains(rank));
  for (const int rank : {-1, 4, 6, 8}) CHECK_FALSE(rule.scope.ranks->contains(rank));
  CHECK(rule.scope.steps->contains(2));
  CHECK_FALSE(rule.scope.steps->contains(3));
  CHECK(rule.scope.group->matches("dp1"));
  CHECK_FALSE(rule.scope.group->matches("tp0"));
  CHECK(rule.name.matches("ncclDevKernel_AllReduce_Sum"));
  CHECK(rule.text == "rank:0-3,7 step:2 group:dp* comm:*AllReduce* * 2");
  CHECK(parsed("  step:0   rank:1   kernel*2").scope.steps->contains(0));
  CHECK(parsed("group:\"the world\" comm remove").scope.group->matches("the world"));
  CHECK(parsed("group:/^dp/ comm remove").scope.group->matches("dp0"));
  CHECK_FALSE(parsed("kernel * 2").scope.ranks);
  CHECK_FALSE(parsed("kernel * 2").scope.steps);
  CHECK_FALSE(parsed("kernel * 2").scope.group);
}

TEST_CASE("collectives by their kind, and messages") {
  CHECK(kinds_of("collective = 0") == Names{"communication"});
  CHECK(kinds_of("p2p = 0") == Names{"communication"});
  CHECK(parsed("comm = 0").exchanged == EditRule::Exchanged::anything);
  CHECK(parsed("p2p * 2").exchanged == EditRule::Exchanged::messages);
  CHECK(parsed("p2p:*SendRecv* * 2").name.matches("ncclDevKernel_SendRecv"));
  const EditRule rule = parsed("collective:all_* stream 20 * 2");
  CHECK(rule.exchanged == EditRule::Exchanged::collectives);
  CHECK(rule.collective.matches("all_reduce"));
  CHECK_FALSE(rule.collective.matches("broadcast"));
  CHECK(rule.name.matches_everything());
  CHECK(rule.stream == 20);
}

TEST_CASE("events: standing still at the begin of steps, and failing") {
  const auto delay = parsed_as<DelayEvent>("rank:3 step:1-2 delay 4ms");
  CHECK(delay.amount == 4 * kPsPerMs);
  CHECK(delay.scope.ranks->contains(3));
  CHECK(delay.scope.steps->contains(2));
  CHECK(delay.text == "rank:3 step:1-2 delay 4ms");
  CHECK_FALSE(parsed_as<DelayEvent>("delay 4 ms").scope.ranks);

  const auto failure = parsed_as<FailureEvent>("rank:2 fails at 1.5s restart 7ms");
  CHECK(failure.at == 1'500 * kPsPerMs);
  CHECK(failure.restart == 7 * kPsPerMs);
  CHECK(failure.scope.ranks->contains(2));
  CHECK_FALSE(failure.from_step);
  CHECK(parsed_as<FailureEvent>("fails at 1s restart 30s from step:12").from_step == 12);
  CHECK(parsed_as<FailureEvent>("fails at 0 restart 0 from step:0").from_step == 0);
}

TEST_CASE("the network: all of it or links by name, bandwidth or latency") {
  const auto all = parsed_as<NetworkEdit>("network bandwidth * 0.5");
  CHECK_FALSE(all.link);
  CHECK(all.quantity == NetworkEdit::Quantity::bandwidth);
  CHECK(all.action == EditRule::Action::scale);
  CHECK(all.factor == 0.5);
  const auto link = parsed_as<NetworkEdit>("link:\"leaf 0*\" latency = 2us");
  CHECK(link.link->matches("leaf 0 -> spine 1"));
  CHECK(link.quantity == NetworkEdit::Quantity::latency);
  CHECK(link.action == EditRule::Action::set);
  CHECK(link.amount == 2 * kPsPerUs);
  CHECK(parsed_as<NetworkEdit>("network latency - 100ns").amount == -100 * kPsPerNs);
  CHECK(parsed_as<NetworkEdit>("network latency remove").amount == 0);
  CHECK(parsed_as<NetworkEdit>("link:/x/ bandwidth = 400 GB/s").bytes_per_second == 400e9);
}

TEST_CASE("what needs the whole job is told, and why") {
  for (const char* text : {"group:dp comm * 2", "collective * 2", "p2p * 2"})
    CHECK_FALSE(needs_whole_job(parse_edit(text)).empty());
  for (const char* text :
       {"kernel * 2", "rank:0 kernel * 2", "step:3 comm * 2", "delay 4ms", "rank:0 fails at 1s restart 1s"})
    CHECK(needs_whole_job(parse_edit(text)).empty());
}

TEST_CASE("the number of a step is what its name ends in") {
  CHECK(number_of_step("ProfilerStep#12") == 12);
  CHECK(number_of_step("train 3") == 3);
  CHECK(number_of_step("7") == 7);
  CHECK_FALSE(number_of_step("train"));
  CHECK_FALSE(number_of_step(""));
  CHECK_FALSE(number_of_step("x99999999999999999999"));
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
      {"rank:1 kernel times 2", 14, "expected a filter or an action, not \"times\""},
      {"rank:x kernel * 2", 5, "expected a whole number"},
      {"rank: kernel * 2", 5, "expected a whole number"},
      {"rank:-1 kernel * 2", 5, "expected a whole number"},
      {"rank:1- kernel * 2", 7, "expected a whole number"},
      {"rank:1, 2 kernel * 2", 7, "expected a whole number"},
      {"rank:3-1 kernel * 2", 5, "this range ends before it begins"},
      {"rank:1kernel * 2", 6, "expected a blank behind the numbers"},
      {"rank:99999999999999999999 kernel * 2", 5, "expected a whole number"},
      {"rank:1 rank:2 kernel * 2", 7, "rank: was given before"},
      {"rank:1 step:2", 13, "expected what to change"},
      {"group: comm * 2", 12, "expected what to change"},
      {"rank kernel * 2", 0, "unknown kind \"rank\""},
      {"p3p * 2", 0, "unknown kind \"p3p\""},
      {"collective: * 2", 14, "expected an action"},
      {"delay", 5, "expected a number"},
      {"delay 4", 7, "expected a unit"},
      {"delay 4ms more", 10, "nothing may follow the action"},
      {"group:dp delay 4ms", 0, "a delay is of ranks and steps, not of a group"},
      {"fails", 5, "expected \"at\""},
      {"fails after 1s restart 1s", 6, "expected \"at\""},
      {"fails at 1s", 11, "expected \"restart\""},
      {"fails at 1s restart 1s to step:3", 23, "expected \"from\""},
      {"fails at 1s restart 1s from 3", 28, "expected \"step\""},
      {"fails at 1s restart 1s from step 3", 32, "expected \":\""},
      {"fails at 1s restart 1s from step:x", 33, "expected a whole number"},
      {"step:1 fails at 1s restart 1s", 0, "a failure has a time, not a step"},
      {"group:dp fails at 1s restart 1s", 0, "ranks fail, groups do not"},
      {"rank:1 network bandwidth * 2", 0, "the network is that of all ranks and steps"},
      {"network * 2", 8, "expected bandwidth or latency"},
      {"network bandwidth", 17, "expected an action at the end"},
      {"network bandwidth + 2us", 18, "expected an action"},
      {"network bandwidth * 0", 18, "without bandwidth nothing ends"},
      {"network bandwidth = 2us", 21, "expected a unit"},
      {"network latency * x", 18, "expected a number"},
      {"link bandwidth * 2", 4, "expected \":\" and the link's name"},
  };
  for (const Case& expected : cases) {
    const EditError error = refused(expected.text);
    CAPTURE(expected.text);
    CHECK(error.message == expected.message);
    CHECK(error.position == expected.position);
  }
  CHECK(refused("kernl").hint ==
        "one of: cpu op python runtime untraced loading gpu kernel comm collective p2p copy set gap all");
  CHECK(refused("gap:x").hint == "one of: launch kernel stream sync handoff idle");
  CHECK(refused("kernel = 5").hint == "ns, us, ms or s");
  CHECK(refused("kernel").hint ==
        "* factor, = duration, + duration, - duration, remove; of device work = roof, = achievable");
}

TEST_CASE("a profiler is removed everywhere, or not at all") {
  const ParsedEdit parsed = parse_edit("profiler remove");
  REQUIRE(std::holds_alternative<EditRule>(parsed));
  CHECK(std::get<EditRule>(parsed).removes_profiler);
  for (const char* text : {"profiler", "profiler * 2", "rank:1 profiler remove", "profiler remove now"})
    CHECK(std::holds_alternative<EditError>(parse_edit(text)));
}

TEST_CASE("the examples of docs/WHATIF.md are understood") {
  std::istringstream document(orrery::testing::read_file(std::string(ORRERY_SOURCE_DIR) + "/docs/WHATIF.md"));
  int examples = 0;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      inside = line == "```edits";
    } else if (inside) {
      CAPTURE(line);
      const ParsedEdit edit = parse_edit(line.substr(0, line.find("   ")));  // what follows is its meaning
      CHECK_FALSE(std::holds_alternative<EditError>(edit));
      ++examples;
    }
  }
  CHECK(examples >= 13);
}

TEST_CASE("the device: work no longer than it allows, and operators by kind") {
  const EditRule products = parsed("kernel kind gemm = roof");
  CHECK(products.operator_kind == OperatorKind::gemm);
  CHECK(products.action == EditRule::Action::roof);
  CHECK(products.asks_device());
  CHECK(parsed("gpu=achievable").action == EditRule::Action::achievable);
  // A kind alone needs no device, but what operators were given.
  const EditRule grouped = parsed("kernel:nvjet* kind grouped_gemm stream 7 * 0.5");
  CHECK(grouped.operator_kind == OperatorKind::grouped_gemm);
  CHECK_FALSE(grouped.asks_device());
  CHECK(grouped.asks_operators());
  CHECK_FALSE(parsed("kernel * 0.5").asks_operators());
  CHECK(refused("kernel kind gemms = roof").position == 12);
  CHECK(refused("cpu = roof").message == "only device work has a roof");
  CHECK(refused("cpu kind gemm * 2").position == 9);
  CHECK(refused("kernel = roofs").position == 9);
  CHECK(refused("network latency = roof").position == 18);
}
