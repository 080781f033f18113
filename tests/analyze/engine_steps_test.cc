// Steps by names, by repetition on the host and on the device, on small traces whose answer can be written down.
#include "analyze/device/engine_steps.h"
#include "analyze/capture/graph_launches.h"

#include "analyze/small_devices.h"

namespace orrery::analyze::testing {

namespace {

constexpr const char* kEngine = R"(
    1       0    50   user_annotation  "step[EXTEND bs=1 toks=90]"
    1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
    2       20   5    cuda_runtime     cudaLaunchKernel  correlation=2
    gpu0/7  30   60   kernel           gemm              correlation=1
    gpu0/9  40   20   kernel           copy              correlation=2
    1       100  20   user_annotation  "step[DECODE bs=1]"
    1       105  5    cuda_runtime     cudaGraphLaunch   correlation=3
    gpu0/7  115  10   kernel           gemm              correlation=3
    gpu0/7  125  10   kernel           relu              correlation=3
    1       150  20   user_annotation  "step[DECODE bs=1]"
    1       155  5    cuda_runtime     cudaGraphLaunch   correlation=4
    gpu0/7  165  10   kernel           gemm              correlation=4
    gpu0/7  180  10   kernel           relu              correlation=4
    1       175  2    cuda_runtime     cudaLaunchKernel  correlation=5
    gpu0/7  195  5    kernel           tail              correlation=5
)";

RankSteps steps_in(const SmallDevices& devices) { return measure_steps(devices.ranks).front(); }

}  // namespace

TEST_CASE("a step has the work that its calls launch on any thread, and lasts until the next begins") {
  const SmallDevices devices(kEngine);
  const RankSteps rank = steps_in(devices);
  CHECK(rank.source == StepSource::engine);
  REQUIRE(rank.steps.size() == 3);
  const MeasuredStep& prefill = rank.steps[0];
  CHECK(prefill.work_numbers.size() == 2);
  CHECK(prefill.graph_launches == 0);
  CHECK(prefill.host == 50 * us);
  CHECK(prefill.wall == 100 * us);
  CHECK(prefill.busy == 60 * us);
  CHECK(prefill.idle == 40 * us);
  const MeasuredStep& last = rank.steps[2];
  CHECK(last.work_numbers.size() == 2);
  CHECK(last.graph_launches == 1);
  CHECK(last.busy == 20 * us);
  // The last one lasts until its own work ends, whatever runs later.
  CHECK(last.wall == 40 * us);
  CHECK(last.idle == 20 * us);
}

TEST_CASE("phases add steps of one kind up") {
  const SmallDevices devices(kEngine);
  const report::Sheet phases = phases_sheet(measure_steps(devices.ranks));
  REQUIRE(phases.rows() == 2);
  const auto number = [&](const char* column, std::size_t row) { return phases.number(phases.find(column), row); };
  CHECK(phases.text(phases.find("phase"), 0) == "decode");
  CHECK(number("steps", 0) == 2);
  CHECK(number("mean_wall", 0) == 45);
  CHECK(number("mean_busy", 0) == 20);
  CHECK(number("tokens", 0) == 2);
  CHECK(number("tokens_per_s", 0) == doctest::Approx(2 / 90e-6));
  CHECK(phases.text(phases.find("phase"), 1) == "prefill");
}

TEST_CASE("steps of a window are those that begin in it, under their own numbers") {
  const SmallDevices devices(kEngine, {.annotation = "DECODE", .first_instance = 1, .last_instance = 1});
  const RankSteps rank = steps_in(devices);
  REQUIRE(rank.steps.size() == 1);
  CHECK(rank.steps[0].place == 2);
}

TEST_CASE("without names an annotation that comes again and covers most launches; the outermost of several") {
  const SmallDevices devices(R"(
    1       0   90   user_annotation  all
    1       0   20   user_annotation  request
    1       2   15   user_annotation  model
    1       5   5    cuda_runtime     cudaLaunchKernel  correlation=1
    gpu0/7  12  10   kernel           gemm              correlation=1
    1       30  20   user_annotation  request
    1       32  15   user_annotation  model
    1       35  5    cuda_runtime     cudaLaunchKernel  correlation=2
    gpu0/7  42  10   kernel           gemm              correlation=2
    1       60  20   user_annotation  request
    1       62  15   user_annotation  model
    1       65  5    cuda_runtime     cudaLaunchKernel  correlation=3
    gpu0/7  72  10   kernel           gemm              correlation=3
    1       82  1    cuda_runtime     cudaLaunchKernel  correlation=4
    gpu0/7  84  1    kernel           last              correlation=4
  )");
  const RankSteps rank = steps_in(devices);
  CHECK(rank.source == StepSource::annotation);
  REQUIRE(rank.steps.size() == 3);
  CHECK(rank.steps[0].name == "request");
  CHECK(rank.steps[1].work_numbers.size() == 1);
}

TEST_CASE("an annotation that nests in itself, or covers few launches, is no step") {
  const SmallDevices devices(R"(
    1       0   30   user_annotation  outer
    1       5   20   user_annotation  outer
    1       6   5    user_annotation  outer
    1       7   2    cuda_runtime     cudaLaunchKernel  correlation=1
    gpu0/7  12  10   kernel           gemm              correlation=1
    1       40  1    user_annotation  note
    1       42  1    user_annotation  note
    1       44  1    user_annotation  note
  )");
  const RankSteps rank = steps_in(devices);
  CHECK(rank.steps.empty());
  CHECK(steps_sheet({rank}).rows() == 0);
}

namespace {

/// Launches of graphs whose works are called as the letters say.
std::string launches_of(const std::vector<std::string>& graphs) {
  std::string lines;
  TimePs at = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i, at += 100) {
    const std::string id = " correlation=" + std::to_string(i + 1) + "\n";
    lines += "1 " + std::to_string(at) + " 5 cuda_runtime hipGraphLaunch" + id;
    TimePs start = at + 10;
    for (const char name : graphs[i]) {
      lines += "gpu0/7 " + std::to_string(start) + " 5 kernel " + name + id;
      start += 6;
    }
  }
  return lines;
}

std::size_t steps_by_graph(const std::vector<std::string>& graphs) {
  const SmallDevices devices(launches_of(graphs));
  const RankSteps rank = steps_in(devices);
  CHECK(rank.source == StepSource::graph);
  return rank.steps.size();
}

}  // namespace

TEST_CASE("launches of graphs are steps, or the shortest sequence of them that comes again") {
  CHECK(steps_by_graph({"ab", "ab", "ab"}) == 3);
  CHECK(steps_by_graph({"ab", "cd", "ab", "cd"}) == 2);
  // A recording that ends in the middle of a sequence.
  CHECK(steps_by_graph({"ab", "cd", "ab", "cd", "ab"}) == 3);
  // What does not come again is no sequence.
  CHECK(steps_by_graph({"ab", "cd", "ab", "ab"}) == 4);
  CHECK(steps_by_graph({"ab"}) == 1);
}

TEST_CASE("on several streams the order of a graph's works does not tell it") {
  const SmallDevices devices(R"(
    1       0    5  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/7  10   5  kernel        a                correlation=1
    gpu0/9  11   5  kernel        b                correlation=1
    1       100  5  cuda_runtime  cudaGraphLaunch  correlation=2
    gpu0/7  111  5  kernel        a                correlation=2
    gpu0/9  110  5  kernel        b                correlation=2
  )");
  const DeviceRank& rank = devices.ranks.front();
  CHECK(find_graph_launches(*rank.trace, *rank.rank, rank.timeline).graphs.size() == 1);
}

TEST_CASE("of devices alone, the shortest sequence that makes up all work") {
  const auto repeated = [](const std::string& names) {
    std::string lines;
    TimePs at = 5;
    for (const char name : names) lines += "gpu0/7 " + std::to_string(at += 10) + " 8 kernel " + name + "\n";
    const SmallDevices devices(lines);
    const RankSteps rank = steps_in(devices);
    CHECK(rank.source == StepSource::sequence);
    return rank.steps;
  };
  const std::vector<MeasuredStep> steps = repeated("abcaabca");
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].work_numbers.size() == 4);
  CHECK_FALSE(steps[0].host.has_value());
  CHECK(steps[0].wall == 40 * us);
  CHECK(steps[1].wall == 38 * us);
  CHECK(steps[1].busy == 32 * us);
  // Where operators were recorded, a sequence that comes again is a loop inside a step as well as a step.
  const SmallDevices with_host("1 0 5 cpu_op aten::mm\ngpu0/7 10 5 kernel a\ngpu0/7 20 5 kernel a");
  CHECK(steps_in(with_host).steps.empty());
  CHECK(repeated("abcab").empty());
  CHECK(repeated("abcd").empty());
}

TEST_CASE("the shortest period of a sequence") {
  const auto period = [](const std::vector<std::uint32_t>& sequence) { return shortest_period(sequence); };
  CHECK(period({}) == 0);
  CHECK(period({7}) == 1);
  CHECK(period({1, 1, 1}) == 1);
  CHECK(period({1, 2, 1, 2, 1}) == 2);
  CHECK(period({1, 2, 3}) == 3);
  CHECK(period({1, 1, 2, 1, 1, 2, 1}) == 3);
}

}  // namespace orrery::analyze::testing
