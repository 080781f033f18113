// Requests from tables and from laws.
#include "llm/engine/requests.h"

#include <cmath>

#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

Result<Requests> requests_in(const std::string& text, const RequestRules& rules = {}) {
  const auto table = parse_csv(text, "requests.csv");
  REQUIRE(table.ok());
  return read_requests(*table, rules);
}

std::string wrong_with(const std::string& rows, const RequestRules& rules = {}) {
  const auto read = requests_in("id,arrival_s,prompt,generate\n" + rows, rules);
  return read ? "" : read.error().message;
}

double mean_of(const std::vector<std::uint32_t>& values) {
  double sum = 0;
  for (const std::uint32_t value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Standard deviation of the gaps over their mean.
double variation_of_gaps(const Requests& requests) {
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const double gap = us(requests.arrival_ps[i] - requests.arrival_ps[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const auto count = static_cast<double>(requests.size() - 1);
  return std::sqrt(std::max(0.0, squares / count - sum * sum / count / count)) / (sum / count);
}

}  // namespace

TEST_CASE("a table of requests, in the order of arrival and then of the table") {
  const auto read = requests_in("prefix,id,arrival_s,generate,prompt\n5 9,late,2,3,20\n,a,0.5,1,7\n5,b,0.5,2,9\n");
  REQUIRE(read.ok());
  CHECK(read->size() == 3);
  CHECK(read->name(0) == "a");
  CHECK(read->name(1) == "b");
  CHECK(read->name(2) == "late");
  CHECK(read->arrival_ps[1] == kPsPerSecond / 2);
  CHECK(read->prompt[2] == 20);
  CHECK(read->generate[2] == 3);
  CHECK(read->different_pieces == 2);
  CHECK(read->pieces_of(0).empty());
  REQUIRE(read->pieces_of(2).size() == 2);
  CHECK(read->pieces_of(2)[0] == read->pieces_of(1)[0]);
  CHECK(*read->natural_rate() == doctest::Approx(2 / 1.5));
}

TEST_CASE("what a table of requests gets wrong is told with its line and column") {
  CHECK(wrong_with("q,0,10,2\nq,1,10,2\n") == "line 3, column 'id': 'q' is there twice");
  CHECK(wrong_with(",0,10,2\n") == "line 2, column 'id': is empty");
  CHECK(wrong_with("q,soon,10,2\n") == "line 2, column 'arrival_s': must be a time in seconds, found 'soon'");
  CHECK(wrong_with("q,-1,10,2\n").find("line 2, column 'arrival_s': must be at least 0") == 0);
  CHECK(wrong_with("q,0,1.5,2\n") == "line 2, column 'prompt': must be a whole number of tokens, found '1.5'");
  CHECK(wrong_with("a,0,9,1\nq,0,10,0\n").find("line 3, column 'generate': must be at least 1") == 0);
  CHECK(wrong_with("").find("no request") != std::string::npos);
  CHECK(requests_in("id,arrival_s,prompt\nq,0,1\n").error().message == "line 1: the table has no column 'generate'");
  CHECK(requests_in("id,prompt,generate\nq,1,1\n").error().message == "line 1: the table has no column 'arrival_s'");
  CHECK(requests_in("id,prompt,generate\nq,1,1\n", {.has_arrivals = false}).ok());
  // The last token is made, and never looked at.
  CHECK(wrong_with("q,0,10,7\n", {.cache_tokens = 16}).empty());
  CHECK(wrong_with("q,0,10,8\n", {.cache_tokens = 16}) ==
        "line 2, column 'prompt': prompt and tokens are 17 together, and the whole cache holds 16");
  CHECK(wrong_with("q,0,10,8\n", {.prompt_tokens = 9}) ==
        "line 2, column 'prompt': the prompt has 10 tokens, and a step at most 9");
}

TEST_CASE("arrivals by a law") {
  ArrivalLaw law{.rate_per_s = 20, .count = 20000, .prompt = {.mean = 300}, .generate = {.mean = 50}};
  SUBCASE("as often as asked for, and as regular") {
    const Requests poisson = draw_requests(law);
    CHECK(*poisson.natural_rate() == doctest::Approx(20).epsilon(0.02));
    CHECK(variation_of_gaps(poisson) == doctest::Approx(1).epsilon(0.03));
    law.law = ArrivalKind::constant;
    const Requests constant = draw_requests(law);
    CHECK(*constant.natural_rate() == doctest::Approx(20));
    CHECK(variation_of_gaps(constant) == doctest::Approx(0).epsilon(1e-3));
    law.law = ArrivalKind::gamma;
    for (const double variation : {0.5, 2.0}) {
      law.variation = variation;
      const Requests gamma = draw_requests(law);
      CHECK(*gamma.natural_rate() == doctest::Approx(20).epsilon(0.04));
      CHECK(variation_of_gaps(gamma) == doctest::Approx(variation).epsilon(0.05));
    }
  }
  SUBCASE("the same for one seed") {
    const Requests one = draw_requests(law), again = draw_requests(law);
    CHECK(one.arrival_ps == again.arrival_ps);
    law.seed = 2;
    CHECK(one.arrival_ps != draw_requests(law).arrival_ps);
    CHECK(one.name(7) == "r7");
  }
  SUBCASE("lengths") {
    law.prompt = {.law = LengthKind::lognormal, .mean = 300, .variation = 0.8, .most = 2000};
    law.generate = {.law = LengthKind::uniform, .mean = 50, .variation = 0.5};
    const Requests drawn = draw_requests(law);
    CHECK(mean_of(drawn.prompt) == doctest::Approx(300).epsilon(0.03));
    CHECK(*std::max_element(drawn.prompt.begin(), drawn.prompt.end()) <= 2000);
    CHECK(mean_of(drawn.generate) == doctest::Approx(50).epsilon(0.02));
    CHECK(*std::max_element(drawn.generate.begin(), drawn.generate.end()) <= 94);
    CHECK(*std::min_element(drawn.generate.begin(), drawn.generate.end()) >= 6);
  }
}

TEST_CASE("stretched arrivals have the rate, about the first") {
  Requests requests = requests_of({{1e6}, {2e6}, {5e6}});
  stretch_to(requests, 1);
  CHECK(us(requests.arrival_ps[0]) == 1e6);
  CHECK(us(requests.arrival_ps[1]) == doctest::Approx(1.5e6));
  CHECK(us(requests.arrival_ps[2]) == 3e6);
}
