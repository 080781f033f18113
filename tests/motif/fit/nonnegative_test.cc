#include "motif/fit/terms.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "motif/fit/law.h"
#include "motif/formula.h"

namespace orrery::motif::fit {
namespace {

Design design(std::vector<std::vector<double>> rows) {
  Design out{.columns = rows[0].size()};
  for (const auto& row : rows) out.values.insert(out.values.end(), row.begin(), row.end());
  return out;
}

double misfit(const Design& a, const std::vector<double>& y, const std::vector<double>& c) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double value = -y[i];
    for (std::size_t j = 0; j < a.columns; ++j) value += a.row(i)[j] * c[j];
    sum += value * value;
  }
  return sum;
}

TEST_CASE("coefficients that are there are found, and none is negative") {
  const Design a = design({{1, 1}, {1, 2}, {1, 3}, {1, 4}});
  const std::vector<double> weights(4, 1), rising = {3, 5, 7, 9}, falling = {9, 7, 5, 3};
  const auto line = nonnegative_least_squares(a, rising, weights);
  CHECK(line[0] == doctest::Approx(1));
  CHECK(line[1] == doctest::Approx(2));
  const auto flat = nonnegative_least_squares(a, falling, weights);
  CHECK(flat[1] == 0);
  CHECK(flat[0] == doctest::Approx(6));
}

TEST_CASE("no move of one coefficient that keeps it from zero is better") {
  rc::check([] {
    const std::size_t columns = *rc::gen::inRange(1, 5), rows = columns + *rc::gen::inRange<std::size_t>(1, 6);
    Design a{.columns = columns};
    std::vector<double> y;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) a.values.push_back(*rc::gen::inRange(0, 100) / 10.0);
      y.push_back(*rc::gen::inRange(1, 1000) / 10.0);
    }
    const auto c = nonnegative_least_squares(a, y, std::vector<double>(rows, 1));
    const double here = misfit(a, y, c);
    for (std::size_t j = 0; j < columns; ++j) {
      RC_ASSERT(c[j] >= 0);
      for (const double step : {1e-3, -1e-3}) {
        auto moved = c;
        moved[j] = std::max(0.0, moved[j] + step);
        RC_ASSERT(misfit(a, y, moved) >= here - 1e-6 * (1 + here));
      }
    }
  });
}

TEST_CASE("one stalled run does not pull") {
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (int i = 1; i <= 12; ++i) {
    rows.push_back({1, static_cast<double>(i)});
    y.push_back(10 + 3.0 * i);
  }
  y[6] *= 50;
  const auto c = fit_relative(design(rows), y);
  CHECK(c[0] == doctest::Approx(10).epsilon(0.02));
  CHECK(c[1] == doctest::Approx(3).epsilon(0.02));
}

TEST_CASE("laws say in text what they compute") {
  std::vector<Scope> runs;
  std::vector<double> y;
  for (const double nodes : {4.0, 9.0, 16.0, 25.0}) {
    for (const double size : {10.0, 11.0, 12.0, 13.0, 14.0}) {
      runs.emplace_back(RunParameters{.nodes = nodes, .size = size}, SizeMeaning::exponent);
      y.push_back(5 + 2 * std::sqrt(nodes) + 0.01 * std::exp2(size) / nodes);
    }
  }
  const std::vector<Term> terms = {Term{}, {.nodes = 0.5}, {.work = 1, .nodes = -1}, {.work = 1, .capacity = 500}};
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const Law law = fit_law(static_cast<Family>(i), terms, runs, y);
    const Formula formula = Formula::composed(law.text());
    CAPTURE(law.text());
    for (const Scope& run : runs) CHECK(formula.at(run) == doctest::Approx(law.at(run)).epsilon(1e-4));
  }
  const Law dictionary = fit_law(Family::dictionary, terms, runs, y);
  const Scope far(RunParameters{.nodes = 100, .size = 20}, SizeMeaning::exponent);
  CHECK(dictionary.at(far) == doctest::Approx(5 + 20 + 0.01 * std::exp2(20) / 100).epsilon(0.01));
}

}  // namespace
}  // namespace orrery::motif::fit
