// Texts of traces as Python strings.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

namespace orrery::python {

/// Names in traces are bytes of anybody's: what is no UTF-8 becomes U+FFFD, as in --json.
inline pybind11::str to_python(std::string_view text) {
  PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (made == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(made);
}

}  // namespace orrery::python
