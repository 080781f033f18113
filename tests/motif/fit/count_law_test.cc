#include "motif/fit/count_law.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace orrery::motif::fit {
namespace {

const std::vector<RunParameters> kRuns = {
    {.nodes = 4, .size = 10}, {.nodes = 4, .size = 11}, {.nodes = 9, .size = 10}, {.nodes = 9, .size = 12}};

std::string exact_text(const std::vector<double>& values) {
  const auto law = exact_law(kRuns, values, SizeMeaning::exponent);
  return law ? law->text() : "none";
}

TEST_CASE("trip counts follow whole-numbered laws") {
  CHECK(exact_text({64, 64, 64, 64}) == "64");
  CHECK(exact_text({2, 2, 3, 3}) == "q");
  CHECK(exact_text({1, 1, 2, 2}) == "q - 1");
  CHECK(exact_text({6, 6, 9, 9}) == "3*q");
  CHECK(exact_text({4, 4, 9, 9}) == "p");
  CHECK(exact_text({3, 3, 8, 8}) == "p - 1");
  CHECK(exact_text({10, 11, 10, 12}) == "s");
  CHECK(exact_text({1024, 2048, 1024, 4096}) == "X");
  CHECK(exact_text({2.5, 2.5, 2.5, 2.5}) == "none");
  CHECK(exact_text({2, 2, 3, 4}) == "none");
  CHECK(exact_text({2, 3, 2, 3}) == "none");
}

TEST_CASE("rates are constant unless the counts say otherwise") {
  std::vector<RunParameters> runs;
  std::vector<double> chances, steady, rising, saturating;
  for (const double nodes : {4.0, 9.0, 16.0}) {
    for (double size = 16; size <= 22; ++size) {
      runs.push_back({.nodes = nodes, .size = size});
      chances.push_back(64);
      steady.push_back(32 + (static_cast<int>(size + nodes) % 3 - 1));
      rising.push_back(std::round(64 * (0.8 + 0.13 * size)));
      saturating.push_back(std::round(64 / (1 + std::exp(-(size - 19)))));
    }
  }
  const Scope far(RunParameters{.nodes = 64, .size = 26}, SizeMeaning::exponent);
  CHECK(rate_law(runs, steady, chances, SizeMeaning::exponent).is_constant());
  const Formula line = rate_law(runs, rising, chances, SizeMeaning::exponent);
  CHECK(line.at(far) == doctest::Approx(0.8 + 0.13 * 26).epsilon(0.02));
  const Formula curve = rate_law(runs, saturating, chances, SizeMeaning::exponent);
  CHECK(curve.text().starts_with("logistic("));
  CHECK(curve.at(far) <= 1);
  CHECK(curve.at(far) > 0.98);
}

TEST_CASE("what always and what never happens has a rate too") {
  const std::vector<double> chances(4, 64), always(4, 64), never(4, 0);
  const Scope any(RunParameters{.nodes = 25, .size = 20}, SizeMeaning::exponent);
  CHECK(rate_law(kRuns, always, chances, SizeMeaning::exponent).at(any) == doctest::Approx(1));
  CHECK(rate_law(kRuns, never, chances, SizeMeaning::exponent).at(any) == doctest::Approx(0));
}

}  // namespace
}  // namespace orrery::motif::fit
