#include "query/functions.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace orrery::query {
namespace {

using Intervals = std::vector<std::pair<TimePs, TimePs>>;

/// Of this group; null if there is no memory. SQLite gives zeroed memory for a pointer, which we fill at the first row.
Intervals** intervals_of(sqlite3_context* context, bool make) {
  auto** const place =
      static_cast<Intervals**>(::sqlite3_aggregate_context(context, make ? static_cast<int>(sizeof(Intervals*)) : 0));
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
  if (sum > static_cast<std::uint64_t>(INT64_MAX))
    return ::sqlite3_result_error(context, "union_ps: the sum is beyond all numbers", -1);
  ::sqlite3_result_int64(context, static_cast<std::int64_t>(sum));
}

std::string_view text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(::sqlite3_value_text(value));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(::sqlite3_value_bytes(value)));
}

/// regexp(pattern, text), which is how SQLite asks for `text REGEXP pattern`. The pattern of a question is compiled
/// once.
void find_pattern(sqlite3_context* context, int, sqlite3_value** values) {
  if (::sqlite3_value_type(values[0]) == SQLITE_NULL || ::sqlite3_value_type(values[1]) == SQLITE_NULL)
    return ::sqlite3_result_null(context);
  try {
    const auto* expression = static_cast<const RE2*>(::sqlite3_get_auxdata(context, 0));
    std::unique_ptr<RE2> made;
    if (expression == nullptr) {
      const std::string_view pattern = text_of(values[0]);
      made = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), RE2::Quiet);
      if (!made->ok()) return ::sqlite3_result_error(context, ("REGEXP: " + made->error()).c_str(), -1);
      expression = made.get();
    }
    const std::string_view text = text_of(values[1]);
    ::sqlite3_result_int(context, RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression) ? 1 : 0);
    // Last: SQLite may drop what it is given at once.
    if (made) ::sqlite3_set_auxdata(context, 0, made.release(), [](void* old) { delete static_cast<RE2*>(old); });
  } catch (const std::bad_alloc&) {
    ::sqlite3_result_error_nomem(context);  // no exception may pass through SQLite
  }
}

}  // namespace

Status add_functions(sqlite3* connection) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const bool is_taken = ::sqlite3_create_function_v2(connection, "union_ps", 2, kFlags, nullptr, nullptr, add_interval,
                                                     sum_union, nullptr) == SQLITE_OK &&
                        ::sqlite3_create_function_v2(connection, "regexp", 2, kFlags, nullptr, find_pattern, nullptr,
                                                     nullptr, nullptr) == SQLITE_OK;
  if (is_taken) return {};
  return Error{std::string("SQLite does not take our functions: ") + ::sqlite3_errmsg(connection)};
}

}  // namespace orrery::query
