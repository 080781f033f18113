#include "motif/fit/bytes_fit.h"

#include <algorithm>
#include <cmath>

#include "motif/fit/count_law.h"

namespace orrery::motif::fit {
namespace {

/// Families that make sense of a size; the published ones explode or turn negative.
constexpr std::array kByteFamilies = {Family::constant, Family::power, Family::dictionary, Family::normal_form};

const std::vector<Term>& byte_terms() {
  static const std::vector<Term> terms = {
      Term{}, {.work = 1}, {.work = 1, .nodes = -0.5}, {.work = 1, .nodes = -1}, {.work = 1, .nodes = -1.5}};
  return terms;
}

double mean_error(const Law& law, const std::vector<Scope>& runs, const std::vector<double>& bytes) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (bytes[i] <= 0) continue;
    sum += std::abs(law.at(runs[i]) - bytes[i]) / bytes[i];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The error over runs each of which was left out once. A family that has more unknowns than runs remain says nothing.
double left_out_error(Family family, const std::vector<Scope>& runs, const std::vector<double>& bytes) {
  double sum = 0, count = 0;
  for (std::size_t left_out = 0; left_out < runs.size(); ++left_out) {
    std::vector<Scope> rest_runs;
    std::vector<double> rest;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i == left_out) continue;
      rest_runs.push_back(runs[i]);
      rest.push_back(bytes[i]);
    }
    if (bytes[left_out] <= 0) continue;
    const Law law = fit_law(family, byte_terms(), rest_runs, rest);
    sum += std::min(std::abs(law.at(runs[left_out]) - bytes[left_out]) / bytes[left_out], 10.0);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

BytesFit fit_bytes(const std::vector<RunParameters>& runs, const std::vector<double>& bytes, SizeMeaning meaning) {
  if (const auto exact = exact_law(runs, bytes, meaning)) return {*exact, "exact", 0};
  std::vector<Scope> scopes;
  scopes.reserve(runs.size());
  for (const RunParameters& run : runs) scopes.emplace_back(run, meaning);
  Family best = Family::constant;
  double best_error = left_out_error(best, scopes, bytes);
  for (const Family family : kByteFamilies) {
    if (family == Family::constant) continue;
    const double error = left_out_error(family, scopes, bytes);
    // A tenth better, or the simpler one stays.
    if (error >= 0.9 * best_error) continue;
    best = family;
    best_error = error;
  }
  const Law law = fit_law(best, byte_terms(), scopes, bytes);
  return {Formula::composed(law.text()), std::string(kFamilyNames[static_cast<std::size_t>(best)]),
          100 * mean_error(law, scopes, bytes)};
}

}  // namespace orrery::motif::fit
