// Questions from Python: keywords become a request, its answer becomes dicts and lists; no text in between.
#include <pybind11/stl.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/frame/command_line.h"
#include "cli/frame/run.h"
#include "cli/frame/verbs.h"
#include "python/bindings.h"
#include "python/failures.h"
#include "python/texts.h"
#include "python/trace.h"
#include "python/working.h"
#include "report/answer.h"

namespace orrery::python {
namespace {

namespace py = pybind11;
using report::Sheet;
using report::Type;

// What is not a number is None, as it is null in JSON.
py::object number(double value) { return std::isfinite(value) ? py::object(py::float_(value)) : py::none(); }

// "0, 1, 2"
py::list integers(std::string_view text) {
  py::list list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    list.append(py::int_(py::str(std::string(text.substr(at, comma - at)))));
    at = comma + 1;
  }
  return list;
}

py::object cell(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return py::none();
  const report::SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text: return to_python(sheet.text(column, row));
    case Type::json: return py::module_::import("json").attr("loads")(py::str(sheet.text(column, row)));
    case Type::integers: return integers(sheet.text(column, row));
    case Type::integer: return py::int_(sheet.integer(column, row));
    case Type::flag: return py::bool_(sheet.integer(column, row) != 0);
    case Type::real: return number(sheet.number(column, row));
    case Type::time: {
      // Other tools count in whole nanoseconds, and are compared digit by digit.
      const TimePs ps = sheet.integer(column, row);
      if (about.unit == report::Unit::ns && ps % kPsPerNs == 0) return py::int_(ps / kPsPerNs);
      return number(about.unit == report::Unit::ns ? static_cast<double>(ps) / static_cast<double>(kPsPerNs)
                                                   : sheet.number(column, row));
    }
  }
  return py::none();
}

/// Reads Facts into Python's objects.
class FactsToPython {
 public:
  explicit FactsToPython(py::dict data) { open_.push_back({std::move(data), {}}); }

  void begin_object() { open(py::dict()); }
  void end_object() { open_.pop_back(); }
  void begin_array() { open(py::list()); }
  void end_array() { open_.pop_back(); }
  void key(std::string_view name) { open_.back().key = to_python(name); }
  void value(std::string_view text) { put(to_python(text)); }
  void value(bool flag) { put(py::bool_(flag)); }
  void value(double real) { put(number(real)); }
  void value(std::int64_t integer) { put(py::int_(integer)); }
  void value(std::uint64_t natural) { put(py::int_(natural)); }
  void null() { put(py::none()); }
  void raw(std::string_view json) { put(py::module_::import("json").attr("loads")(to_python(json))); }
  void rows(const Sheet& sheet) {
    const std::vector<py::str> keys = keys_of(sheet);
    py::list list;
    for (std::size_t row = 0; row < sheet.rows(); ++row) list.append(row_of(sheet, row, keys));
    put(list);
  }
  void row(const Sheet& sheet, std::size_t row) { put(row_of(sheet, row, keys_of(sheet))); }
  void members(const Sheet& sheet, std::size_t row) {
    const std::vector<py::str> keys = keys_of(sheet);
    for (std::size_t c = 0; c < keys.size(); ++c) {
      if (!sheet.columns()[c].people_only) open_.back().object[keys[c]] = cell(sheet, c, row);
    }
  }

 private:
  struct Open {
    py::object object;
    py::object key;
  };

  static std::vector<py::str> keys_of(const Sheet& sheet) {
    std::vector<py::str> keys;
    for (const report::SheetColumn& column : sheet.columns()) keys.push_back(to_python(column.key()));
    return keys;
  }
  static py::dict row_of(const Sheet& sheet, std::size_t row, const std::vector<py::str>& keys) {
    py::dict object;
    for (std::size_t c = 0; c < keys.size(); ++c) {
      if (!sheet.columns()[c].people_only) object[keys[c]] = cell(sheet, c, row);
    }
    return object;
  }
  void put(const py::object& value) {
    Open& at = open_.back();
    if (py::isinstance<py::list>(at.object)) at.object.cast<py::list>().append(value);
    else at.object[at.key] = value;
  }
  void open(py::object object) {
    put(object);
    open_.push_back({std::move(object), {}});
  }

  std::vector<Open> open_;
};

py::dict facts_of(const report::Answer& answer) {
  py::dict data;
  answer.facts().read(FactsToPython(data));
  return data;
}

py::dict described(const ask::Provenance& provenance) {
  py::dict all;
  py::list inputs;
  for (const ask::InputRecord& input : provenance.inputs) {
    py::dict one;
    one["path"] = to_python(input.path);
    one["bytes"] = input.bytes;
    one["xxh3"] = ask::hash_text(input.xxh3);
    inputs.append(one);
  }
  all["version"] = ask::version();
  all["command"] = to_python(provenance.command);
  all["inputs"] = inputs;
  all["seed"] = provenance.seed ? py::object(py::int_(*provenance.seed)) : py::none();
  return all;
}

py::object failure_of(const cli::Hosting& hosting) {
  return hosting.failure ? py::object(describe(*hosting.failure)) : py::object(py::none());
}

cli::Hosting hosting_of(const std::vector<TraceHandle>& opened, const std::map<std::string, std::int64_t>& ranks) {
  cli::Hosting hosting{.ranks = ranks};
  for (const TraceHandle& trace : opened) hosting.opened.push_back(trace.opened);
  return hosting;
}

// (exit status, what the envelope of --json has, what went wrong or None).
py::tuple ask(const std::string& verb, const std::vector<std::string>& operands,
              const std::map<std::string, std::vector<std::string>>& flags, const std::vector<TraceHandle>& opened,
              const std::map<std::string, std::int64_t>& ranks) {
  const cli::Console silent{.write_out = [](std::string_view) { return 0; }, .write_err = [](std::string_view) {}};
  cli::Hosting hosting = hosting_of(opened, ranks);
  hosting.takes_answer = true;
  cli::ExitCode code = cli::ExitCode::internal;
  work([&] {
    cli::CommandLine line = cli::make_command_line(verb, flags, operands, cli::verbs());
    line.flags["json"] = {""};  // the answer is for a program
    code = cli::run(std::move(line), silent, cli::verbs(), &hosting);
  });
  py::dict envelope;
  if (hosting.answer) {
    envelope["schema"] = "orrery." + verb + "/1";
    envelope["ok"] = hosting.answer->holds();
    envelope["data"] = facts_of(*hosting.answer);
    envelope["diagnostics"] = describe(hosting.remarks);
    envelope["provenance"] = described(hosting.provenance);
  }
  return py::make_tuple(static_cast<int>(code), envelope, failure_of(hosting));
}

// A whole command line: (exit status, what was printed, what went wrong or None). Nothing reaches the streams of the
// process.
py::tuple run(const std::vector<std::string>& arguments, const std::vector<TraceHandle>& opened,
              const std::map<std::string, std::int64_t>& ranks) {
  std::string printed;
  const cli::Console console{.write_out =
                                 [&](std::string_view text) {
                                   printed += text;
                                   return 0;
                                 },
                             .write_err = [](std::string_view) {}};
  cli::Hosting hosting = hosting_of(opened, ranks);
  cli::ExitCode code = cli::ExitCode::internal;
  work([&] { code = cli::run(arguments, console, cli::verbs(), &hosting); });
  return py::make_tuple(static_cast<int>(code), to_python(printed), failure_of(hosting));
}

// Flags by verb: what the package checks keywords against.
py::dict flags() {
  py::dict all;
  for (const cli::Verb* verb : cli::with_sub_verbs(cli::verbs())) {
    py::dict of_verb;
    for (const cli::Flag& flag : verb->flags) of_verb[to_python(flag.name)] = flag.takes_value();
    all[to_python(verb->name)] = of_verb;
  }
  return all;
}

}  // namespace

void bind_verbs(py::module_& module) {
  module.def("ask", ask, py::arg("verb"), py::arg("operands"), py::arg("flags"), py::arg("opened"), py::arg("ranks"));
  module.def("run", run, py::arg("arguments"), py::arg("opened"), py::arg("ranks"));
  module.def("flags", flags);
}

}  // namespace orrery::python
