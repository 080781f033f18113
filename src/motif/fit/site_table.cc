#include "motif/fit/site_table.h"

#include <algorithm>

namespace orrery::motif::fit {
namespace {
constexpr std::size_t kMostTwins = 6;  // all orders of more would take too long
}

std::uint32_t SiteTable::add(const LocalSite& site) {
  known_.push_back(site);
  return static_cast<std::uint32_t>(known_.size());
}

std::vector<std::uint32_t> SiteTable::place(const std::vector<LocalSite>& sites, const std::vector<std::size_t>& calls) {
  const bool have_stacks = std::none_of(sites.begin(), sites.end(), [](const LocalSite& site) { return site.stack.empty(); });
  std::vector<std::uint32_t> numbers = have_stacks ? by_stack(sites) : align(sites);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> transitions;
  for (std::size_t i = 1; i < calls.size(); ++i) ++transitions[{calls[i - 1], calls[i]}];
  if (have_stacks && !transitions_.empty()) exchange_twins(sites, transitions, numbers);
  for (const auto& [edge, count] : transitions) transitions_.emplace(numbers[edge.first], numbers[edge.second]);
  return numbers;
}

std::vector<std::uint32_t> SiteTable::by_stack(const std::vector<LocalSite>& sites) {
  std::vector<std::uint32_t> numbers;
  for (const LocalSite& site : sites) {
    const auto [found, is_new] = by_stack_.emplace(site.operation + "\n" + site.stack, 0);
    if (is_new) found->second = add(site);
    numbers.push_back(found->second);
  }
  return numbers;
}

/// Twins are numbered so that most transitions are ones that were seen before.
void SiteTable::exchange_twins(const std::vector<LocalSite>& sites,
                               const std::map<std::pair<std::size_t, std::size_t>, std::size_t>& transitions,
                               std::vector<std::uint32_t>& numbers) const {
  const auto unknown = [&] {
    std::size_t count = 0;
    for (const auto& [edge, times] : transitions) count += transitions_.contains({numbers[edge.first], numbers[edge.second]}) ? 0 : times;
    return count;
  };
  std::map<std::string, std::vector<std::size_t>> twins;
  for (std::size_t i = 0; i < sites.size(); ++i)
    twins[sites[i].operation + "\n" + sites[i].stack.substr(0, sites[i].stack.find(" #"))].push_back(i);
  std::size_t least = unknown();
  // Groups lean on each other: once one is in place, the next may be told by it.
  for (bool gained = true; gained && least > 0;) {
    gained = false;
    for (const auto& [stack, places] : twins) {
      if (places.size() < 2 || places.size() > kMostTwins) continue;
      std::vector<std::uint32_t> order, best;
      for (const std::size_t place : places) order.push_back(numbers[place]);
      best = order;
      std::sort(order.begin(), order.end());
      do {
        for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = order[i];
        const std::size_t count = unknown();
        if (count >= least) continue;
        least = count;
        best = order;
        gained = true;
      } while (std::next_permutation(order.begin(), order.end()));
      for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = best[i];
    }
  }
}

std::vector<std::uint32_t> SiteTable::align(const std::vector<LocalSite>& sites) {
  const std::size_t rows = sites.size(), columns = order_.size();
  std::vector<std::vector<std::uint32_t>> longest(rows + 1, std::vector<std::uint32_t>(columns + 1, 0));
  const auto same = [&](std::size_t i, std::size_t j) { return sites[i].operation == known_[order_[j] - 1].operation; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;)
      longest[i][j] = same(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  }
  std::vector<std::uint32_t> numbers, order;
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && same(i, j)) {
      numbers.push_back(order_[j]);
      order.push_back(order_[j]);
      ++i;
      ++j;
    } else if (j == columns || (i < rows && longest[i + 1][j] >= longest[i][j + 1])) {
      numbers.push_back(add(sites[i++]));
      order.push_back(numbers.back());
    } else {
      order.push_back(order_[j++]);
    }
  }
  order_ = std::move(order);
  return numbers;
}

std::vector<Site> SiteTable::sites() const {
  std::vector<Site> sites;
  for (std::size_t i = 0; i < known_.size(); ++i)
    sites.push_back({.id = static_cast<std::uint32_t>(i + 1), .operation = known_[i].operation, .stack = known_[i].stack});
  return sites;
}

}  // namespace orrery::motif::fit
