// Who waits for whom, followed from one to the next: by this rule recorded and simulated jobs alike tell why they do
// not go on.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace orrery {

template <typename Waiter>
struct WaitChain {
  std::vector<Waiter> waiters;  ///< each waits for the next; of a circle once round
  bool is_circle = false;       ///< the last waits for the first; else for nobody
};

/// `next(waiter)`: whom it waits for, which it may note in the waiter; none: nobody. `key(waiter)` tells them apart.
/// Ends where somebody waits for nobody, or comes a second time: then what only led to the circle is left out.
/// O(n log n) for n waiters.
template <typename Waiter, typename Next, typename Key>
WaitChain<Waiter> follow_waits(Waiter first, const Next& next, const Key& key) {
  WaitChain<Waiter> chain;
  std::map<std::decay_t<decltype(key(first))>, std::size_t> places;
  for (std::optional<Waiter> at = std::move(first); at;) {
    const auto [place, is_new] = places.emplace(key(*at), chain.waiters.size());
    if (!is_new) {
      chain.is_circle = true;
      chain.waiters.erase(chain.waiters.begin(), chain.waiters.begin() + static_cast<std::ptrdiff_t>(place->second));
      break;
    }
    std::optional<Waiter> awaited = next(*at);
    chain.waiters.push_back(std::move(*at));
    at = std::move(awaited);
  }
  return chain;
}

}  // namespace orrery
