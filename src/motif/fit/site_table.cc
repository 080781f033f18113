#include "motif/fit/site_table.h"

#include <algorithm>

namespace orrery::motif::fit {

std::uint32_t SiteTable::add(const LocalSite& site) {
  known_.push_back(site);
  return static_cast<std::uint32_t>(known_.size());
}

std::vector<std::uint32_t> SiteTable::place(const std::vector<LocalSite>& sites) {
  const bool have_stacks = std::none_of(sites.begin(), sites.end(), [](const LocalSite& site) { return site.stack.empty(); });
  if (!have_stacks) return align(sites);
  std::vector<std::uint32_t> numbers;
  for (const LocalSite& site : sites) {
    const auto [found, is_new] = by_stack_.emplace(site.operation + "\n" + site.stack, 0);
    if (is_new) found->second = add(site);
    numbers.push_back(found->second);
  }
  return numbers;
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
