// HTA's tables and time series of a job, from the engine's analyses.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <functional>
#include <optional>

#include "analyze/hta/copy_rates.h"
#include "analyze/hta/counters.h"
#include "analyze/hta/idle.h"
#include "analyze/hta/kernel_annotations.h"
#include "analyze/hta/kernel_sequences.h"
#include "analyze/hta/launch_stats.h"
#include "analyze/hta/operator_delays.h"
#include "analyze/hta/queue_length.h"
#include "analyze/hta/stragglers.h"
#include "analyze/hta/temporal.h"
#include "analyze/hta/totals.h"
#include "python/failures.h"
#include "python/hta.h"
#include "python/texts.h"
#include "python/view.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;
namespace hta = analyze::hta;
using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;

/// What `ask` finds while Python's other threads go on; raises where HTA has no answer.
template <typename Ask>
auto answer(Ask&& ask) {
  std::optional<decltype(ask())> found;
  work([&] { found = ask(); });
  if (!*found) raise(found->error());
  return std::move(**found);
}

// A dict of lists: the keys of the command line's JSON.
py::dict table(const report::Sheet& sheet) {
  py::dict columns;
  for (std::size_t column = 0; column < sheet.columns().size(); ++column) {
    py::list cells;
    const report::Type type = sheet.columns()[column].type;
    for (std::size_t row = 0; row < sheet.rows(); ++row) {
      if (sheet.is_null(column, row)) cells.append(py::none());
      else if (type == report::Type::text) cells.append(to_python(sheet.text(column, row)));
      else if (type == report::Type::integer) cells.append(sheet.integer(column, row));
      else cells.append(sheet.number(column, row));
    }
    columns[to_python(sheet.columns()[column].key())] = cells;
  }
  return columns;
}

template <typename Ask>
py::dict ask_table(Ask&& ask) {
  return table(answer(std::forward<Ask>(ask)));
}

std::vector<const RankRows*> ranks_at(const HtaJobHandle& handle, const std::vector<std::size_t>& places) {
  std::vector<const RankRows*> ranks;
  ranks.reserve(places.size());
  for (const std::size_t place : places) ranks.push_back(&handle.rank(place));
  return ranks;
}

py::tuple idle(const HtaJobHandle& handle, const std::vector<std::size_t>& places, double kernel_delay_us) {
  const std::vector<const RankRows*> ranks = ranks_at(handle, places);
  const hta::IdleSheets sheets = answer([&] { return hta::idle_sheets(ranks, kernel_delay_us); });
  return py::make_tuple(table(sheets.times), table(sheets.intervals));
}

Result<std::vector<double>> rates_of(const RankRows& rank) {
  return job::read_number_argument(rank.rows, hta::copy_rows(rank), "memory bandwidth (GB/s)", 0);
}

template <typename T>
py::array array_of(const std::vector<T>& values) {
  auto array = fresh<T>(values.size());
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

// By stream, then by time: HTA's index of the row, when, the row on the device (its place in the columns), the stream
// and the length.
py::dict queue_samples(const HtaJobHandle& handle, std::size_t place) {
  const RankRows& rank = handle.rank(place);
  const hta::QueueSeries series = answer([&] { return hta::queue_series(rank); });
  std::vector<std::int64_t> index, ts, device, streams, length;
  for (const auto& [stream, samples] : series) {
    for (const hta::QueueSample& sample : samples) {
      index.push_back(rank.rows.index[sample.row]);
      ts.push_back(job_us(rank, sample.time));
      device.push_back(sample.device);
      streams.push_back(stream);
      length.push_back(sample.length);
    }
  }
  py::dict columns;
  columns["index"] = array_of(index);
  columns["ts"] = array_of(ts);
  columns["device"] = array_of(device);
  columns["stream"] = array_of(streams);
  columns["queue_length"] = array_of(length);
  return columns;
}

// By kind, then by time.
py::dict copy_samples(const HtaJobHandle& handle, std::size_t place) {
  const RankRows& rank = handle.rank(place);
  const std::vector<double> rates = answer([&] { return rates_of(rank); });
  std::vector<std::int64_t> places, ts, rows;
  std::vector<double> gbps;
  py::list names;
  for (const auto& [kind, series] : hta::copy_series(rank, rates)) {
    const py::str name = to_python(kind);
    for (const hta::CopyRate& rate : series) {
      places.push_back(static_cast<std::int64_t>(rate.place));
      ts.push_back(job_us(rank, rate.time));
      rows.push_back(rate.row);
      gbps.push_back(rate.gbps);
      names.append(name);
    }
  }
  py::dict columns;
  columns["place"] = array_of(places);
  columns["ts"] = array_of(ts);
  columns["row"] = array_of(rows);
  columns["name"] = names;
  columns["memory_bw_gbps"] = array_of(gbps);
  return columns;
}

// Rows as their places in the columns.
py::tuple launch_pairs(const HtaJobHandle& handle, std::size_t place, bool with_memory) {
  const RankRows& rank = handle.rank(place);
  std::vector<std::int64_t> call, device;
  std::vector<double> delay;
  for (const hta::LaunchPair& pair : hta::launch_pairs(rank, with_memory)) {
    call.push_back(pair.call);
    device.push_back(pair.device);
    delay.push_back(to_us(pair.delay));
  }
  return py::make_tuple(array_of(call), array_of(device), array_of(delay));
}

py::tuple annotated_rows(const HtaJobHandle& handle, std::size_t place) {
  const RankRows& rank = handle.rank(place);
  std::vector<std::int64_t> device, annotation;
  for (const hta::AnnotatedRow& row : answer([&] { return hta::annotated_device_rows(rank); })) {
    device.push_back(row.device);
    annotation.push_back(row.annotation == causal::hta::kNoRow ? -1 : static_cast<std::int64_t>(row.annotation));
  }
  return py::make_tuple(array_of(device), array_of(annotation));
}

py::list to_list(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(to_python(text));
  return list;
}

// (names of the operator and its kernels, count, time on the device, time on the host, HTA's indices of all rows of all
// occurrences)
py::list sequences(const HtaJobHandle& handle, std::size_t place, const std::string& operator_name,
                   std::size_t min_length) {
  const RankRows& rank = handle.rank(place);
  py::list found;
  for (const hta::KernelSequence& sequence :
       answer([&] { return hta::kernel_sequences(rank, operator_name, min_length); })) {
    py::list pattern = to_list(sequence.kernels);
    pattern.insert(0, to_python(sequence.operator_name));
    std::vector<std::int64_t> indices;
    for (const RowIndex row : sequence.rows) indices.push_back(rank.rows.index[row]);
    found.append(
        py::make_tuple(pattern, sequence.count, to_us(sequence.device), to_us(sequence.host), array_of(indices)));
  }
  return found;
}

// (place of the rank, of the range and of the launch in its columns, operators from the outermost in)
py::list counters(const HtaJobHandle& handle) {
  const JobRows& rows = handle.job->rows;
  const std::vector<hta::CounterRow> counted = answer([&] {
    // The values of counters are columns of the frame already: here only ranges and operators are asked for.
    std::vector<std::vector<hta::RangeArguments>> arguments;
    for (const RankRows& rank : rows) arguments.emplace_back(hta::counted_ranges(rank).size());
    return hta::counter_rows(rows, arguments);
  });
  py::list found;
  for (const hta::CounterRow& row : counted) {
    const auto rank =
        std::find_if(rows.begin(), rows.end(), [&](const RankRows& candidate) { return candidate.number == row.rank; });
    found.append(py::make_tuple(rank - rows.begin(), row.range, row.launch, to_list(row.op_stack)));
  }
  return found;
}

// (place of the rank, operator, kernels, count, launch delay, runtime delay)
py::list operators(const HtaJobHandle& handle, const std::vector<std::size_t>& places) {
  const std::vector<const RankRows*> ranks = ranks_at(handle, places);
  py::list found;
  for (const hta::OperatorDelay& delay : answer([&] { return hta::operator_delays(ranks); })) {
    const auto at =
        std::find_if(ranks.begin(), ranks.end(), [&](const RankRows* rank) { return rank->number == delay.rank; });
    found.append(py::make_tuple(places[static_cast<std::size_t>(at - ranks.begin())], to_python(delay.operator_name),
                                to_list(delay.kernels), delay.count, delay.launch_delay_us, delay.runtime_delay_us));
  }
  return found;
}

}  // namespace

void bind_hta_tables(py::class_<HtaJobHandle>& job) {
  using Handle = HtaJobHandle;
  using Keep = std::optional<std::vector<std::string>>;
  job.def("steps", [](const Handle& handle) { return hta::profiled_steps(handle.job->rows); })
      .def("temporal",
           [](const Handle& handle) { return ask_table([&] { return hta::temporal_sheet(handle.job->rows); }); })
      .def("overlap", [](const Handle& handle) { return table(hta::overlap_sheet(handle.job->rows)); })
      .def("idle", idle)
      .def("types", [](const Handle& handle,
                       bool with_memory) { return table(hta::kernel_types_sheet(handle.job->rows, with_memory)); })
      .def("kernels",
           [](const Handle& handle, bool with_memory, std::size_t top, double ratio) {
             return table(hta::kernel_totals_sheet(handle.job->rows, with_memory, {top, ratio}));
           })
      .def("annotations",
           [](const Handle& handle, const std::string& category, std::size_t top, double ratio, const Keep& keep) {
             return ask_table([&] {
               return hta::annotations_sheet(handle.job->rows, "annotations", category, {top, ratio, keep});
             });
           })
      .def("stragglers",
           [](const Handle& handle, std::size_t candidates, const std::vector<std::int64_t>& steps) {
             return answer([&] { return hta::potential_stragglers(handle.job->rows, candidates, steps); });
           })
      .def("queue_samples", queue_samples)
      .def("copy_samples", copy_samples)
      .def("launch_pairs", launch_pairs)
      .def("annotated_rows", annotated_rows)
      .def("sequences", sequences)
      .def("counters", counters)
      .def("operators", operators);
}

}  // namespace orrery::python
