// What each file of this folder adds to the module orrery._engine.
#pragma once

#include <pybind11/pybind11.h>

namespace orrery::python {

void bind_trace(pybind11::module_& module);
void bind_step(pybind11::module_& module);
void bind_verbs(pybind11::module_& module);
void bind_hta(pybind11::module_& module);

}  // namespace orrery::python
