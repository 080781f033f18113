#include "python/failures.h"

#include "cli/frame/outcome.h"
#include "python/texts.h"

namespace orrery::python {

namespace py = pybind11;

py::dict describe(const cli::Failure& failure) {
  py::dict described;
  described["code"] = static_cast<int>(failure.code);
  described["message"] = to_python(failure.message);
  described["excerpt"] = to_python(failure.excerpt);
  described["hint"] = to_python(failure.hint);
  described["file"] = failure.file.empty() ? py::object(py::none()) : py::object(to_python(failure.file));
  described["offset"] = failure.offset ? py::object(py::int_(*failure.offset)) : py::object(py::none());
  return described;
}

void raise(const Error& error) {
  // The package has the classes and knows what becomes of which exit status: one place for all failures.
  py::module_::import("orrery._errors").attr("fail")(describe(cli::Failure::from(error)));
  throw py::type_error("orrery._errors.fail must raise");
}

py::list describe(const Diagnostics& diagnostics) { return describe(cli::remarks_of(diagnostics)); }

py::list describe(const std::vector<cli::Remark>& remarks) {
  py::list described;
  for (const cli::Remark& remark : remarks) {
    py::dict row;
    row["code"] = to_python(remark.code);
    row["severity"] = to_string(remark.severity);
    row["count"] = remark.count;
    row["message"] = to_python(remark.message);
    row["hint"] = to_python(remark.hint);
    described.append(row);
  }
  return described;
}

}  // namespace orrery::python
