// A motif as people look at it: its control flow as an indented text, as a graph for Graphviz or as an SVG image, and
// fits beside measurements.
#pragma once

#include <string>

#include "motif/fit/observation.h"
#include "motif/motif.h"
#include "motif/predict.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Loops with their trips, chains with their ways, calls with their sizes; one class of ranks after the other.
std::string motif_flow_text(const motif::Motif& motif, const motif::RunParameters& run);

/// Call sites and transitions with counts, sizes and times; lines are as thick as their share of the time.
std::string motif_dot(const motif::Motif& motif, const motif::Prediction& prediction);
/// The same without Graphviz: sites in a column in the order of their numbers, jumps as arcs beside it.
std::string motif_svg(const motif::Motif& motif, const motif::Prediction& prediction);

/// "fits": run, nodes, size, measured_us, fitted_us, error_pct, and a bar of both for people: one row per run, of the
/// time of one execution of the transition.
report::Sheet motif_fit_sheet(const motif::Motif& motif, const std::vector<motif::fit::ClassRun>& runs,
                              motif::fit::Edge edge);

}  // namespace orrery::analyze
