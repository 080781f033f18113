#include "ask/opened_trace.h"

#include "base/interrupt.h"
#include "job/read/trace_input.h"

namespace orrery::ask {

namespace {

Result<std::shared_ptr<const OpenedTrace>> read(std::shared_ptr<OpenedTrace> opened, const job::TraceRequest& request) {
  const auto record = [&](const std::string& path) -> Status {
    const Result<InputRecord> hashed = hash_input(path);
    if (!hashed) return hashed.error();
    opened->inputs.push_back(*hashed);
    return {};
  };
  const job::Reading reading{.diagnostics = opened->diagnostics,
                             .salvage = opened->salvage,
                             .on_input = record,
                             .on_progress = [](std::uint64_t) { stop_if_requested(); }};
  Result<job::TraceInput> input = job::read_trace(opened->source, request, reading);
  if (!input) return input.error();
  opened->trace = std::move(input->trace);
  return std::shared_ptr<const OpenedTrace>(std::move(opened));
}

}  // namespace

Result<std::shared_ptr<const OpenedTrace>> open_trace(const std::vector<std::string>& named, bool salvage) {
  if (named.empty()) return Error{"there is nothing to open", {}, Error::kNoOffset, "give files, folders or globs"};
  auto opened = std::make_shared<OpenedTrace>();
  opened->named = named;
  for (const std::string& name : named) opened->operand += (opened->operand.empty() ? "" : " ") + name;
  opened->salvage = salvage;
  Result<job::Source> source = job::find_source(named, {.may_miss_ranks = true}, opened->diagnostics);
  if (!source) return source.error();
  opened->source = std::move(*source);
  // Clocks that are years apart are no obstacle to looking at the ranks, and what asks about all of them corrects them.
  return read(std::move(opened), {.far_clocks = true, .launch_arrows = true});
}

Result<std::shared_ptr<const OpenedTrace>> open_rank(const OpenedTrace& opened, std::optional<std::int64_t> rank) {
  std::shared_ptr<const OpenedTrace>& kept = opened.alone[rank];
  if (kept != nullptr) return kept;
  auto alone = std::make_shared<OpenedTrace>();
  alone->named = opened.named;
  alone->operand = opened.operand;
  alone->source = opened.source;
  alone->salvage = opened.salvage;
  Result<std::shared_ptr<const OpenedTrace>> made =
      read(std::move(alone), {.far_clocks = true, .launch_arrows = true, .one_rank = true, .rank = rank});
  if (made) kept = *made;
  return made;
}

}  // namespace orrery::ask
