// HTA's data frame of a rank, as columns.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "causal/hta/step_numbers.h"
#include "job/read/hta_input.h"
#include "python/failures.h"
#include "python/hta.h"
#include "python/texts.h"
#include "python/view.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

template <typename T, typename ValueOf>
py::array filled(std::size_t size, ValueOf&& value_of) {
  auto array = fresh<T>(size);
  T* const out = array.mutable_data();
  for (std::size_t i = 0; i < size; ++i) out[i] = value_of(static_cast<RowIndex>(i));
  return array;
}

py::array copied(const Column<std::int64_t>& values) {
  return filled<std::int64_t>(values.size(), [&](RowIndex r) { return values[r]; });
}

// Of all rows in the order of the file, those that the step filter dropped included; `frame` says which are left, in
// HTA's order.
py::dict hta_columns(const HtaJobHandle& handle, std::size_t place) {
  const RankRows& rank = handle.rank(place);
  const Rows& rows = rank.rows;
  const std::vector<std::uint32_t>& symbol_of = handle.job->symbol_of[place];
  const std::size_t n = rows.size();
  py::dict all;
  all["index"] = filled<std::int64_t>(n, [&](RowIndex r) { return rows.index[r]; });
  all["cat"] = filled<std::int64_t>(n, [&](RowIndex r) { return symbol_of[rows.category(r)]; });
  all["name"] = filled<std::int64_t>(n, [&](RowIndex r) { return symbol_of[rows.name(r)]; });
  all["lane"] = filled<std::int64_t>(n, [&](RowIndex r) { return rows.rank->lane[rows.event[r]]; });
  all["ts"] = filled<std::int64_t>(n, [&](RowIndex r) { return job_us(rank, rows.ts[r]); });
  all["dur"] = filled<double>(n, [&](RowIndex r) { return to_us(rows.dur[r]); });
  all["stream"] = copied(rows.stream);
  all["correlation"] = copied(rows.correlation);
  all["index_correlation"] = copied(rows.partner);
  all["wait_on_stream"] = copied(rows.wait_stream);
  all["wait_on_cuda_event_record_corr_id"] = copied(rows.wait_record);
  all["iteration"] = copied(causal::hta::number_steps(rows));
  all["frame"] = filled<std::int64_t>(rows.frame.size(), [&](RowIndex i) { return rows.frame[i]; });
  return all;
}

// (pid, tid) of every lane, as the file writes them.
py::list hta_lanes(const HtaJobHandle& handle, std::size_t place) {
  const Rows& rows = handle.rank(place).rows;
  const auto key = [&](trace::LaneKey of) -> py::object {
    if (of.text != 0) return to_python(rows.trace->strings.text(of.text));
    return py::int_(of.number);
  };
  py::list pairs;
  for (const trace::Lane& lane : rows.rank->lanes) pairs.append(py::make_tuple(key(lane.process), key(lane.thread)));
  return pairs;
}

// What the file says of itself where HTA's data types depend on it, and where its clock stood at time 0 of the job.
py::dict hta_about(const HtaJobHandle& handle, std::size_t place) {
  const RankRows& rank = handle.rank(place);
  py::dict said;
  said["path"] = to_python(rank.rows.rank->source.path);
  said["fractional"] =
      rank.rows.rank->source.fractional_timestamps || rank.rows.rank->source.events_without_timestamp > 0;
  const trace::RankTrace& trace = *rank.rows.rank;
  const auto lasts = [](std::uint8_t flags) { return (flags & trace::kHasDuration) != 0; };
  said["every_event_lasts"] = trace.source.entries == trace.event_count() && std::ranges::all_of(trace.flags, lasts);
  said["zero_us"] = static_cast<std::int64_t>(rank.rows.first_start_ps / kPsPerUs) - rank.job_offset / kPsPerUs;
  return said;
}

/// One argument of all rows: the distinct values as JSON, and which of them each row has, -1 for none.
struct ArgumentColumn {
  std::vector<std::string> values;
  std::vector<std::int32_t> codes;
  std::unordered_map<std::string, std::int32_t> code_of = {};

  void put(std::size_t row, std::string_view value) {
    const auto [at, is_new] = code_of.try_emplace(std::string(value), static_cast<std::int32_t>(values.size()));
    if (is_new) values.emplace_back(value);
    codes[row] = at->second;
  }
};

Status read_argument_columns(const Rows& rows, std::map<std::string, ArgumentColumn, std::less<>>& wanted) {
  std::vector<trace::EventIndex> events(rows.event.begin(), rows.event.end());
  return job::visit_arguments(*rows.rank, events, [&](std::size_t i, const std::vector<JsonMember>& members) {
    for (const JsonMember& member : members) {
      if (const auto column = wanted.find(member.key); column != wanted.end()) column->second.put(i, member.value);
    }
  });
}

py::dict hta_arguments(const HtaJobHandle& handle, std::size_t place, const std::vector<std::string>& names) {
  const Rows& rows = handle.rank(place).rows;
  std::map<std::string, ArgumentColumn, std::less<>> wanted;
  for (const std::string& name : names) wanted[name].codes.assign(rows.size(), -1);
  Status read;
  work([&] { read = read_argument_columns(rows, wanted); });
  if (!read) raise(read.error());
  py::dict found;
  for (const auto& [name, column] : wanted) {
    py::list values;
    for (const std::string& value : column.values) values.append(to_python(value));
    found[to_python(name)] = py::make_tuple(
        values, filled<std::int32_t>(column.codes.size(), [&codes = column.codes](RowIndex r) { return codes[r]; }));
  }
  return found;
}

// What the rows of a category have among their arguments.
std::set<std::string> hta_argument_names(const HtaJobHandle& handle, std::size_t place, const std::string& category) {
  const Rows& rows = handle.rank(place).rows;
  std::vector<trace::EventIndex> events;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (rows.category_text(r) == category) events.push_back(rows.event[r]);
  }
  std::set<std::string> names;
  Status read;
  work([&] {
    read = job::visit_arguments(*rows.rank, events, [&](std::size_t, const std::vector<JsonMember>& members) {
      for (const JsonMember& member : members) names.emplace(member.key);
    });
  });
  if (!read) raise(read.error());
  return names;
}

}  // namespace

void bind_hta_columns(py::class_<HtaJobHandle>& job) {
  job.def("columns", hta_columns)
      .def("lanes", hta_lanes)
      .def("about", hta_about)
      .def("arguments", hta_arguments)
      .def("argument_names", hta_argument_names);
}

}  // namespace orrery::python
