// The answer of path with compat hta, in HTA's own words.
#include "ask/graphs/hta_path.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <string>

#include "analyze/path/hta_summary.h"
#include "base/json/json_writer.h"
#include "causal/hta_text.h"

using namespace orrery;
using analyze::summarize;
using causal::hta::testing::kTrace;
using causal::hta::testing::SmallPath;

namespace {

std::string json_of(const SmallPath& small, bool with_breakdown) {
  report::Answer answer(report::Reader::programs);
  ask::tell_hta_path(answer, small.path, *summarize(small.path, {}), with_breakdown);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  answer.write_json(json);
  json.end_object();
  return text;
}

}  // namespace

TEST_CASE("the JSON of a path, and of a failure") {
  const SmallPath small(kTrace);
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(json_of(small, true));
  const auto document = parser.parse(padded);
  CHECK(document["success"].get_bool().value());
  CHECK(document["path"]["weight_us"].get_int64().value() == 167);
  CHECK(document["edges_per_type"]["kernel_kernel_delay"].get_int64().value() == 1);
  CHECK(document["bound_by_us"]["gpu_compute_bound"].get_int64().value() == 100);
  CHECK(document["summary_pct"]["gpu_compute_bound"].get_double().value() == doctest::Approx(10000.0 / 167));
  const auto row = document["breakdown"].at(0);
  CHECK(std::string(row["s_name"].get_string().value()) == "f");
  CHECK(row["event_idx"].get_int64().value() == 1);
  CHECK(row["pid"].get_int64().value() == 100);
  CHECK(row["stream"].get_int64().value() == -1);

  causal::hta::Options strict;
  strict.strict = true;
  const SmallPath failed(
      "1 0 5 cpu_op a\n1 0 5 cuda_runtime cudaLaunchKernel correlation=1\n1 30 5 cuda_runtime cudaLaunchKernel "
      "correlation=2\n"
      "gpu0/7 20 30 kernel k correlation=1\ngpu0/7 40 30 kernel k correlation=2\n",
      strict);
  CHECK(json_of(failed, false).starts_with(R"({"success":false,"failure":"an edge has a negative weight")"));
}
