#include "analyze/diff/common_subsequence.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <ctime>
#include <random>
#include <vector>

using namespace orrery::analyze;

namespace {

using Symbols = std::vector<std::uint32_t>;

/// The textbook's table.
std::size_t quadratic_length(const Symbols& a, const Symbols& b) {
  std::vector<std::vector<std::size_t>> length(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j)
      length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1 : std::max(length[i - 1][j], length[i][j - 1]);
  }
  return length[a.size()][b.size()];
}

Symbols random_symbols(std::mt19937& random, std::size_t size, std::uint32_t alphabet) {
  Symbols symbols(size);
  for (std::uint32_t& symbol : symbols) symbol = static_cast<std::uint32_t>(random() % alphabet);
  return symbols;
}

}  // namespace

TEST_CASE("as long as the textbook's, and a subsequence of both") {
  CHECK(rc::check([] {
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    const auto alphabet = *rc::gen::element<std::uint32_t>(1, 2, 4, 30, 400);
    const Symbols a = random_symbols(random, *rc::gen::inRange<std::size_t>(0, 300), alphabet);
    Symbols b = random_symbols(random, *rc::gen::inRange<std::size_t>(0, 300), alphabet);
    if (*rc::gen::arbitrary<bool>()) {  // a with a few changes: the usual case
      b = a;
      for (int k = 0; k < 10 && !b.empty(); ++k) {
        const auto at = b.begin() + static_cast<std::ptrdiff_t>(random() % b.size());
        if (random() % 2 == 0) b.erase(at);
        else b.insert(at, static_cast<std::uint32_t>(random() % alphabet));
      }
    }
    const auto pairs = common_subsequence(a, b);
    RC_ASSERT(pairs.size() == quadratic_length(a, b));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      RC_ASSERT(a[pairs[i].first] == b[pairs[i].second]);
      if (i == 0) continue;
      RC_ASSERT(pairs[i - 1].first < pairs[i].first);
      RC_ASSERT(pairs[i - 1].second < pairs[i].second);
    }
  }));
}

TEST_CASE("of equals, the ends that are alike go together") {
  // untraced, op; and the same with loading in between
  const auto pairs = common_subsequence(Symbols{0, 1}, Symbols{0, 2, 0, 1});
  CHECK(pairs == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {1, 3}});
}

TEST_CASE("a lane of 100,000 pieces is aligned at once, also with one that has little in common with it") {
  std::mt19937 random(7);
  const Symbols a = random_symbols(random, 100'000, 40), b = random_symbols(random, 100'000, 40);
  const std::clock_t begin = std::clock();  // of this process alone: others on the machine have no part in it
  const auto pairs = common_subsequence(a, b);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC <
        60);  // 2 * 10^10 steps of a quadratic table, or of O(n d), take minutes
  CHECK(pairs.size() > 20'000);
}
