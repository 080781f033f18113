// Happens-before as text and JSON: what `check` and `align` say of it.
#pragma once

#include <string>

#include "align/causality.h"
#include "base/json/json_writer.h"
#include "cli/frame/invocation.h"
#include "match/exchange.h"
#include "trace/trace.h"

namespace orrery::cli {

/// Members of an object: how many were checked and are violated, the largest, by pair of nodes.
void write_causality(JsonWriter& json, const trace::Trace& job, const align::CausalityReport& report);

/// Members of an object: every violation, the mis-paired ones, and what was not checked and why.
void write_causality_details(JsonWriter& json, const trace::Trace& job, const match::Exchanges& exchanges,
                             const align::CausalityReport& report);

/// The worst collectives, the worst pairs of nodes, mis-paired ones, and what was not checked; that nothing could be,
/// if so.
std::string describe_causality(const Invocation& invocation, const trace::Trace& job, const match::Exchanges& exchanges,
                               const align::CausalityReport& report);

}  // namespace orrery::cli
