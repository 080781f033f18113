#include "motif/motif_yaml.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "motif/predict.h"

namespace orrery::motif {
namespace {

Flow call_of(std::uint32_t site) {
  Flow flow;
  flow.kind = Flow::Kind::call;
  flow.site = site;
  return flow;
}

/// A search on a grid: every kind of flow, of law and of site.
Motif sample() {
  Motif motif;
  motif.program = "search";
  motif.size_meaning = SizeMeaning::exponent;
  motif.sites = {{.id = 1,
                  .operation = "MPI_Bcast",
                  .stack = "bfs.cc:12 main",
                  .group = Group::world,
                  .root = 2,
                  .bytes = Formula(8.0)},
                 {.id = 2, .operation = "MPI_Sendrecv", .peer = Peer::opposite, .bytes = Formula::composed("0.5*X/n")},
                 {.id = 3,
                  .operation = "MPI_Sendrecv",
                  .peer = Peer::row_shift,
                  .peer_offset = -1,
                  .bytes = Formula(4.0),
                  .level_weights = {2.5, 0.25}},
                 {.id = 5}};
  Flow ring;
  ring.kind = Flow::Kind::loop;
  ring.trips = Formula::composed("q - 1");
  ring.parts = {call_of(3)};
  Flow up;
  up.parts = {call_of(2), ring};
  Flow chain;
  chain.kind = Flow::Kind::chain;
  chain.parts = {call_of(1), up};
  chain.steps = {{{}, 0, Formula(1.0)},
                 {{0}, 1, Formula::composed("logistic(0.5 - s)")},
                 {{0, 1}, ChainStep::kEnd, Formula::composed("1 + 0.1*s")}};
  Flow roots;
  roots.kind = Flow::Kind::loop;
  roots.trips = Formula(64.0);
  roots.parts = {chain, call_of(5)};
  RankClass diagonal{.name = "diagonal", .members = Members::diagonal, .share = Formula::composed("1/q")};
  diagonal.flow.parts = {call_of(1), call_of(2), call_of(3), roots};
  RankClass others{.name = "others", .members = Members::others, .share = Formula::composed("1 - 1/q")};
  others.flow.parts = {call_of(1)};
  motif.classes = {diagonal, others};
  motif.transitions = {{1, 2, Formula::composed("12 + 3*log2(n)"), Formula(7.0)}, {2, 3, Formula(1.5), Formula(1.5)}};
  motif.uncertainty = {0.05, {4, 9}, {16, 18, 20}, {0.01, 0.02, 0.03, 0.04, 0.05, 0.06}};
  motif.fit = {.runs = 4,
               .fewest_nodes = 4,
               .most_nodes = 9,
               .smallest_size = 16,
               .largest_size = 20,
               .error_pct = 3.5,
               .left_out_error_pct = 4.25,
               .times_family = "dictionary 5.0 %",
               .notes = {"a note"}};
  return motif;
}

TEST_CASE("a motif that is written and read is the same") {
  const Motif motif = sample();
  const auto again = parse_motif(to_yaml(motif), "sample.motif");
  if (!again) FAIL(again.error().to_string());
  CHECK(again->classes[0].flow == motif.classes[0].flow);
  CHECK(*again == motif);
  CHECK(to_yaml(*again) == to_yaml(motif));
}

void check_refused(std::string_view from, std::string_view to, std::string_view complaint) {
  std::string yaml = to_yaml(sample());
  const std::size_t at = yaml.find(from);
  REQUIRE(at != std::string::npos);
  yaml.replace(at, from.size(), to);
  CAPTURE(yaml);
  const auto motif = parse_motif(yaml, "bad.motif");
  REQUIRE(!motif);
  CHECK(motif.error().file == "bad.motif");
  CAPTURE(motif.error().message);
  CHECK(motif.error().message.find("line ") == 0);
  CHECK(motif.error().message.find(complaint) != std::string::npos);
}

TEST_CASE("what a person got wrong is told with its line") {
  check_refused("\"q - 1\"", "\"q - banana\"", "no variable");
  check_refused("do: \"1..3 loop1\"", "do: \"1..3 loop9\"", "no block");
  check_refused("do: \"1..3 loop1\"", "do: \"1..4 loop1\"", "site 4");
  check_refused("do: \"1..3 loop1\"", "do: \"1..3\"", "used nowhere");
  check_refused("do: \"1..3 loop1\"", "do: \"1..3 loop1 loop1\"", "more than once");
  check_refused("do: \"1..3 loop1\"", "do: \"3..1 loop1\"", "no range");
  check_refused("bytes: \"0.5*X/n\"", "bytes: \"0.5*X/\"", "no formula");
  check_refused("peer: opposite", "peer: oposite", "opposite");
  check_refused("id: 5", "id: 3", "more than 3");
  check_refused("from: 2", "from: 0", "order");
  check_refused("members: diagonal", "member: diagonal", "member");
  check_refused("log_deviation: [\"0.01\", \"0.02\"", "log_deviation: [\"0.01\"", "3 entries");
  check_refused("level_weights: [\"2.5\"", "level_weights: [\"-1\"", "numbers");
  check_refused("orrery.motif/1", "orrery.machine/1", "format");
}

TEST_CASE("loops within loops end somewhere") {
  const auto nested = [](int depth) {
    Motif motif = sample();
    for (int i = 0; i < depth; ++i) {
      Flow loop;
      loop.kind = Flow::Kind::loop;
      loop.trips = Formula(2.0);
      loop.parts = {call_of(1), motif.classes[1].flow.parts[0]};
      motif.classes[1].flow.parts = {loop};
    }
    return motif;
  };
  const Motif most = nested(kDeepestFlow);
  const auto read = parse_motif(to_yaml(most), "deep.motif");
  if (!read) FAIL(read.error().to_string());
  CHECK(*read == most);
  for (const int depth : {kDeepestFlow + 1, 200}) {
    const auto refused = parse_motif(to_yaml(nested(depth)), "deep.motif");
    REQUIRE(!refused);
    CHECK((refused.error().message.find("inside one another") != std::string::npos ||
           refused.error().message.find("deep") != std::string::npos));
  }
}

TEST_CASE("an edited motif predicts what was written into it") {
  std::string yaml = to_yaml(sample());
  const std::string from = "time_us: \"12 + 3*log2(n)\"", to = "time_us: \"100\"";
  yaml.replace(yaml.find(from), from.size(), to);
  const auto motif = parse_motif(yaml, "edited.motif");
  REQUIRE(motif);
  const Prediction prediction = predict(*motif, {.nodes = 4, .size = 16});
  const auto first = std::find_if(prediction.transitions.begin(), prediction.transitions.end(),
                                  [](const TransitionUse& use) { return use.from == 1 && use.to == 2; });
  REQUIRE(first != prediction.transitions.end());
  CHECK(first->time_us == 100);
}

TEST_CASE("visits of a block have their own sizes") {
  const Motif motif = sample();
  const Scope scope({.nodes = 4, .size = 16}, motif.size_meaning);
  const Site& site = *motif.find_site(3);
  CHECK(bytes_of_call(site, scope.at_level(1)) == 10);
  CHECK(bytes_of_call(site, scope.at_level(2)) == 1);
  CHECK(bytes_of_call(site, scope.at_level(9)) == 1);
  CHECK(bytes_of_call(*motif.find_site(1), scope.at_level(9)) == 8);
}

TEST_CASE("classes of ranks follow their place in the grid") {
  const Motif motif = sample();
  CHECK(class_of(motif, 0, 9) == 0);
  CHECK(class_of(motif, 4, 9) == 0);
  CHECK(class_of(motif, 5, 9) == 1);
  CHECK(grid_rows(9) == 3);
  CHECK(grid_rows(12) == 3);
  CHECK(grid_rows(7) == 1);
  CHECK(is_member(Members::corner, 8, 9));
  CHECK(is_member(Members::edge, 7, 9));
  CHECK(is_member(Members::interior, 4, 9));
  CHECK(!is_member(Members::last, 7, 9));
}

TEST_CASE("an interval widens away from what was measured") {
  Motif motif = sample();
  motif.fit = {};
  const double inside = log_sigma(motif, {.nodes = 4, .size = 16});
  CHECK(inside == doctest::Approx(std::hypot(0.05, 0.01)));
  CHECK(log_sigma(motif, {.nodes = 6.5, .size = 17}) == doctest::Approx(std::hypot(0.05, 0.03)));
  CHECK(log_sigma(motif, {.nodes = 100, .size = 30}) > log_sigma(motif, {.nodes = 9, .size = 20}));
  CHECK(log_sigma(Motif{}, {.nodes = 100, .size = 30}) == 0);
}

TEST_CASE("how far outside of the fit a run is counts data and nodes, and has an end") {
  Motif motif;
  motif.size_meaning = SizeMeaning::exponent;
  motif.fit.fewest_nodes = 4, motif.fit.most_nodes = 16, motif.fit.smallest_size = 16, motif.fit.largest_size = 20;
  CHECK(extrapolation(motif, {.nodes = 9, .size = 18}).farthest() == 1);
  CHECK(extrapolation(motif, {.nodes = 64, .size = 22}).nodes == 4);
  CHECK(extrapolation(motif, {.nodes = 64, .size = 22}).size == 4);
  CHECK(extrapolation(motif, {.nodes = 1, .size = 10}).farthest() == 64);
  // Nothing more within sixteen times, and then a tenth for each factor e.
  CHECK(log_sigma(motif, {.nodes = 36, .size = 24}) == 0);
  CHECK(log_sigma(motif, {.nodes = 36, .size = 40}) == doctest::Approx(0.1 * 16 * std::log(2)));
  CHECK(check_extrapolation(motif, {.nodes = 36, .size = 40}).ok());
  CHECK(!check_extrapolation(motif, {.nodes = 36, .size = 41}).ok());
  motif.size_meaning = SizeMeaning::amount;
  CHECK(extrapolation(motif, {.nodes = 9, .size = 40}).size == 2);
  CHECK(extrapolation(Motif{}, {.nodes = 9, .size = 40}).farthest() == 1);  // a file that does not say
}

}  // namespace
}  // namespace orrery::motif
