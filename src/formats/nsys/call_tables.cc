#include <array>

#include "formats/nsys/export.h"

namespace orrery::nsys {
namespace {

using trace::Field;

constexpr std::string_view kRuntimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
enum RuntimeColumn { kCallStart, kCallEnd, kCallClass, kCallThread, kCallCorrelation, kCallName, kCallReturn };
constexpr std::array<std::string_view, 7> kRuntimeColumns = {"start",         "end",    "eventClass", "globalTid",
                                                             "correlationId", "nameId", "returnValue"};

enum OverheadColumn { kOverheadStart, kOverheadEnd, kOverheadThread, kOverheadName };
constexpr std::array<std::string_view, 4> kOverheadColumns = {"start", "end", "globalTid", "nameId"};

void add_call(Export& reading, const SqliteRows& row) {
  if (!row.is_integer(kCallStart) || !row.is_integer(kCallEnd)) return reading.leave_out(kRuntimeTable, row.rows());
  Process& process = reading.process_of_row(row, kCallThread, kRuntimeTable);
  process.uses_cuda = true;
  const StringId name = reading.name_of(row, kCallName, reading.calls, kRuntimeTable);
  const RowKind kind = row.integer(kCallClass, 0) == 1 ? RowKind::driver : RowKind::runtime;
  const trace::LaneIndex lane = process.thread_lane(thread_of(row.integer(kCallThread, 0)));
  if (!process.rows.add(row.integer(kCallStart, 0), row.integer(kCallEnd, 0), name, lane, process.category(kind)))
    return reading.leave_out(kRuntimeTable, row.rows());
  if (row.is_integer(kCallCorrelation)) process.rows.set(Field::correlation, row.integer(kCallCorrelation, 0));
  // Nearly all calls succeed: only what failed is worth a value.
  if (const std::int64_t code = row.integer(kCallReturn, 0); code != 0)
    process.rank.arguments.named("return value", trace::ValueType::integer).push(process.rows.last(), code);
}

void add_overhead(Export& reading, std::string_view table, const SqliteRows& row) {
  if (!row.is_integer(kOverheadStart) || !row.is_integer(kOverheadEnd)) return reading.leave_out(table, row.rows());
  Process& process = reading.process_of_row(row, kOverheadThread, table);
  const StringId name = reading.name_of(row, kOverheadName, reading.names, table);
  const trace::LaneIndex lane = process.thread_lane(thread_of(row.integer(kOverheadThread, 0)));
  if (!process.rows.add(row.integer(kOverheadStart, 0), row.integer(kOverheadEnd, 0), name, lane,
                        process.category(RowKind::overhead)))
    reading.leave_out(table, row.rows());
}

}  // namespace

Status read_calls(Export& reading) {
  Status read = reading.walk(kRuntimeTable, kRuntimeColumns, [&](const SqliteRows& row) { add_call(reading, row); });
  for (const std::string_view table : {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
    if (!read) return read;
    read = reading.walk(table, kOverheadColumns, [&](const SqliteRows& row) { add_overhead(reading, table, row); });
  }
  return read;
}

}  // namespace orrery::nsys
