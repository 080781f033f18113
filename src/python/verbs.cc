// Every verb of the program, run within Python.
#include <pybind11/stl.h>

#include "cli/frame/run.h"
#include "cli/frame/verbs.h"
#include "python/bindings.h"
#include "python/failures.h"
#include "python/texts.h"
#include "python/trace.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;

// (exit status, what was printed, what went wrong or None). Nothing reaches the streams of the process.
py::tuple run(const std::vector<std::string>& arguments, const std::vector<TraceHandle>& opened,
              const std::map<std::string, std::int64_t>& ranks) {
  std::string printed;
  cli::Console console{.write_out =
                           [&](std::string_view text) {
                             printed += text;
                             return 0;
                           },
                       .write_err = [](std::string_view) {}};
  cli::Hosting hosting{.ranks = ranks};
  for (const TraceHandle& trace : opened) hosting.opened.push_back(trace.opened);
  cli::ExitCode code = cli::ExitCode::internal;
  work([&] { code = cli::run(arguments, console, cli::verbs(), &hosting); });
  return py::make_tuple(static_cast<int>(code), to_python(printed),
                        hosting.failure ? py::object(describe(*hosting.failure)) : py::object(py::none()));
}

// Flags by verb: what the package checks keywords against.
py::dict flags() {
  py::dict all;
  for (const cli::Verb* verb : cli::verbs()) {
    py::dict of_verb;
    for (const cli::Flag& flag : verb->flags) of_verb[to_python(flag.name)] = flag.takes_value();
    all[to_python(verb->name)] = of_verb;
  }
  return all;
}

}  // namespace

void bind_verbs(py::module_& module) {
  module.def("run", run, py::arg("arguments"), py::arg("opened"), py::arg("ranks"));
  module.def("flags", flags);
}

}  // namespace orrery::python
