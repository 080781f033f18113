// From transition counts to a control-flow tree. The counts of a class of ranks over all runs make a graph of call
// sites; it is reduced step by step, as data-flow analysis reduces programs (Allen and Cocke 1976), with counts to tell
// loops from chance:
//
//   - a site that is always followed by another, which follows nothing else, makes one sequence with it;
//   - a cycle with one entry that is passed so often that an exact law says it (64; q; q - 1) is a loop;
//   - a cycle without such a law, or a fork of ways, is a chain: blocks, and how often one follows the other per
//   entry.
//
// What the order of calls would tell beyond the counts (which visit of a block does what) is added by chain_order.h
// where a trace has it.
#pragma once

#include <vector>

#include "motif/fit/observation.h"

namespace orrery::motif::fit {

/// The flow whose expected counts are those of `runs`, as functions of the run's parameters. All runs must be of one
/// class of ranks.
Flow infer_flow(const std::vector<ClassRun>& runs, SizeMeaning meaning);

}  // namespace orrery::motif::fit
