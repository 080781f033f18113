// The graph of a step: its columns, and what it solves to with other weights.
#include <pybind11/stl.h>

#include <optional>

#include "causal/edge_kind.h"
#include "causal/rank_graph.h"
#include "graph/edits.h"
#include "graph/longest_path.h"
#include "python/bindings.h"
#include "python/failures.h"
#include "python/texts.h"
#include "python/trace.h"
#include "python/view.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;

/// A step's graph with the columns that are empty in it, because all their values are the default, filled in.
struct Step {
  causal::RankGraph graph;
  Column<std::uint8_t> kinds;
  Column<std::uint32_t> owners;
  Diagnostics diagnostics;
};
struct StepHandle {
  std::shared_ptr<const Step> step;

  const Step* operator->() const { return step.get(); }
};

template <typename T>
py::array column(const StepHandle& step, std::span<const T> values) {
  return view(values, step.step);
}
template <typename T>
std::span<const T> all(const Column<T>& values) {
  return {values.data(), values.size()};
}

StepHandle make_step(const RankHandle& handle, const std::optional<std::string>& annotation,
                     std::optional<std::size_t> first, std::optional<std::size_t> last) {
  auto step = std::make_shared<Step>();
  std::optional<Error> error;
  work([&] {
    auto made = causal::make_rank_graph(handle.job(), handle.rank(), {annotation, first, last}, step->diagnostics);
    if (!made) {
      error = made.error();
      return;
    }
    step->graph = std::move(*made);
    const graph::GraphColumns& columns = step->graph.graph.columns();
    const std::size_t edges = step->graph.graph.edge_count();
    if (columns.types.values().empty()) step->kinds.assign(edges, 0);
    if (columns.edge_tags.values().empty()) step->owners.assign(edges, graph::kNoTag);
  });
  if (error) raise(*error);
  return {std::move(step)};
}

py::array kinds(const StepHandle& step) {
  return column(step, step->kinds.empty() ? step->graph.graph.columns().types.values() : all(step->kinds));
}

py::array owners(const StepHandle& step) {
  return column(step, step->owners.empty() ? step->graph.graph.columns().edge_tags.values() : all(step->owners));
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < causal::kJobEdgeKinds; ++kind)
    names.emplace_back(causal::identifier(static_cast<causal::EdgeKind>(kind)));
  return names;
}

py::list owner_names(const StepHandle& step) {
  py::list names;
  for (const causal::Owner& owner : step->graph.owners) names.append(to_python(step->graph.strings.text(owner.name)));
  return names;
}

using Weights = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// (length, finish by node, slots of the path in order)
py::tuple solve(const StepHandle& step, const std::optional<Weights>& weights) {
  const graph::Graph& graph = step->graph.graph;
  if (weights && (weights->ndim() != 1 || static_cast<std::size_t>(weights->size()) != graph.edge_count()))
    throw py::value_error("weights must be one number per edge");
  auto finish = fresh<std::int64_t>(graph.node_count());
  std::int64_t* const out = finish.mutable_data();
  const std::int64_t* const given = weights ? weights->data() : nullptr;
  TimePs length = 0;
  graph::Path path;
  work([&] {
    graph::Edits edits(graph);
    for (graph::Slot slot = 0; given != nullptr && slot < graph.edge_count(); ++slot) {
      if (given[slot] != graph.weight(slot)) edits.set_weight(slot, given[slot]);
    }
    const graph::Solution solution = graph::solve(edits, step->graph.end);
    for (graph::Position node = 0; node < graph.node_count(); ++node) out[node] = solution.finish_at(node);
    length = solution.length();
    path = solution.path();
  });
  auto slots = fresh<std::uint32_t>(path.slots.size());
  std::copy(path.slots.begin(), path.slots.end(), slots.mutable_data());
  return py::make_tuple(length, finish, slots);
}

}  // namespace

void bind_step(py::module_& module) {
  py::class_<StepHandle>(module, "Step")
      .def_property_readonly("rows", [](const StepHandle& step) { return column(step, step->graph.graph.rows()); })
      .def_property_readonly("source",
                             [](const StepHandle& step) { return column(step, step->graph.graph.source_positions()); })
      .def_property_readonly("weight_ps",
                             [](const StepHandle& step) { return column(step, step->graph.graph.weights()); })
      .def_property_readonly("kind", kinds)
      .def_property_readonly("owner", owners)
      .def_property_readonly("time_ps", [](const StepHandle& step) { return column(step, all(step->graph.time)); })
      .def_property_readonly("owner_event",
                             [](const StepHandle& step) { return column(step, all(step->graph.owner_events)); })
      .def_property_readonly("owner_names", owner_names)
      .def_property_readonly("begin",
                             [](const StepHandle& step) { return step->graph.graph.position(step->graph.begin); })
      .def_property_readonly("end", [](const StepHandle& step) { return step->graph.graph.position(step->graph.end); })
      .def_property_readonly("rank", [](const StepHandle& step) { return step->graph.rank; })
      .def_property_readonly("label", [](const StepHandle& step) { return to_python(step->graph.window.label); })
      .def_property_readonly("begin_ps", [](const StepHandle& step) { return step->graph.window.begin; })
      .def_property_readonly("length_ps", [](const StepHandle& step) { return step->graph.window.span(); })
      .def_property_readonly("diagnostics", [](const StepHandle& step) { return describe(step->diagnostics); })
      .def("solve", solve, py::arg("weights") = py::none());
  module.def("make_step", make_step);
  module.def("kind_names", kind_names);
}

}  // namespace orrery::python
