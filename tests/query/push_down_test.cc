// Whatever of a WHERE is decided on the columns, the answer is that of a table without any such thing: a plain copy, in
// a database of its own.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sqlite3.h>

#include <memory>
#include <stdexcept>

#include "query/database.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;

template <typename T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// Two or three ranks with few names, values and moments, so that conditions meet.
trace::Trace random_trace() {
  trace::Trace job;
  const auto ranks = *rc::gen::inRange(1, 4);
  for (int r = 0; r < ranks; ++r) {
    trace::RankTrace& rank = job.ranks.emplace_back();
    rank.rank = 2 * r;
    rank.lanes.resize(3);
    for (const char* category : {"kernel", "cpu_op", "", "5"})
      rank.categories.push_back({job.strings.intern(category), one_of({trace::Activity::kernel, trace::Activity::other,
                                                                       trace::Activity::runtime_call})});
    const auto events = *rc::gen::inRange(0, 30);
    for (int e = 0; e < events; ++e) {
      trace::EventRow row;
      row.start = *rc::gen::inRange(-5, 6);
      row.duration = *rc::gen::inRange(0, 4);
      row.name = job.strings.intern(one_of<const char*>({"a", "A", "b", "5", "05", "5.0", "", "a ", "ProfilerStep#7"}));
      row.lane = static_cast<trace::LaneIndex>(*rc::gen::inRange(0, 3));
      row.category = static_cast<std::uint16_t>(*rc::gen::inRange(0, 4));
      if (*rc::gen::inRange(0, 4) == 0) row.flags = trace::kHasDuration;
      const trace::EventIndex event =
          rank.append_event(row, {static_cast<std::uint32_t>(e), static_cast<std::uint64_t>(e)});
      for (const trace::Field field : {trace::Field::correlation, trace::Field::stream}) {
        if (*rc::gen::inRange(0, 2) == 0) rank.field(field).push(event, *rc::gen::inRange(-1, 4));
      }
      if (*rc::gen::inRange(0, 3) == 0)
        rank.field(trace::Field::dtype_text).push(event, job.strings.intern(one_of<const char*>({"a", "5", "float"})));
    }
  }
  return job;
}

std::string random_value() {
  return one_of<const char*>({"0",
                              "1",
                              "2",
                              "3",
                              "-1",
                              "5",
                              "2.0",
                              "2.5",
                              "-0.5",
                              "NULL",
                              "'1'",
                              "'a'",
                              "'A'",
                              "'b'",
                              "'5'",
                              "'05'",
                              "5.0",
                              "''",
                              "'float'",
                              "'kernel'",
                              "'runtime call'",
                              "'other'",
                              "'cpu_op'",
                              "9223372036854775807",
                              "-9223372036854775808",
                              "1e300",
                              "-1e300",
                              "x'61'",
                              "CAST('5' AS INTEGER)",
                              "CAST(1 AS TEXT)",
                              "1 + 1"});
}

std::string random_condition(const std::string& table) {
  const std::string column =
      table + one_of<const char*>({"id", "rank", "lane", "name", "category", "activity", "start_ps", "correlation",
                                   "stream", "dtype", "dur_ps", "depth", "step", "track"});
  switch (*rc::gen::inRange(0, 7)) {
    case 0: return column + " IN (" + random_value() + ", " + random_value() + ")";
    case 1: return column + " IS " + random_value();
    case 2: return column + " BETWEEN " + random_value() + " AND " + random_value();
    case 3: return column + " COLLATE NOCASE = " + random_value();
    default: return column + one_of<const char*>({" = ", " < ", " > ", " <= ", " >= ", " = ", " = "}) + random_value();
  }
}

std::string random_where(const std::string& table) {
  std::string text = random_condition(table);
  const auto more = *rc::gen::inRange(0, 4);
  for (int i = 0; i < more; ++i) text += one_of<const char*>({" AND ", " AND ", " OR "}) + random_condition(table);
  return text;
}

std::string random_question() {
  switch (*rc::gen::inRange(0, 7)) {
    case 5:
      return "SELECT l.rank, l.lane, count(*) FROM lanes l JOIN events e ON e.track = l.track WHERE l." +
             one_of<std::string>({"rank", "lane", "track", "stream"}) + " = " + random_value() +
             " GROUP BY 1, 2 ORDER BY 1, 2";
    case 6:
      return "SELECT s.rank, s.step, count(e.id) FROM steps s LEFT JOIN events e ON e.rank = s.rank AND e.step = "
             "s.step GROUP BY 1, 2 "
             "ORDER BY 1, 2";
    case 0: return "SELECT name, count(*), sum(dur_ps) FROM events WHERE " + random_where("") + " GROUP BY name";
    case 1:
      return "SELECT " + one_of<std::string>({"category", "activity", "name", "rank", "start_ps"}) +
             " AS k, count(*) FROM events GROUP BY k ORDER BY k";
    case 2:
      return "SELECT a.id, b.id FROM events a JOIN events b ON " +
             one_of<std::string>(
                 {"a.correlation = b.correlation", "a.name = b.name", "a.id = b.parent",
                  "b.start_ps BETWEEN a.start_ps AND a.end_ps", "a.dtype = b.name",
                  "a.stream = b.lane AND a.rank = b.rank", "a.step = b.step AND a.rank = b.rank",
                  "b.start_ps >= a.start_ps AND b.start_ps < a.end_ps AND b.rank = a.rank AND b.lane = a.lane",
                  "b.start_ps >= a.start_ps AND b.rank = a.rank"}) +
             " WHERE " + random_where("a.") + " ORDER BY a.id, b.id";
    case 3: {
      const std::string by = one_of<std::string>({"start_ps", "name", "id", "rank", "category"});
      return "SELECT " + by + " FROM events WHERE " + random_where("") + " ORDER BY " + by +
             one_of<const char*>({"", " DESC"});
    }
    default:
      return "SELECT id, name, correlation, dtype, start_ps FROM events WHERE " + random_where("") + " ORDER BY id";
  }
}

std::string text_of_plain(sqlite3* file, const std::string& sql) {
  std::string text;
  const auto collect = [](void* into, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(into) += std::string(values[i] == nullptr ? "NULL" : values[i]) + "|";
    *static_cast<std::string*>(into) += "\n";
    return 0;
  };
  char* message = nullptr;
  if (::sqlite3_exec(file, sql.c_str(), collect, &text, &message) != SQLITE_OK)
    throw std::runtime_error(std::string(message) + " in " + sql);
  return text;
}

std::string text_of_ours(query::Database& database, const std::string& sql) {
  const Result<query::Answer> answer = database.ask(sql);
  if (!answer) throw std::runtime_error(answer.error().to_string() + " in " + sql);
  std::string text;
  for (std::size_t row = 0; row < answer->rows(); ++row) {
    for (std::size_t c = 0; c < answer->columns().size(); ++c) {
      const query::Value& value = answer->at(row, c);
      if (const auto* integer = std::get_if<std::int64_t>(&value)) text += std::to_string(*integer);
      else if (const auto* words = std::get_if<std::string_view>(&value)) text += *words;
      else text += "NULL";
      text += "|";
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("pushed down or not, the answer is the same") {
  const testing::TempDir dir;
  const std::string path = dir.path("plain.sqlite");
  CHECK(rc::check([&] {
    const trace::Trace trace = random_trace();
    Diagnostics remarks;
    Result<query::Database> database = query::Database::open({.trace = trace, .remarks = remarks});
    RC_ASSERT(database.ok());
    RC_ASSERT(database->write(path).ok());
    sqlite3* opened = nullptr;
    RC_ASSERT(::sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> file(opened, ::sqlite3_close);
    for (int i = 0; i < 8; ++i) {
      const std::string sql = random_question();
      const std::string ours = text_of_ours(*database, sql), plain = text_of_plain(file.get(), sql);
      if (ours != plain) RC_LOG() << sql << "\nours\n" << ours << "plain\n" << plain;
      RC_ASSERT(ours == plain);
    }
  }));
}

}  // namespace
