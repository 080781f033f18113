// The steps that all ranks of a job have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/step_window.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::job {

/// The rank's steps, or the events of its host whose name contains the annotation; by start.
std::vector<trace::EventIndex> find_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const trace::ContentOrder& content,
                                          const std::optional<std::string>& annotation);

/// What tells the steps of a rank apart: their names, or where several have one name, also which of them it is.
std::vector<std::string> step_keys(const trace::Trace& trace, const trace::RankTrace& rank,
                                   std::span<const trace::EventIndex> events);

/// The name in such a key.
std::string_view name_in_key(std::string_view key);

/// Those that every rank has, in the order of the first rank; the others are counted. Empty: the ranks have none at
/// all, or each has its own steps of an engine, which serves other requests on each. An Error: there are some, but none
/// in common. `trace`: whose steps they are.
Result<std::vector<std::string>> common_steps(const trace::Trace& trace,
                                              std::span<const std::vector<std::string>> ranks,
                                              Diagnostics& diagnostics);

/// An Error if the windows of some ranks lie more than ten minutes apart: that far off is no clock of a cluster.
Status check_same_time(std::span<const causal::StepWindow> ranks);

Error no_such_step(const std::optional<std::string>& annotation, const std::string& path);
Error no_such_instance(std::size_t steps, std::size_t instance, const std::string& path);

}  // namespace orrery::job
