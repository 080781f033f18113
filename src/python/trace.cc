#include "python/trace.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "base/io/shrinking_input.h"
#include "base/parallel.h"
#include "causal/step_window.h"
#include "cli/frame/console.h"
#include "cli/frame/message.h"
#include "python/bindings.h"
#include "python/failures.h"
#include "python/texts.h"
#include "python/view.h"
#include "python/working.h"
#include "trace/columns.h"
#include "trace/content_order.h"

namespace orrery::python {
namespace {

namespace py = pybind11;

TraceHandle open(const std::vector<std::string>& named, bool salvage, std::size_t threads) {
  std::optional<Result<std::shared_ptr<const ask::OpenedTrace>>> opened;
  work([&] {
    const EndsWhenInputShrinks guard([](const Error& error) {
      cli::system_console().write_err(cli::format_failure(cli::Failure::from(error), report::Style(false)));
      return static_cast<int>(cli::ExitCode::bad_input);
    });
    set_thread_count(threads);
    opened = ask::open_trace(named, salvage);
  });
  if (!*opened) raise(opened->error());
  return {std::move(**opened)};
}

py::str name(const TraceHandle& trace, std::size_t id) {
  if (id >= trace.job().strings.size()) throw py::index_error("there is no such name");
  return to_python(trace.job().strings.text(static_cast<StringId>(id)));
}

std::vector<RankHandle> ranks(const TraceHandle& trace) {
  std::vector<RankHandle> handles;
  for (std::size_t place = 0; place < trace.job().ranks.size(); ++place) handles.push_back({trace.opened, place});
  return handles;
}

template <typename T>
auto event_column(Column<T> trace::RankTrace::*column) {
  return [column](const RankHandle& handle) {
    const Column<T>& values = handle.rank().*column;
    return view(std::span<const T>(values.data(), values.size()), handle.opened);
  };
}

// By our name, or as the format writes it.
const trace::SparseColumn& find_field(const RankHandle& handle, std::string_view name) {
  const trace::SparseColumn* found = nullptr;
  trace::ArgumentTable::for_each(handle.rank().arguments, [&](std::string_view ours, std::string_view written,
                                                              trace::ValueType, const trace::SparseColumn& column) {
    if (found == nullptr && (ours == name || written == name)) found = &column;
  });
  if (found == nullptr) throw py::key_error(std::string(name));
  return *found;
}

py::tuple field(const RankHandle& handle, const std::string& name) {
  const trace::SparseColumn& column = find_field(handle, name);
  return py::make_tuple(
      view(std::span<const trace::EventIndex>(column.event.data(), column.event.size()), handle.opened),
      view(std::span<const std::int64_t>(column.value.data(), column.value.size()), handle.opened));
}

py::array dense(const RankHandle& handle, const std::string& name, std::int64_t missing) {
  const trace::SparseColumn& column = find_field(handle, name);
  auto values = fresh<std::int64_t>(handle.rank().event_count());
  std::int64_t* const out = values.mutable_data();
  std::fill_n(out, handle.rank().event_count(), missing);
  for (std::size_t i = 0; i < column.event.size(); ++i) out[column.event[i]] = column.value[i];
  return values;
}

// Those that some event has, with whether their values are numbers of names.
py::dict fields(const RankHandle& handle) {
  py::dict known;
  trace::ArgumentTable::for_each(
      handle.rank().arguments,
      [&](std::string_view ours, std::string_view, trace::ValueType type, const trace::SparseColumn& column) {
        if (!column.event.empty()) known[to_python(ours)] = type == trace::ValueType::text;
      });
  return known;
}

py::object lane_key(const trace::Trace& job, trace::LaneKey key) {
  if (key.text != 0) return to_python(job.strings.text(key.text));
  return py::int_(key.number);
}

py::list lanes(const RankHandle& handle) {
  py::list rows;
  const trace::Trace& job = handle.job();
  for (const trace::Lane& lane : handle.rank().lanes) {
    rows.append(py::make_tuple(lane_key(job, lane.process), lane_key(job, lane.thread),
                               to_python(job.strings.text(lane.process_name)),
                               to_python(job.strings.text(lane.thread_name)), lane.clock));
  }
  return rows;
}

py::list categories(const RankHandle& handle) {
  py::list rows;
  for (const trace::Category& category : handle.rank().categories)
    rows.append(
        py::make_tuple(to_python(handle.job().strings.text(category.text)), trace::to_string(category.activity)));
  return rows;
}

std::vector<trace::EventIndex> steps(const RankHandle& handle) {
  std::vector<trace::EventIndex> found;
  work([&] {
    found = causal::find_steps(handle.job(), handle.rank(), trace::ContentOrder(handle.job(), handle.rank()));
  });
  return found;
}

py::dict source(const RankHandle& handle) {
  const trace::SourceInfo& info = handle.rank().source;
  py::dict described, properties;
  described["path"] = to_python(info.path);
  described["format"] = to_python(info.format);
  described["file_bytes"] = info.file_bytes;
  described["text_bytes"] = info.text_bytes;
  described["world_size"] = info.world_size;
  described["host"] = to_python(info.host);
  described["backend"] = to_python(info.backend);
  py::list devices;
  for (const trace::Device& device : info.devices)
    devices.append(py::make_tuple(device.id, to_python(device.name), device.memory_bytes));
  described["devices"] = devices;
  for (const auto& [key, value] : info.properties) properties[to_python(key)] = to_python(value);
  described["properties"] = properties;
  return described;
}

void bind_rank(py::module_& module) {
  using trace::RankTrace;
  py::class_<RankHandle> rank(module, "Rank");
  rank.def_property_readonly("rank", [](const RankHandle& handle) { return handle.rank().rank; })
      .def_property_readonly("events", [](const RankHandle& handle) { return handle.rank().event_count(); })
      .def_property_readonly("memory_bytes", [](const RankHandle& handle) { return handle.rank().memory_bytes(); })
      .def_property_readonly("start_ps", event_column(&RankTrace::start))
      .def_property_readonly("duration_ps", event_column(&RankTrace::duration))
      .def_property_readonly("name_id", event_column(&RankTrace::name))
      .def_property_readonly("lane", event_column(&RankTrace::lane))
      .def_property_readonly("category", event_column(&RankTrace::category))
      .def_property_readonly("ordinal", event_column(&RankTrace::ordinal))
      .def_property_readonly("source_offset", event_column(&RankTrace::source_offset))
      .def_property_readonly("fields", fields)
      .def_property_readonly("lanes", lanes)
      .def_property_readonly("categories", categories)
      .def_property_readonly("steps", steps)
      .def_property_readonly("source", source)
      .def("field", field)
      .def("dense", dense);
}

}  // namespace

void bind_trace(py::module_& module) {
  py::class_<TraceHandle>(module, "Trace")
      .def_property_readonly("epoch_unix_ns", [](const TraceHandle& trace) { return trace.job().epoch_unix_ns; })
      .def_property_readonly("diagnostics",
                             [](const TraceHandle& trace) { return describe(trace.opened->diagnostics); })
      .def_property_readonly("named", [](const TraceHandle& trace) { return trace.opened->named; })
      .def_property_readonly("operand", [](const TraceHandle& trace) { return trace.opened->operand; })
      .def_property_readonly("salvage", [](const TraceHandle& trace) { return trace.opened->salvage; })
      .def_property_readonly("names", [](const TraceHandle& trace) { return trace.job().strings.size(); })
      .def_property_readonly("ranks", ranks)
      .def("name", name);
  bind_rank(module);
  module.def("open", open, py::arg("named"), py::arg("salvage"), py::arg("threads"));
}

}  // namespace orrery::python
