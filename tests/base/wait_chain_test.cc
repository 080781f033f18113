#include "base/wait_chain.h"

#include <doctest/doctest.h>

#include <vector>

using namespace orrery;

namespace {

/// `waits_for[i]`: whom i waits for; -1: nobody.
WaitChain<int> follow(const std::vector<int>& waits_for, int first) {
  return follow_waits(
      first,
      [&](int waiter) {
        const int awaited = waits_for[static_cast<std::size_t>(waiter)];
        return awaited < 0 ? std::nullopt : std::optional(awaited);
      },
      [](int waiter) { return waiter; });
}

}  // namespace

TEST_CASE("waits are followed to one who waits for nobody") {
  const WaitChain<int> chain = follow({2, -1, 1}, 0);
  CHECK_FALSE(chain.is_circle);
  CHECK(chain.waiters == std::vector<int>{0, 2, 1});
}

TEST_CASE("of waits in a circle only the circle is told") {
  const WaitChain<int> chain = follow({1, 2, 3, 1}, 0);
  CHECK(chain.is_circle);
  CHECK(chain.waiters == std::vector<int>{1, 2, 3});
  CHECK(follow({0}, 0).waiters == std::vector<int>{0});
}
