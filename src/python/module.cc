// orrery._engine: what the Python package needs of the engine, and no more. The package (python/orrery) makes it
// pleasant.
#include <pybind11/pybind11.h>

#include "ask/provenance.h"
#include "python/bindings.h"

PYBIND11_MODULE(_engine, module) {
  module.doc() = "The engine of orrery. Use the package orrery.";
  module.attr("version") = orrery::ask::version();
  orrery::python::bind_trace(module);
  orrery::python::bind_step(module);
  orrery::python::bind_verbs(module);
  orrery::python::bind_hta(module);
}
