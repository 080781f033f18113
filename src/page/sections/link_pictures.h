// Pictures of a network in use: links over time, and the machine coloured by use.
#pragma once

#include <cstddef>
#include <span>

#include "analyze/schedule/link_use.h"
#include "report/html_writer.h"

namespace orrery::page {

/// How full the fullest bin of the first `most` rows with a series is, of what its link could carry in it; 0 if
/// bandwidths are not known (`network` is null). What pictures are drawn by.
double fullest_bin(std::span<const analyze::LinkUseRow> rows, std::size_t most, const machine::Network* network,
                   TimePs makespan);

/// Small pictures of these rows, each 512 bins over the run. Their height is `full` of what a link can carry; 0: the
/// most that it carried in a bin.
void write_link_pictures(report::HtmlWriter& html, std::span<const analyze::LinkUseRow> rows, std::size_t most,
                         const machine::Network* network, TimePs makespan, double full);

/// Devices below, a row of switches per dimension above them, a dimension without switches as one bar. Above 256
/// devices one of each kind, with its count.
void write_topology(report::HtmlWriter& html, const analyze::MachineUse& use, std::size_t devices);

}  // namespace orrery::page
