#include "query/functions.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/units.h"

namespace orrery::query {
namespace {

using Intervals = std::vector<std::pair<TimePs, TimePs>>;

/// Of this group; null if there is no memory. SQLite gives zeroed memory for a pointer, which we fill at the first row.
Intervals** intervals_of(sqlite3_context* context, bool make) {
  auto** const place = static_cast<Intervals**>(::sqlite3_aggregate_context(context, make ? static_cast<int>(sizeof(Intervals*)) : 0));
  if (place != nullptr && *place == nullptr && make) *place = new (std::nothrow) Intervals;
  return place;
}

void add_interval(sqlite3_context* context, int, sqlite3_value** values) {
  Intervals** const place = intervals_of(context, true);
  if (place == nullptr || *place == nullptr) return ::sqlite3_result_error_nomem(context);
  if (::sqlite3_value_type(values[0]) == SQLITE_NULL || ::sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  const TimePs start = ::sqlite3_value_int64(values[0]), length = ::sqlite3_value_int64(values[1]);
  TimePs end = 0;
  if (length <= 0) return;
  if (__builtin_add_overflow(start, length, &end))
    return ::sqlite3_result_error(context, "union_ps: an interval ends beyond all numbers", -1);
  try {
    (*place)->emplace_back(start, end);
  } catch (const std::bad_alloc&) {
    ::sqlite3_result_error_nomem(context);  // no exception may pass through SQLite
  }
}

void sum_union(sqlite3_context* context) {
  Intervals** const place = intervals_of(context, false);
  if (place == nullptr || *place == nullptr) return ::sqlite3_result_int64(context, 0);
  Intervals& intervals = **place;
  std::sort(intervals.begin(), intervals.end());
  // As unsigned: two intervals may be further apart than the largest signed number.
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < intervals.size();) {
    const TimePs begin = intervals[i].first;
    TimePs end = intervals[i].second;
    for (; i < intervals.size() && intervals[i].first <= end; ++i) end = std::max(end, intervals[i].second);
    sum += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  }
  delete *place;
  *place = nullptr;
  if (sum > static_cast<std::uint64_t>(INT64_MAX)) return ::sqlite3_result_error(context, "union_ps: the sum is beyond all numbers", -1);
  ::sqlite3_result_int64(context, static_cast<std::int64_t>(sum));
}

}  // namespace

Status add_union_ps(sqlite3* connection) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  if (::sqlite3_create_function_v2(connection, "union_ps", 2, kFlags, nullptr, nullptr, add_interval, sum_union, nullptr) == SQLITE_OK)
    return {};
  return Error{std::string("SQLite does not take union_ps: ") + ::sqlite3_errmsg(connection)};
}

}  // namespace orrery::query
