// A critical path drawn into the trace it was found in.
#include "analyze/path/path_overlay.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "base/io/input.h"
#include "causal/hta_text.h"
#include "causal/step_path_text.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::testing::Lines;
using causal::testing::SmallTrace;

namespace {

constexpr const char* kOverlaid = R"(
    1       0    20   cpu_op           aten::empty
    1       30   70   cpu_op           aten::mm
    1       40   10   cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  60   100  kernel           gemm                   correlation=1
    gpu0/9  60   10   kernel           aside                  correlation=9
    1       110  60   cuda_runtime     cudaDeviceSynchronize  correlation=2
    gpu0/-1 111  55   cuda_sync        "Context Sync"         correlation=2
    1       0    200  user_annotation  "a range"
    1       170  10   cpu_op           aten::add
    1       175  -    cpu_instant      marker
)";

std::string describe(const kineto::Flow& flow) {
  const auto end = [](const kineto::FlowEnd& e) { return e.process + "/" + e.thread + "@" + e.time; };
  return flow.type + " " + end(flow.from) + " -> " + end(flow.to) + " " + flow.weight +
         (flow.critical ? "" : " (not critical)");
}

Lines flow_lines(const kineto::Overlay& overlay) {
  Lines lines;
  for (const kineto::Flow& flow : overlay.flows) lines.push_back(describe(flow));
  return lines;
}

std::vector<std::size_t> marked(const kineto::Overlay& overlay) {
  std::vector<std::size_t> ordinals;
  for (std::size_t i = 0; i < overlay.critical.size(); ++i) {
    if (overlay.critical[i] != 0) ordinals.push_back(i);
  }
  return ordinals;
}

struct HtaOverlay {
  explicit HtaOverlay(std::string_view lines, const OverlayOptions& options = {}, const causal::hta::Options& how = {},
                      std::string_view members = {})
      : small(lines, members) {
    auto found = causal::hta::find_critical_path(small.trace(), small.rank(), how);
    REQUIRE(found.ok());
    overlay = make_overlay(*found, options);
  }
  SmallTrace small;
  kineto::Overlay overlay;
};

struct StepOverlay {
  explicit StepOverlay(std::string_view lines, const OverlayOptions& options = {}, std::string_view members = {})
      : small(lines, members) {
    Diagnostics diagnostics;
    const causal::CausalGraph job =
        causal::causal_graph_of(causal::testing::make_step(small, causal::testing::whole(), diagnostics));
    overlay = make_overlays(job, take_path(job, graph::solve(job.graph, job.end), 0, false).sums, options).front();
  }
  SmallTrace small;
  kineto::Overlay overlay;
};

// The events of a trace file as compact JSON, read by another parser than ours.
std::vector<std::string> events_of(const std::string& file) {
  const auto text = read_whole_file(file, 1 << 20);
  REQUIRE(text.ok());
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(*text);
  std::vector<std::string> events;
  for (const simdjson::dom::element event : parser.parse(padded)["traceEvents"].get_array())
    events.push_back(simdjson::minify(event));
  return events;
}

std::string without(std::string text, const std::string& part) {
  if (const std::size_t at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  return text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("hta overlay: critical events, and arrows for launches, waits and dependencies on the path") {
  const HtaOverlay drawn(kOverlaid);
  CHECK(marked(drawn.overlay) == std::vector<std::size_t>{0, 1, 2, 3, 5, 8});
  // Ends of device events are drawn a microsecond early, so that the arrow touches the box.
  CHECK(flow_lines(drawn.overlay) == Lines{"critical_path_dependency 100/1@20 -> 100/1@30 0",
                                           "critical_path_dependency 100/1@170 -> 100/1@170 0",
                                           "critical_path_kernel_launch_delay 100/1@40 -> 0/7@60 20",
                                           "critical_path_sync_dependency 0/7@159 -> 100/1@170 0"});
}

TEST_CASE("hta overlay: all edges, but not launches that weigh nothing, and not with only the critical events") {
  causal::hta::Options zero;
  zero.zero_weight_launch_edges = true;
  const HtaOverlay all(kOverlaid, {.all_edges = true, .only_critical = false}, zero);
  CHECK(all.overlay.flows.size() > 4);
  CHECK(std::count_if(all.overlay.flows.begin(), all.overlay.flows.end(),
                      [](const auto& flow) { return flow.type == "critical_path_kernel_launch_delay"; }) == 1);
  CHECK(
      std::any_of(all.overlay.flows.begin(), all.overlay.flows.end(), [](const auto& flow) { return !flow.critical; }));
  const HtaOverlay both(kOverlaid, {.all_edges = true, .only_critical = true});
  CHECK(both.overlay.flows.size() == 4);
  CHECK(both.overlay.only_critical);
}

TEST_CASE("hta overlay: sums of Unix time stamps are rounded like doubles before they are cut to whole microseconds") {
  const HtaOverlay drawn(R"(
      1       1700000000000000.000  20     cpu_op        aten::mm
      1       1700000000000005.125  9.1    cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  1700000000000030.000  9.999  kernel        gemm                   correlation=1
      1       1700000000000025.000  30     cuda_runtime  cudaDeviceSynchronize  correlation=2
      gpu0/-1 1700000000000025.500  29     cuda_sync     "Context Sync"         correlation=2
      1       1700000000000055.000  5      cpu_op        aten::add
  )");
  // 30 + 9.999 - 1 is 39 in doubles of this size; exactly it would be 38.999.
  CHECK(flow_lines(drawn.overlay) ==
        Lines{"critical_path_dependency 100/1@1700000000000055 -> 100/1@1700000000000055 0",
              "critical_path_kernel_launch_delay 100/1@1700000000000005 -> 0/7@1700000000000030 25",
              "critical_path_sync_dependency 0/7@1700000000000039 -> 100/1@1700000000000055 0"});
}

TEST_CASE("overlay: critical events, and arrows from lane to lane along the path") {
  const StepOverlay drawn(kOverlaid);
  CHECK(marked(drawn.overlay) == std::vector<std::size_t>{0, 1, 2, 3, 5, 7, 8});
  CHECK(flow_lines(drawn.overlay) ==
        Lines{"critical_path_launch_delay 100/1@50 -> 0/7@60 10", "critical_path_sync_return 0/7@159 -> 100/1@170 10"});
}

TEST_CASE(
    "overlay: an arrow from the end of work starts within that work, also when it is shorter than a microsecond") {
  const StepOverlay drawn(R"(
      1       0    20    cpu_op        aten::mm
      1       5    9     cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  30   0.5   kernel        gemm                   correlation=1
      1       22   10    cuda_runtime  cudaDeviceSynchronize  correlation=2
  )");
  const Lines lines = flow_lines(drawn.overlay);
  CHECK(std::find(lines.begin(), lines.end(), "critical_path_sync_return 0/7@30.25 -> 100/1@31 1.5") != lines.end());
}

TEST_CASE("overlay: all edges, each with its kind and weight") {
  const StepOverlay drawn(kOverlaid, {.all_edges = true, .only_critical = false});
  const Lines lines = flow_lines(drawn.overlay);
  const auto has = [&](const std::string& line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  CHECK(has("critical_path_kernel 0/7@60 -> 0/7@159 100"));
  CHECK(has("critical_path_cpu_runtime 100/1@40 -> 100/1@50 10"));
  CHECK(has("critical_path_kernel 0/9@60 -> 0/9@69 10 (not critical)"));
}

TEST_CASE("overlay: time stamps keep their digits, and the base time of the file is left out again") {
  const char* const lines = R"(
      1       1000000.123  20     cpu_op        aten::mm
      1       1000005.456  9      cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  1000030.789  50.25  kernel        gemm              correlation=1
  )";
  const Lines expected = {"critical_path_launch_delay 100/1@1000014.456 -> 0/7@1000030.789 16.333"};
  CHECK(flow_lines(StepOverlay(lines).overlay) == expected);
  CHECK(flow_lines(StepOverlay(lines, {}, R"("baseTimeNanoseconds": 1700000000123456789)").overlay) == expected);
  const Lines hta_expected = {"critical_path_kernel_launch_delay 100/1@1000005 -> 0/7@1000030 25"};
  CHECK(flow_lines(HtaOverlay(lines).overlay) == hta_expected);
  CHECK(flow_lines(HtaOverlay(lines, {}, {}, R"("baseTimeNanoseconds": 1700000000123456789)").overlay) == hta_expected);
}

TEST_CASE("overlay file: everything as it was, with marks and arrows") {
  const StepOverlay drawn(kOverlaid, {}, R"("schemaVersion": 1, "distributedInfo": {"rank": 3, "world_size": 4})");
  for (const char* name : {"overlay.json", "overlay.json.gz"}) {
    CAPTURE(name);
    const std::string file = drawn.small.dir().path(name);
    REQUIRE(kineto::write_overlay(drawn.small.path(), drawn.overlay, file).ok());
    const auto bytes = MappedFile::open(file);
    CHECK((detect_compression(bytes->bytes()) == Compression::gzip) == std::string(name).ends_with(".gz"));
    const auto before = events_of(drawn.small.path());
    const auto after = events_of(file);
    REQUIRE(after.size() == before.size() + 2 * drawn.overlay.flows.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool critical = i < drawn.overlay.critical.size() && drawn.overlay.critical[i] != 0;
      CHECK(contains(after[i], "\"critical\":1") == critical);
      CHECK(without(without(after[i], "\"critical\":1,"), "\"critical\":1") == before[i]);
    }
    CHECK(
        after[before.size()] ==
        R"({"ph":"s","id":0,"pid":100,"tid":1,"ts":50,"cat":"critical_path","name":"critical_path","args":{"weight":10,"critical":true,"type":"critical_path_launch_delay"}})");
    CHECK(
        after[before.size() + 1] ==
        R"({"ph":"f","id":0,"pid":0,"tid":7,"ts":60,"cat":"critical_path","name":"critical_path","args":{"weight":10,"critical":true,"type":"critical_path_launch_delay"},"bp":"e"})");

    // Our own reader finds the same trace again, with the arrows as flows, and the same path in it.
    Diagnostics diagnostics;
    const auto again = kineto::read_job({file}, diagnostics);
    REQUIRE(again.ok());
    CHECK(again->ranks[0].event_count() == drawn.small.rank().event_count());
    CHECK(again->ranks[0].flows.size() == 4);
    CHECK(again->ranks[0].rank == 3);
    const auto step = make_rank_graph(*again, again->ranks[0], causal::testing::whole(), diagnostics);
    REQUIRE(step.ok());
    CHECK(step->window.span() == 200 * kPsPerUs);
  }
}

TEST_CASE("overlay file: only critical events, with annotations and what is not a complete event") {
  const StepOverlay drawn(kOverlaid, {.all_edges = false, .only_critical = true});
  const std::string file = drawn.small.dir().path("overlay.json");
  REQUIRE(kineto::write_overlay(drawn.small.path(), drawn.overlay, file).ok());
  Lines names;
  for (const std::string& event : events_of(file)) {
    const std::size_t at = event.find("\"name\":\"") + 8;
    names.push_back(event.substr(at, event.find('"', at) - at));
  }
  CHECK(names == Lines{"aten::empty", "aten::mm", "cudaLaunchKernel", "gemm", "cudaDeviceSynchronize", "a range",
                       "aten::add", "marker", "critical_path", "critical_path", "critical_path", "critical_path"});
}

TEST_CASE("overlay file: nothing is left behind where it cannot be written") {
  const StepOverlay drawn(kOverlaid);
  CHECK_FALSE(
      kineto::write_overlay(drawn.small.path(), drawn.overlay, drawn.small.dir().path("missing/overlay.json")).ok());
  CHECK_FALSE(kineto::write_overlay(drawn.small.dir().path("missing.json"), drawn.overlay,
                                    drawn.small.dir().path("overlay.json"))
                  .ok());
  CHECK_FALSE(std::filesystem::exists(drawn.small.dir().path("overlay.json")));
}
