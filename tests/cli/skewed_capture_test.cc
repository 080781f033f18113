// The shipped capture whose clocks were set apart: what `make demo` shows, held to the truth beside it.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <cmath>

#include "cli/captured_run.h"
#include "formats/xspace/reader.h"
#include "support/temp_dir.h"

using namespace orrery;

namespace {

const std::string kSkewed = std::string(ORRERY_SOURCE_DIR) + "/data/jax_skewed4/";

std::string node_file(int number) { return "node" + std::to_string(number) + ".xplane.pb.gz"; }

trace::RankTrace read(const std::string& path) {
  Interner strings;
  Diagnostics diagnostics;
  auto rank = xspace::read_rank(path, strings, diagnostics);
  REQUIRE(rank.ok());
  return std::move(*rank);
}

/// reading = t + offset_ns + drift_ppm * 1e-6 * (t - origin_unix_ns) + (step_ns if t >= step_at_unix_ns)
struct Truth {
  std::int64_t origin_unix_ns = 0, step_at_unix_ns = 0;
  double offset_ns = 0, drift_ppm = 0, step_ns = 0;

  /// The moment at which the clock showed a reading; both ns since the origin.
  [[nodiscard]] double moment(double reading_ns) const {
    const double after = (reading_ns - offset_ns - step_ns) / (1 + drift_ppm * 1e-6);
    if (after >= static_cast<double>(step_at_unix_ns - origin_unix_ns)) return after;
    return (reading_ns - offset_ns) / (1 + drift_ppm * 1e-6);
  }
};

std::vector<Truth> read_truth() {
  simdjson::dom::parser parser;
  const simdjson::dom::element file = parser.load(kSkewed + "truth.json");
  std::vector<Truth> clocks;
  for (const simdjson::dom::element clock : file["clocks"])
    clocks.push_back(
        {clock["origin_unix_ns"], clock["step_at_unix_ns"], clock["offset_ns"], clock["drift_ppm"], clock["step_ns"]});
  return clocks;
}

double since(std::int64_t origin_unix_ns, const trace::RankTrace& rank, trace::EventIndex event) {
  return static_cast<double>(rank.epoch_unix_ns - origin_unix_ns) + static_cast<double>(rank.start[event]) / 1e3;
}

}  // namespace

TEST_CASE("four skewed clocks come back together from their collectives: violations, true error, the step") {
  const testing::TempDir dir;
  std::vector<std::string> arguments = {"align", "-o", dir.path("aligned"), "--json"};
  for (int i = 0; i < 4; ++i) arguments.push_back(kSkewed + node_file(i));
  const auto run = cli::run_captured(arguments);
  REQUIRE(run.exit_code == 0);

  simdjson::dom::parser parser;
  const simdjson::dom::element data = parser.parse(run.out)["data"];
  CHECK(std::int64_t(data["before"]["violated"]) > 400);
  CHECK(std::int64_t(data["after"]["violated"]) == 0);
  const simdjson::dom::array steps = data["nodes"].at(3)["steps"];
  REQUIRE(steps.size() == 1);
  CHECK(double(steps.at(0)["jump_us"]) == doctest::Approx(350).epsilon(0.1));

  const std::vector<Truth> truth = read_truth();
  REQUIRE(truth.size() == 4);
  double before = 0, mean = 0, far_off = 0, events = 0;
  for (int i = 1; i < 4; ++i) {
    const trace::RankTrace recorded = read(kSkewed + node_file(i)), aligned = read(dir.path("aligned/" + node_file(i)));
    REQUIRE(recorded.event_count() == aligned.event_count());
    for (trace::EventIndex e = 0; e < recorded.event_count(); ++e) {
      const Truth& clock = truth[static_cast<std::size_t>(i)];
      const double reading = since(clock.origin_unix_ns, recorded, e), moment = clock.moment(reading);
      const double error = std::abs(since(clock.origin_unix_ns, aligned, e) - moment);
      before += std::abs(reading - moment);
      mean += error;
      far_off += error > 25e3 ? 1 : 0;  // ns
      ++events;
    }
  }
  CHECK(before / events > 1e6);  // ns
  CHECK(mean / events < 8e3);
  CHECK(far_off / events < 0.01);  // when between two collectives the clock was set cannot be known
}
