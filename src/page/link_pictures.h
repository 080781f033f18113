// Pictures of a network in use: links over time, and the machine coloured by use.
#pragma once

#include <cstddef>
#include <span>

#include "analyze/link_use.h"
#include "report/html_writer.h"

namespace orrery::page {

/// Small pictures of the first `most` rows, each 512 bins over the run, as high as its share of what the link could carry (of the most that it carried in
/// a bin, where its bandwidth is not known: `network` is null).
void write_link_pictures(report::HtmlWriter& html, std::span<const analyze::LinkUseRow> rows, std::size_t most,
                         const machine::Network* network, TimePs makespan);

/// Devices below, a row of switches per dimension above them, a dimension without switches as one bar. Above 256 devices one of each kind, with its count.
void write_topology(report::HtmlWriter& html, const analyze::MachineUse& use, std::size_t devices);

}  // namespace orrery::page
