#include "job/write/serving_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/time_text.h"
#include "formats/perfetto/writer.h"
#include "trace/trace.h"

namespace orrery::job {
namespace {

enum ServingLane : trace::LaneIndex { kStepLane, kRequestLane };

/// "512 prompt tokens + 12 decodes"
std::string step_name(const llm::StepRecord& step) {
  const std::string prompts = fmt::format("{} prompt token{}", step.prompt_tokens, step.prompt_tokens == 1 ? "" : "s");
  const std::string decodes = fmt::format("{} decode{}", step.decodes, step.decodes == 1 ? "" : "s");
  if (step.decodes == 0) return prompts;
  return step.prompt_tokens == 0 ? decodes : prompts + " + " + decodes;
}

/// The steps of one replica and its counters, as a rank's trace.
class ReplicaTrace {
 public:
  ReplicaTrace(std::uint32_t replica, Interner& strings) : strings_(strings) {
    rank_.rank = replica;
    const StringId process = strings.intern(fmt::format("replica {}", replica));
    for (const auto& [thread, name] : {std::pair(1, "steps"), std::pair(2, "requests")})
      rank_.lanes.push_back({{replica + 1, 0}, {thread, 0}, process, strings.intern(name)});
    // Work of the replica's devices, so that all verbs know when they are busy.
    rank_.categories.push_back({strings.intern("kernel"), trace::Activity::kernel});
    constexpr std::array kCounters = {"waiting requests", "running requests", "used blocks"};
    for (std::size_t i = 0; i < kCounters.size(); ++i) counters_[i] = strings.intern(kCounters[i]);
  }

  void add(const llm::StepRecord& step) {
    // Between steps nobody waits and nobody runs, else there would be one.
    if (rank_.event_count() > 0 && end_ps_ < step.begin_ps) count(end_ps_, 0, 0, 0);
    const trace::EventIndex event = rank_.append_event({.start = step.begin_ps,
                                                        .duration = step.end_ps - step.begin_ps,
                                                        .name = strings_.intern(step_name(step)),
                                                        .lane = kStepLane});
    rank_.field(trace::Field::device).push(event, rank_.rank);
    rank_.field(trace::Field::stream).push(event, 0);
    const std::pair<const char*, std::uint32_t> arguments[] = {{"prompt_tokens", step.prompt_tokens},
                                                               {"decodes", step.decodes},
                                                               {"waiting", step.waiting},
                                                               {"running", step.running},
                                                               {"used_blocks", step.used_blocks},
                                                               {"preempted", step.preempted}};
    for (const auto& [name, value] : arguments)
      rank_.arguments.named(name, trace::ValueType::integer).push(event, value);
    count(step.begin_ps, step.waiting, step.running, step.used_blocks);
    end_ps_ = step.end_ps;
  }
  void finish() {
    if (rank_.event_count() > 0) count(end_ps_, 0, 0, 0);
  }

  [[nodiscard]] const trace::RankTrace& rank() const { return rank_; }

 private:
  void count(TimePs at, std::uint32_t waiting, std::uint32_t running, std::uint32_t blocks) {
    const std::array values = {waiting, running, blocks};
    for (std::size_t i = 0; i < values.size(); ++i)
      rank_.counters.push(trace::Counters::kNoDevice, counters_[i], 0, at, values[i]);
  }

  Interner& strings_;
  trace::RankTrace rank_;
  std::array<StringId, 3> counters_{};
  TimePs end_ps_ = 0;
};

void write_request(perfetto::TraceWriter& writer, const trace::RankTrace& rank, const Interner& strings,
                   const llm::Requests& requests, llm::RequestIndex request, const llm::RequestRecord& record) {
  const auto slice_of = [&](std::string_view name) {
    return perfetto::AsyncSlice{std::int64_t{request} + 1, "request", name, kRequestLane};
  };
  const perfetto::AsyncSlice whole = slice_of(requests.name(request));
  writer.begin_async(rank, strings, whole, record.arrival_ps, [&](JsonWriter& args) {
    args.field("id", requests.name(request)).field("prompt", requests.prompt[request]);
    args.field("generate", requests.generate[request]);
    args.key("ttft_ms").raw(decimal_us((record.first_ps - record.arrival_ps) / 1000));
    args.field("replica", record.replica).field("preemptions", record.preemptions);
    args.field("cached_tokens", record.cached_tokens);
  });
  const std::pair<const char*, TimePs> ends[] = {
      {"queued", record.admitted_ps}, {"prefill", record.first_ps}, {"decode", record.last_ps}};
  TimePs begin = record.arrival_ps;
  for (const auto& [name, end] : ends) {
    if (end > begin) {
      writer.begin_async(rank, strings, slice_of(name), begin);
      writer.end_async(rank, strings, slice_of(name), end);
    }
    begin = end;
  }
  writer.end_async(rank, strings, whole, record.last_ps);
}

}  // namespace

Status export_serving(const llm::Requests& requests, const llm::ServedRun& run, std::span<const llm::StepRecord> steps,
                      const std::string& path) {
  auto writer = perfetto::TraceWriter::create(path, {.rank = 0, .world_size = 1, .backend = "orrery"});
  if (!writer) return writer.error();
  std::uint32_t replicas = 0;
  for (const llm::StepRecord& step : steps) replicas = std::max(replicas, step.replica + 1);
  std::vector<std::vector<std::size_t>> steps_of(replicas);
  for (std::size_t i = 0; i < steps.size(); ++i) steps_of[steps[i].replica].push_back(i);
  std::vector<std::vector<llm::RequestIndex>> requests_of(replicas);
  for (llm::RequestIndex i = 0; i < run.records.size(); ++i) requests_of[run.records[i].replica].push_back(i);
  for (std::uint32_t number = 0; number < replicas; ++number) {
    Interner strings;
    ReplicaTrace replica(number, strings);
    for (const std::size_t i : steps_of[number]) replica.add(steps[i]);
    replica.finish();
    writer->add_rank(replica.rank(), strings);
    writer->add_counters(replica.rank(), strings);
    for (const llm::RequestIndex request : requests_of[number])
      write_request(*writer, replica.rank(), strings, requests, request, run.records[request]);
  }
  return writer->commit();
}

}  // namespace orrery::job
