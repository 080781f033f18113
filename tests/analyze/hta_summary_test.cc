// What HTA says about its path; held against HTA's own answers where they are at hand.
#include "analyze/path/hta_summary.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file_content.h"
#include "causal/hta_text.h"
#include "job/write/overlay_file.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::hta::CriticalPath;
using causal::hta::testing::kTrace;
using causal::hta::testing::SmallPath;
using causal::testing::Lines;

namespace {

namespace fs = std::filesystem;

Lines row_lines(const CriticalPath& path, const HtaSummary& summary) {
  Lines lines;
  for (const HtaBreakdownRow& row : summary.breakdown) {
    const std::string of =
        row.attributed == causal::hta::kNoRow ? "" : " " + shorten_name(path.rows.name_text(row.attributed));
    lines.push_back(std::string(to_string(row.type)) + of + " " + causal::testing::us_text(row.duration) +
                    (row.bound_by.empty() ? "" : " " + std::string(row.bound_by)));
  }
  return lines;
}

Lines lines_of(const std::string& gz_file) {
  const auto text = read_whole_file(gz_file, 100 << 20);
  REQUIRE(text.ok());
  Lines lines;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    std::string line = text->substr(at, end - at);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("names without template arguments, parameters and return type") {
  CHECK(shorten_name("aten::mm") == "aten::mm");
  CHECK(shorten_name("void f<int>(float*)") == "f");
  CHECK(shorten_name("void at::native::(anonymous namespace)::kernel<float, vec<int>>(Args)::{lambda(int)#1}") ==
        "at::native::::kernel::{lambda#1}");
  CHECK(shorten_name("std::enable_if<!(false), void>::type internal::gemv<int, 128>(Params<float>)") ==
        "internal::gemv");
  CHECK(shorten_name("Memcpy HtoD (Pinned -> Device)") == "Memcpy HtoD (Pinned -> Device)");
  CHECK(shorten_name("Memset (Device)") == "Memset (Device)");
  CHECK(shorten_name("Memcpy DtoD") == "Memcpy DtoD");
  CHECK(shorten_name("two words") == "two words");
  CHECK(shorten_name("unmatched) rest") == "unmatched) rest");
  CHECK(shorten_name("a) b(c") == "b(c");
  CHECK(shorten_name("a>b") == "a>b");
  CHECK(shorten_name("f(int)->x") == "fx");
  CHECK(shorten_name("x->>y(") == "y(");
  CHECK(shorten_name("open<never closed") == "closed");
  CHECK(shorten_name("") == "");
}

TEST_CASE("breakdown: one row per edge of the path, with what it is bound by") {
  causal::hta::Options options;
  options.window.data_load_events = {"load"};
  const SmallPath small(kTrace, options);
  const auto summary = summarize(small.path, {"^load"});
  REQUIRE(summary.ok());
  CHECK(row_lines(small.path, *summary) == Lines{
                                               "operator load batch 20 data_loading",
                                               "dependency 0",
                                               "operator f 5 cpu_bound",
                                               "kernel_launch_delay 15 gpu_kernel_launch_overhead",
                                               "operator gemm 100 gpu_compute_bound",
                                               "kernel_kernel_delay gemm 2 gpu_kernel_kernel_overhead",
                                               "operator ncclKernel_AllReduce 40 gpu_communication_bound",
                                               "sync_dependency 0",
                                               "dependency 0",
                                               "operator aten::add 5 cpu_bound",
                                           });
  CHECK(summary->path_weight == 187 * kPsPerUs);
  CHECK(summary->path_events == 7);
  CHECK(summary->bound_by.at("cpu_bound") == 10 * kPsPerUs);
  CHECK(summary->bound_by.at("data_loading") == 20 * kPsPerUs);
  CHECK(summary->bound_by.at("") == 0);
  CHECK(summary->path.edges[static_cast<std::size_t>(causal::hta::EdgeType::operator_)] == 5);
}

TEST_CASE("data loading is found by regular expression here, unlike where nodes are made") {
  const SmallPath small("1 0 20 cpu_op load_batch\n");
  CHECK(summarize(small.path, {"^lo.d"})->bound_by.contains("data_loading"));
  CHECK(summarize(small.path, {"batch$", "nothing"})->bound_by.contains("data_loading"));
  CHECK(summarize(small.path, {})->bound_by.contains("cpu_bound"));
  const auto malformed = summarize(small.path, {"("});
  REQUIRE_FALSE(malformed.ok());
  CHECK(malformed.error().message.starts_with("events that load data: \"(\" is not a regular expression"));
}

TEST_CASE("communication by HTA's names: not the newer ones of NCCL, but all that begins with hip") {
  const auto bound_of = [](const std::string& kernel) {
    const SmallPath small(
        "1 0 5 cpu_op aten::mm\n1 0 5 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 50 100 kernel " + kernel +
        " correlation=1\n");
    const auto summary = summarize(small.path, {});
    return std::string(summary->bound_by.contains("gpu_communication_bound") ? "communication" : "compute");
  };
  CHECK(bound_of("ncclKernel_AllReduce") == "communication");
  CHECK(bound_of("ncclDevKernel_AllReduce") == "communication");
  CHECK(bound_of("void_ncclKernel") == "communication");
  CHECK(bound_of("void_ncclDevKernel") == "compute");
  CHECK(bound_of("hipblas_gemm") == "communication");
  CHECK(bound_of("hcclAllReduce") == "communication");
}

TEST_CASE("what bounds the path, as a sheet: shares of its weight") {
  const SmallPath small(kTrace);
  const report::Sheet sheet = hta_bound_by_sheet(*summarize(small.path, {}));
  CHECK(report::to_csv(sheet).starts_with("kind,on_path_us,share_pct\n,0,0\n"));  // dependencies have no name
  CHECK(report::to_text(sheet, {}).find("(dependencies)") != std::string::npos);
}

TEST_CASE(
    "HTA's own answers: every node and edge, the path and its summary (small traces; the conformance program has them "
    "all)") {
  const fs::path data = fs::path(ORRERY_SOURCE_DIR) / ".." / "shared" / "data" / "kineto";
  if (!fs::exists(data / "golden")) {
    MESSAGE("not at hand: ", data.string());
    return;
  }
  orrery::testing::TempDir dir;
  simdjson::dom::parser parser;
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(data / "golden")) {
    if (entry.path().extension() != ".json") continue;
    const simdjson::padded_string text = simdjson::padded_string::load(entry.path().string());
    const simdjson::dom::element golden = parser.parse(text);
    const std::string trace_file = (data / "traces" / std::string(golden["trace"].get_string().value())).string();
    if (fs::file_size(trace_file) > 10'000) continue;
    const std::string name(golden["name"].get_string().value());
    CAPTURE(name);
    ++compared;

    Diagnostics diagnostics;
    const auto job = kineto::read_job({trace_file}, diagnostics);
    REQUIRE(job.ok());
    causal::hta::Options options;
    options.window.annotation = golden["annotation"].get_string().value();
    if (std::int64_t instance = 0; golden["instance"].get(instance) == simdjson::SUCCESS)
      options.window.first_instance = options.window.last_instance = static_cast<std::size_t>(instance);
    if (simdjson::dom::array range; golden["instance"].get(range) == simdjson::SUCCESS) {
      options.window.first_instance = static_cast<std::size_t>(range.at(0).get_int64().value());
      options.window.last_instance = static_cast<std::size_t>(range.at(1).get_int64().value());
    }
    options.zero_weight_launch_edges = golden["zero_weight_launch_edges"].get_bool().value();
    options.strict = golden["strict"].get_bool().value();
    options.include_last_step = golden["include_last_profiler_step"].get_bool().value();
    const auto path = causal::hta::find_critical_path(*job, job->ranks[0], options);
    REQUIRE(path.ok());
    const auto summary = summarize(*path, {});
    REQUIRE(summary.ok());
    CHECK(path->graph_nodes == golden["graph_nodes"].get_uint64().value());
    CHECK(path->edges.size() == golden["graph_edges"].get_uint64().value());
    CHECK(path->path_nodes.size() == golden["cp_nodes"].get_uint64().value());
    CHECK(summary->path_events == golden["cp_events"].get_uint64().value());
    CHECK(to_us(summary->path_weight) == golden["cp_weight_objects"].get_double().value());
    for (const auto& [key, weight] : golden["bound_by_weight"].get_object())
      CHECK(to_us(summary->bound_by.at(std::string(key))) == weight.get_double().value());

    const std::string nodes = (data / "golden" / (name + ".nodes.csv.gz")).string();
    if (!fs::exists(nodes)) continue;
    REQUIRE(job::dump_graph(*path, dir.path("dump")).ok());
    CHECK(lines_of(dir.path("dump.nodes.csv.gz")) == lines_of(nodes));
    CHECK(lines_of(dir.path("dump.edges.csv.gz")) == lines_of((data / "golden" / (name + ".edges.csv.gz")).string()));
  }
  CHECK(compared > 0);
}
