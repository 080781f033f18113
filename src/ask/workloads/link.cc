#include "ask/workloads/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "analyze/schedule/link_sheets.h"
#include "ask/graphs/unprofiled.h"
#include "ask/recording.h"
#include "base/io/output_file.h"
#include "formats/chakra/converter.h"
#include "formats/pytorch_et/reader.h"
#include "job/pairs/linked_files.h"
#include "job/pairs/pair_finder.h"
#include "job/read/registry.h"

namespace orrery::ask {
namespace {

using analyze::LinkAnswer;
using job::LinkTarget;
using job::TracePair;
using report::Readers;

/// Pairs of what was named for one kind, under our names or Chakra's, and of what was not.
Result<std::vector<TracePair>> pairs_to_link(const LinkRequest& request, Context& context) {
  job::NamedTraces named{.hosts = request.hosts, .devices = request.devices, .either = request.files};
  if (request.chakra_host) named.hosts.push_back(*request.chakra_host);
  if (request.chakra_device) named.devices.push_back(*request.chakra_device);
  Result<std::vector<TracePair>> pairs = job::find_pairs(named, context.diagnostics());
  if (!pairs) return pairs;
  if (pairs->empty())
    return Error{.message = "no profiler trace given",
                 .hint = "name it with --device, or give a folder that holds both traces"};
  for (const TracePair& pair : *pairs) {
    for (const std::string& file : {pair.host, pair.device}) {
      if (file.empty()) continue;
      if (const Status added = context.add_input(file); !added) return added.error();
    }
  }
  return pairs;
}

Result<LinkTarget> link_target(const LinkRequest& request, std::size_t ranks) {
  const std::string path = request.output ? *request.output : request.output_file.value_or("");
  const LinkTarget target = job::link_target(path, request.output_file.has_value(), ranks);
  if (ranks > 1 && is_standard_output(target.path))
    return misuse("several ranks are several files, which standard output is not",
                  "-o PREFIX for PREFIX.0.et, PREFIX.1.et, ...");
  return target;
}

Result<job::LinkedJob> link_pairs(const LinkRequest& request, Context& context, const std::vector<TracePair>& pairs,
                                  const LinkTarget& target) {
  std::vector<std::string> devices;
  devices.reserve(pairs.size());
  for (const TracePair& pair : pairs) devices.push_back(pair.device);
  Progress progress = context.progress("linking", total_bytes(devices));
  job::LinkJobOptions options;
  options.salvage = request.salvage;
  options.rank = request.rank;
  // What is no trace of any kind is left to the reader of Kineto traces, which says what is wrong with it.
  if (const auto format = job::detect(devices.front()); format && (*format)->read_traces != nullptr)
    options.format = *format;
  options.on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  if (request.without_profiler) options.retime = [&](trace::Trace& trace) { return retime(context, trace); };
  options.link.least_coverage_percent = request.least_coverage_percent;
  // Chakra's unit is a microsecond; rounding each time by itself would add up to another step.
  options.link.whole_microseconds = target.form == LinkTarget::Form::chakra;
  auto job = job::link_job(pairs, options, context.diagnostics());
  progress.finish();
  return job;
}

/// What came of the ranks at the places `of`, and, with errors, where they replay at other times.
void tell_linked(report::Answer& answer, const LinkAnswer& link, std::span<const std::size_t> of, Readers readers,
                 bool with_errors) {
  const report::Shown shown{.readers = readers, .after_gap = true};
  answer.table([&] { return analyze::activity_counts_sheet(link, of); }, shown);
  answer.table([&] { return analyze::dependency_counts_sheet(link, of); }, shown);
  if (!with_errors) return;
  report::Sheet errors = analyze::replay_errors_sheet(link, of);
  if (errors.rows() == 0 && readers != Readers::programs)
    answer.gap().line("Every activity replays at the very time it was recorded at.");
  answer.table(std::move(errors), shown);
}

/// People and tables have all ranks in each table; programs each rank with its own.
void tell_link(report::Answer& answer, const LinkAnswer& link, bool verbose) {
  double worst = 0;
  for (const causal::LinkedRank& rank : link.ranks) worst = std::max(worst, rank.residual_percent());
  const std::size_t count = link.ranks.size();
  answer.headline(
      fmt::format("{} {} linked; replayed from dependencies and durations alone {} off by at most {:.4f} %.",
                  format_count(count), count == 1 ? "rank" : "ranks", count == 1 ? "it is" : "they are", worst));
  answer.text(analyze::coverage_in_words(link));
  const auto make_ranks = [&] { return analyze::linked_ranks_sheet(link); };
  if (answer.reads(Readers::people_and_tables)) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    answer.table(make_ranks, {.readers = Readers::people_and_tables, .after_gap = true});
    tell_linked(answer, link, all, Readers::people_and_tables, verbose || answer.for_tables());
  }
  if (!answer.for_programs()) return;
  report::Facts& facts = answer.facts();
  const auto rows = report::Facts::share(make_ranks());
  facts.key("ranks").begin_array();
  for (std::size_t rank = 0; rank < count; ++rank) {
    facts.begin_object().members(rows, rank);
    tell_linked(answer, link, {&rank, 1}, Readers::programs, true);
    facts.end_object();
  }
  facts.end_array();
}

Result<report::Answer> link_default(const LinkRequest& request, Context& context, const std::vector<TracePair>& pairs) {
  const auto target = link_target(request, pairs.size());
  if (!target) return target.error();
  auto job = link_pairs(request, context, pairs, *target);
  if (!job) return job.error();
  if (request.reader == job::Reader::astra)
    job->workload = job::workload_for_astra(std::move(job->workload), context.diagnostics());
  if (const Status written = job::write_linked(*target, *job); !written) return written.error();
  std::vector<std::string> devices, hosts;
  for (const trace::RankTrace& rank : job->trace.ranks) devices.push_back(rank.source.path);
  for (const trace::HostTrace& host : job->hosts) hosts.push_back(host.size() == 0 ? "" : host.path);
  report::Answer answer = context.answer();
  tell_link(answer, {job->ranks, job->workload, devices, hosts}, context.verbose());
  return answer;
}

report::Answer linked_files_answer(const Context& context, const std::vector<std::string>& files) {
  report::Answer answer = context.answer();
  report::Sheet sheet("files");
  sheet.add({.name = "path"});
  answer.facts().key("files").begin_array();
  for (const std::string& file : files) {
    answer.line("wrote " + file);
    answer.facts().value(file);
    sheet.add_row({file});
  }
  answer.facts().end_array();
  answer.table(std::move(sheet), {.readers = Readers::tables});
  return answer;
}

Result<report::Answer> link_as_chakra(const LinkRequest& request, Context& context,
                                      const std::vector<TracePair>& pairs) {
  const auto target = link_target(request, pairs.size());
  if (!target) return target.error();
  if (target->form == LinkTarget::Form::none)
    return misuse("--compat chakra needs a file to write to",
                  "-o linked.json for chakra_trace_link, -o x.et for both tools");
  for (const TracePair& pair : pairs) {
    if (pair.host.empty()) return Error{"no host trace belongs to this profiler trace", pair.device};
  }
  job::LinkJobOptions options;
  options.salvage = request.salvage;
  options.rank = request.rank;
  auto job = job::read_pairs(pairs, options, context.diagnostics());
  if (!job) return job.error();
  if (const Status written = job::write_linked_as_chakra(*target, *job, context.diagnostics()); !written)
    return written.error();
  std::vector<std::string> files;
  for (const trace::RankTrace& rank : job->trace.ranks) files.push_back(job::target_file(*target, rank.rank));
  return linked_files_answer(context, files);
}

// chakra_converter PyTorch --input linked.json --output x.et
Result<report::Answer> convert_linked(const LinkRequest& request, Context& context) {
  if (!request.output) return misuse("--input needs a file to write to", "--output x.et");
  for (const std::string& file : request.files) {
    // The name of the converter stands where traces stand.
    if (file != "PyTorch") return misuse("give --input or traces, not both");
  }
  if (const Status added = context.add_input(*request.input); !added) return added.error();
  Interner strings;
  const auto linked = pytorch_et::read_host_trace(*request.input, strings, context.diagnostics());
  if (!linked) return linked.error();
  const auto bytes = chakra::convert_linked_trace(*linked, strings);
  if (!bytes) return bytes.error();
  if (const Status written = write_whole_file(*request.output, *bytes); !written) return written.error();
  return linked_files_answer(context, {*request.output});
}

}  // namespace

Result<report::Answer> run(const LinkRequest& request, Context& context) {
  if (request.without_profiler && request.input)
    return misuse("a linked trace is converted with the times that it has",
                  "link the two recordings with --without-profiler");
  if (request.input) return convert_linked(request, context);
  if (request.without_profiler && request.like_chakra)
    return misuse("Chakra's tools take times as they were recorded", "leave --compat or --without-profiler out");
  const auto pairs = pairs_to_link(request, context);
  if (!pairs) return pairs.error();
  return request.like_chakra ? link_as_chakra(request, context, *pairs) : link_default(request, context, *pairs);
}

}  // namespace orrery::ask
