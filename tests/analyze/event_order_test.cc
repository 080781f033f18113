// The order of events in a file is nobody's business: whatever it is, the answer is the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "analyze/path/causal_path.h"
#include "base/io/file_content.h"
#include "causal/step_path_text.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::testing::SmallTrace;

namespace {

/// A Kineto document: what stands before its events, the events, and what follows.
struct CutDocument {
  std::string head, tail;
  std::vector<std::string> events;

  [[nodiscard]] std::string text() const {
    std::string text = head;
    for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",\n") + events[i];
    return text + tail;
  }
};

CutDocument cut(const std::string& json) {
  CutDocument document;
  std::size_t at = json.find('[', json.find("\"traceEvents\"")) + 1;
  document.head = json.substr(0, at);
  int depth = 0;
  std::size_t begin = at;
  for (bool in_text = false; depth > 0 || in_text || json[at] != ']'; ++at) {
    if (json[at] == '"') in_text = !in_text;
    else if (json[at] == '\\') ++at;
    else if (!in_text && json[at] == '{' && depth++ == 0) begin = at;
    else if (!in_text && json[at] == '}' && --depth == 0) document.events.push_back(json.substr(begin, at + 1 - begin));
  }
  document.tail = json.substr(at);
  return document;
}

/// Everything that a path says, but for where in the file the events were.
std::string answer(const std::string& path, const causal::WindowRequest& request) {
  Diagnostics diagnostics;
  const auto job = kineto::read_job({path}, diagnostics);
  if (!job) return job.error().message;
  const auto step = causal::make_causal_graph(*job, job->ranks[0], request, diagnostics);
  if (!step) return step.error().message;
  const PathSums taken = take_path(*step, graph::solve(step->graph, step->end), 50, true).sums;
  std::string text = fmt::format("{} at {}: {}\n", step->label, step->begin_ps, verdict(taken));
  for (const graph::Slot slot : taken.path.slots)
    text += causal::testing::describe(*step, slot, taken.solution.weight(slot)) + "\n";
  for (const Contributor& c : taken.contributors) {
    text += fmt::format("{} {} {} {} {} {} {}\n", identifier(c.kind), step->strings.text(c.name), c.count, c.total,
                        c.on_path, c.least_slack, c.gain_if_free);
  }
  for (const causal::AnnotatedRange& range : step->ranks.front().annotations)
    text += fmt::format("{} {}\n", step->strings.text(range.name), range.begin);
  return text;
}

void check_orders(const std::string& json, const std::string& name) {
  CAPTURE(name);
  CutDocument document = cut(json);
  REQUIRE(document.events.size() > 0);
  const orrery::testing::TempDir dir;
  std::mt19937 random(1);
  for (const causal::WindowRequest& request : {causal::WindowRequest{}, causal::testing::whole()}) {
    const std::string expected = answer(dir.write("recorded.json", json), request);
    std::reverse(document.events.begin(), document.events.end());
    CHECK(answer(dir.write("reversed.json", document.text()), request) == expected);
    std::shuffle(document.events.begin(), document.events.end(), random);
    CHECK(answer(dir.write("shuffled.json", document.text()), request) == expected);
  }
}

}  // namespace

TEST_CASE("every shipped trace gives the same answer for its events in any order") {
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ORRERY_SOURCE_DIR "/data")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".kineto.json") == std::string::npos) continue;
    const auto json = read_whole_file(entry.path().string(), std::size_t{1} << 30);
    REQUIRE(json.ok());
    check_orders(*json, name);
    ++traces;
  }
  CHECK(traces >= 8);
}

TEST_CASE("what happens at the same time is told apart by what it is, not by where the file has it") {
  // Times in whole microseconds, lanes and streams named by texts, calls that share a correlation, two steps that begin
  // together.
  check_orders(orrery::testing::kineto_json(R"(
      2           0    100  user_annotation  ProfilerStep#2
      1           0    100  user_annotation  ProfilerStep#1
      1           0    50   cpu_op           aten::b
      1           0    50   cpu_op           aten::a
      worker      0    40   cpu_op           aten::c
      other       0    40   cpu_op           aten::d
      1           10   10   cuda_runtime     cudaLaunchKernel  correlation=1
      1           12   5    cuda_driver      cuLaunchKernel    correlation=1
      "stream 9"  30   40   kernel           second            correlation=1
      "stream 7"  30   40   kernel           first             correlation=1
      gpu0/7      30   40   kernel           third             correlation=1
      gpu0/7      70   20   kernel           fifth             correlation=1
      gpu0/7      70   20   kernel           fourth            correlation=1
  )"),
               "ties");
}

TEST_CASE("simulated jobs give the same answer for their events in any order") {
  CHECK(rc::check([] {
    const auto actions = *orrery::testing::programs(3, 2, 3, orrery::testing::all_actions());
    const auto job = orrery::testing::simulate(actions);
    RC_PRE(job.span > 0);
    CutDocument document = cut(orrery::testing::kineto_json(job.lines));
    const orrery::testing::TempDir dir;
    const std::string expected = answer(dir.write("recorded.json", document.text()), causal::testing::whole());
    std::shuffle(document.events.begin(), document.events.end(), std::mt19937(*rc::gen::inRange(0, 1000)));
    RC_ASSERT(answer(dir.write("shuffled.json", document.text()), causal::testing::whole()) == expected);
  }));
}

TEST_CASE("times count from the second of the earliest event, wherever the file has it") {
  const auto begin_of = [](std::string_view lines) {
    const SmallTrace small(lines);
    Diagnostics diagnostics;
    const causal::RankGraph step = causal::testing::make_step(small, causal::testing::whole(), diagnostics);
    CHECK(small.trace().epoch_unix_ns == 6'000'000'000);
    return step.window.begin;
  };
  const std::string first = "1 6999990 5 cpu_op first\n", second = "1 7000010 5 cpu_op second\n";
  CHECK(begin_of(first + second) == 999'990 * kPsPerUs);
  CHECK(begin_of(second + first) == 999'990 * kPsPerUs);
}
