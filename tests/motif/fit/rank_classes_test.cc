#include "motif/fit/rank_classes.h"

#include <doctest/doctest.h>

#include <functional>

namespace orrery::motif::fit {
namespace {

/// Runs of 2 x 2, 3 x 3 and 4 x 4 ranks; `extra` says how often a rank calls site 2.
std::vector<RankRun> jobs(const std::function<int(int row, int column, int q)>& extra) {
  std::vector<RankRun> ranks;
  for (const int q : {2, 3, 4}) {
    for (int rank = 0; rank < q * q; ++rank) {
      RankRun one{.run = {.nodes = static_cast<double>(q * q), .size = 10}, .name = "q" + std::to_string(q)};
      one.rank = static_cast<std::uint64_t>(rank);
      one.ranks = static_cast<std::uint64_t>(q * q);
      one.calls.push_back({.site = 1, .bytes = 8, .group = Group::world});
      for (int i = 0; i < extra(rank / q, rank % q, q); ++i)
        one.calls.push_back({.site = 2, .time_us = 3, .bytes = 16});
      one.calls.push_back({.site = 3, .time_us = 1});
      ranks.push_back(std::move(one));
    }
  }
  return ranks;
}

std::vector<std::string> names_of(const std::vector<ClassObservation>& classes) {
  std::vector<std::string> names;
  for (const ClassObservation& one : classes) names.push_back(one.name);
  return names;
}

TEST_CASE("the coarsest partition that holds in all runs is taken") {
  using Names = std::vector<std::string>;
  CHECK(names_of(classify_ranks(jobs([](int, int, int) { return 1; }))) == Names{"all"});
  CHECK(names_of(classify_ranks(jobs([](int row, int column, int) { return row == column ? 2 : 1; }))) ==
        Names{"diagonal", "off_diagonal"});
  CHECK(names_of(classify_ranks(jobs([](int row, int column, int q) {
          return (row > 0) + (row + 1 < q) + (column > 0) + (column + 1 < q);
        }))) == Names{"corner", "edge", "interior"});
  CHECK(names_of(classify_ranks(jobs([](int row, int column, int) { return row + column == 0 ? 5 : 1; }))) ==
        Names{"first", "others"});
  // By data, not by place: one class, in the mean.
  const auto mixed =
      classify_ranks(jobs([](int row, int column, int q) { return 1 + (row * 7 + column * 3 + q) % 4; }));
  CHECK(names_of(mixed) == Names{"all"});
}

TEST_CASE("shares of the classes add up to one, and fit the ranks") {
  const auto classes = classify_ranks(
      jobs([](int row, int column, int q) { return (row > 0) + (row + 1 < q) + (column > 0) + (column + 1 < q); }));
  for (const double q : {2.0, 3.0, 7.0, 20.0}) {
    const Scope scope(RunParameters{.nodes = q * q, .size = 10}, SizeMeaning::exponent);
    double sum = 0;
    for (const ClassObservation& one : classes) sum += one.share.at(scope);
    CHECK(sum == doctest::Approx(1));
  }
  CHECK(classes[0].runs.size() == 3);
  CHECK(classes[2].runs.size() == 2);
  CHECK(classes[1].runs[0].bytes.at(2).calls == doctest::Approx(3));
}

TEST_CASE("partners and communicators are patterns") {
  std::vector<RankRun> ranks = jobs([](int, int, int) { return 1; });
  for (RankRun& rank : ranks) {
    const auto q = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(rank.ranks))));
    const auto from = static_cast<std::int64_t>(rank.rank);
    rank.calls[1].peer = from % q * q + from / q;
    rank.calls[2].peer = from / q * q + (from % q + q - 1) % q;
  }
  std::vector<Site> sites = {{.id = 1}, {.id = 2}, {.id = 3}};
  find_site_patterns(ranks, sites);
  CHECK(sites[0].group == Group::world);
  CHECK(sites[0].peer == Peer::none);
  CHECK(sites[1].peer == Peer::opposite);
  // One to the left: in a row of two that is also one to the right.
  CHECK(sites[2].peer == Peer::row_each);
}

}  // namespace
}  // namespace orrery::motif::fit
