// TO GO: what verbs that are no requests yet read their inputs with.
#pragma once

#include "ask/graphs/causal_source.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/path.h"
#include "ask/graphs/unprofiled.h"
#include "ask/recording.h"
#include "ask/sweep_session.h"
#include "base/io/output_file.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "report/answer.h"

namespace orrery::cli {

using ask::find_step_spread;
using ask::hash_input;
using ask::InputRecord;
using ask::Instances;
using ask::job_trust_line;
using ask::OpenedTrace;
using ask::RankDetail;
using ask::SweepSession;
using ask::total_bytes;
using ask::Unprofiled;
using ask::version;
using ask::what_it_is;
using report::shell_quote;

inline ask::GraphRequest graph_request(const Invocation& invocation, const std::vector<std::string>& operands) {
  ask::GraphRequest request;
  (void)take_flags(invocation, request);
  request.recording.files = operands;
  return request;
}
inline std::size_t step_count(const Instances& instances) { return instances.count(); }
inline job::Reading reading_of(Invocation& i, Progress& progress) {
  return ask::reading_of(i.context(), graph_request(i, {}).recording.salvage, progress);
}
inline Result<std::shared_ptr<const trace::Trace>> load_job(Invocation& i, const std::vector<std::string>& operands,
                                                            const job::TraceRequest& wanted = {}) {
  return ask::load_trace(i.context(), graph_request(i, operands).recording, wanted);
}
inline Result<trace::Trace> load_own_job(Invocation& i, const std::vector<std::string>& operands,
                                         const job::TraceRequest& wanted) {
  return ask::load_own_trace(i.context(), graph_request(i, operands).recording, wanted);
}
inline Result<job::RankAnswers> ask_ranks(Invocation& i, const std::vector<std::string>& operands,
                                          const job::RankQuestion& question) {
  return ask::ask_ranks(i.context(), graph_request(i, operands).recording, question);
}
inline Result<const trace::RankTrace*> choose_rank(const Invocation& i, const trace::Trace& job) {
  return ask::choose_rank(job, graph_request(i, {}).recording.rank);
}
inline std::optional<UsageError> parse_instances(const Invocation& i, Instances& out) {
  ask::WindowChoice window;
  const auto error = take_flags(i, window);
  out = window.instances;
  return error;
}
inline job::ClockChoice clock_choice(const Invocation& i) { return graph_request(i, {}).clock; }
inline bool asks_whole_job(const Invocation& i, const std::vector<std::string>& operands) {
  return ask::asks_whole_job(i.context(), graph_request(i, operands));
}
inline Result<job::RecordedJob> load_recorded_job(Invocation& i, const std::vector<std::string>& operands) {
  const ask::GraphRequest request = graph_request(i, operands);
  return ask::load_recorded_job(i.context(), request.recording, request.clock);
}
inline Result<causal::CausalGraph> load_job_graph(Invocation& i, const std::vector<std::string>& operands,
                                                  const Instances& instances, bool typical,
                                                  const causal::JoinOptions& options = {},
                                                  RankDetail detail = RankDetail::whole,
                                                  std::optional<analyze::StepSpread>* spread = nullptr) {
  ask::GraphRequest request = graph_request(i, operands);
  request.window.instances = instances;
  return ask::load_job_graph(i.context(), request, typical, options, detail, spread);
}
inline Result<causal::CausalGraph> load_causal_graph(Invocation& i, const std::vector<std::string>& operands,
                                                     const Instances& instances,
                                                     std::optional<analyze::StepSpread>* spread = nullptr) {
  ask::GraphRequest request = graph_request(i, operands);
  request.window.instances = instances;
  return ask::load_causal_graph(i.context(), request, spread);
}
inline bool is_joined(Invocation& i, const causal::CausalGraph& job) { return ask::is_joined(i.context(), job); }
inline std::optional<Unprofiled> take_profiler_off(Invocation& i, causal::CausalGraph& job) {
  const auto step = i.has("unprofiled") ? std::optional(i.duration("unprofiled")) : std::nullopt;
  return ask::take_profiler_off(i.context(), step, job);
}
inline std::string unprofiled_line(const std::optional<Unprofiled>& unprofiled) {
  report::Answer answer(report::Reader::people);
  ask::tell_unprofiled(answer, unprofiled);
  return answer.to_text(100, {});
}
inline void write_unprofiled_json(JsonWriter& json, const std::optional<Unprofiled>& unprofiled) {
  report::Answer answer(report::Reader::programs);
  ask::tell_unprofiled(answer, unprofiled);
  answer.write_json(json);
}
inline void write_job_json(JsonWriter& json, const causal::CausalGraph& job, TimePs replayed) {
  report::Facts facts;
  ask::tell_job(facts, job, replayed);
  facts.write_json(json);
}
inline void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread) {
  report::Facts facts;
  ask::tell_step_spread(facts, spread);
  facts.write_json(json);
}
inline Status write_overlays(const Invocation& i, const causal::CausalGraph& job, const analyze::PathSums& path) {
  return ask::write_overlays(job, path, i.has("all-edges"), i.has("only-critical"), i.text("overlay"));
}
inline std::optional<UsageError> check_checkpoint(const Invocation& invocation) {
  if (!invocation.has("checkpoint")) return std::nullopt;
  if (!invocation.has("sweep"))
    return UsageError{.message = "--checkpoint keeps the points of a sweep", .hint = "leave it out, or say --sweep"};
  if (is_standard_output(invocation.text("checkpoint")))
    return UsageError{.message = "--checkpoint needs a file, which it goes on with"};
  return std::nullopt;
}
inline std::optional<std::string> checkpoint_of(const Invocation& i) {
  return i.has("checkpoint") ? std::optional(i.text("checkpoint")) : std::nullopt;
}

}  // namespace orrery::cli
