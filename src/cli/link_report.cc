#include "cli/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "graph/longest_path.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using job::LinkedJob;
using link::Coverage;
using link::DependencyCause;
using link::LinkedRank;
using report::Align;
using workload::ActivityKind;

constexpr std::size_t kActivityKinds = 8;
constexpr std::size_t kShownOffenders = 10;

std::size_t found_rows(const Coverage& coverage) {
  return coverage.by_record_function + coverage.by_external_id + coverage.by_name_and_order;
}

double percent_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent_text(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", percent_of(part, whole));
}

// "call order" -> "call_order"
std::string json_key(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

std::array<std::size_t, kActivityKinds> count_kinds(const workload::Program& program) {
  std::array<std::size_t, kActivityKinds> counts{};
  for (const ActivityKind kind : program.kinds) ++counts[static_cast<std::size_t>(kind)];
  return counts;
}

/// An activity that replays at another time than it was recorded.
struct Offender {
  std::size_t activity;
  TimePs error;
};

std::vector<Offender> worst_offenders(const workload::Program& program, TimePs begin) {
  const graph::Solution replay = graph::solve(program.dependencies);
  std::vector<Offender> offenders;
  for (graph::NodeId i = 0; i < program.size(); ++i) {
    if (const TimePs error = replay.start(i) - (program.starts_ps[i] - begin); error != 0) offenders.push_back({i, error});
  }
  std::stable_sort(offenders.begin(), offenders.end(),
                   [](const Offender& a, const Offender& b) { return std::llabs(a.error) > std::llabs(b.error); });
  offenders.resize(std::min(offenders.size(), kShownOffenders));
  return offenders;
}

std::string rank_table(const Invocation& invocation, const LinkedJob& job) {
  report::Table table({{"rank", Align::right},
                       {"operators found", Align::right},
                       {"kernels attributed", Align::right},
                       {"activities", Align::right},
                       {"dependencies", Align::right},
                       {"measured", Align::right},
                       {"replayed", Align::right},
                       {"residual", Align::right}});
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const LinkedRank& rank = job.ranks[r];
    const workload::Program& program = job.workload.program(r);
    const Coverage& coverage = rank.coverage;
    table.add_row({std::to_string(rank.rank), percent_text(found_rows(coverage), coverage.host_rows),
                   percent_text(coverage.attributed, coverage.device_works), format_count(program.size()),
                   format_count(program.dependencies.edge_count()), format_duration(rank.measured_ps), format_duration(rank.replayed_ps),
                   fmt::format("{:.4f} %", rank.residual_percent())},
                  rank.residual_percent() > 1.0 ? report::Tone::warning : report::Tone::plain);
  }
  return table.render(invocation.columns(), invocation.style());
}

std::string coverage_text(const LinkedJob& job) {
  Coverage sum;
  std::size_t cut = 0;
  for (const LinkedRank& rank : job.ranks) {
    sum.host_rows += rank.coverage.host_rows;
    sum.by_record_function += rank.coverage.by_record_function;
    sum.by_external_id += rank.coverage.by_external_id;
    sum.by_name_and_order += rank.coverage.by_name_and_order;
    sum.device_works += rank.coverage.device_works;
    sum.attributed += rank.coverage.attributed;
    cut += rank.cut_edges;
  }
  std::string text;
  if (sum.host_rows > 0) {
    text +=
        fmt::format("Operators: {} of {} found in the profiler trace: {} by record-function id, {} by External id, {} by name and order.\n",
                    format_count(found_rows(sum)), format_count(sum.host_rows), format_count(sum.by_record_function),
                    format_count(sum.by_external_id), format_count(sum.by_name_and_order));
  }
  text += fmt::format("Device work: {} of {} kernels, copies and fills belong to a known operator.\n", format_count(sum.attributed),
                      format_count(sum.device_works));
  text += cut == 0
              ? "Cycles: none; every dependency leads forward in recorded time.\n"
              : fmt::format("Cycles: none; {} inferred dependencies that lead back in recorded time were left out.\n", format_count(cut));
  return text;
}

std::string counts_table(const Invocation& invocation, const LinkedJob& job) {
  report::Table table({{"activities", Align::left}, {"count", Align::right}, {"dependencies", Align::left}, {"count", Align::right}});
  std::array<std::size_t, kActivityKinds> kinds{};
  std::array<std::size_t, link::kDependencyCauses> causes{};
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const auto counts = count_kinds(job.workload.program(r));
    for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] += counts[k];
    for (std::size_t c = 0; c < causes.size(); ++c) causes[c] += job.ranks[r].dependencies[c];
  }
  std::vector<std::pair<std::string, std::size_t>> left, right;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] > 0) left.emplace_back(workload::to_string(static_cast<ActivityKind>(k)), kinds[k]);
  }
  for (std::size_t c = 0; c < causes.size(); ++c) {
    if (causes[c] > 0) right.emplace_back(link::to_string(static_cast<DependencyCause>(c)), causes[c]);
  }
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    table.add_row({i < left.size() ? left[i].first : "", i < left.size() ? format_count(left[i].second) : "",
                   i < right.size() ? right[i].first : "", i < right.size() ? format_count(right[i].second) : ""});
  }
  return table.render(invocation.columns(), invocation.style());
}

std::string offender_table(const Invocation& invocation, const LinkedJob& job) {
  report::Table table({{"rank", Align::right},
                       {"replays at another time", Align::left},
                       {"node", Align::right},
                       {"recorded at", Align::right},
                       {"off by", Align::right}});
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const workload::Program& program = job.workload.program(r);
    for (const Offender& offender : worst_offenders(program, job.ranks[r].begin_ps)) {
      table.add_row({std::to_string(job.ranks[r].rank), std::string(job.workload.strings.text(program.names[offender.activity])),
                     std::to_string(program.ids[offender.activity]),
                     format_duration(program.starts_ps[offender.activity] - job.ranks[r].begin_ps), format_duration(offender.error)});
    }
  }
  if (table.rows() == 0) return "Every activity replays at the very time it was recorded at.\n";
  return table.render(invocation.columns(), invocation.style());
}

void write_rank(JsonWriter& json, const LinkedJob& job, std::size_t r) {
  const LinkedRank& rank = job.ranks[r];
  const workload::Program& program = job.workload.program(r);
  const Coverage& coverage = rank.coverage;
  json.begin_object().field("rank", rank.rank).field("device", job.trace.ranks[r].source.path);
  json.key("host");
  if (job.hosts[r].size() == 0) json.null();
  else json.value(job.hosts[r].path);
  json.key("coverage").begin_object();
  json.field("host_operators", coverage.host_rows).field("by_record_function", coverage.by_record_function);
  json.field("by_external_id", coverage.by_external_id).field("by_name_and_order", coverage.by_name_and_order);
  json.field("operators_pct", percent_of(found_rows(coverage), coverage.host_rows));
  json.field("device_works", coverage.device_works).field("attributed", coverage.attributed);
  json.field("attributed_pct", percent_of(coverage.attributed, coverage.device_works)).end_object();
  json.key("activities").begin_object();
  const auto kinds = count_kinds(program);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] > 0) json.field(json_key(workload::to_string(static_cast<ActivityKind>(k))), kinds[k]);
  }
  json.end_object();
  json.key("dependencies").begin_object();
  for (std::size_t c = 0; c < link::kDependencyCauses; ++c)
    json.field(json_key(link::to_string(static_cast<DependencyCause>(c))), rank.dependencies[c]);
  json.end_object();
  json.field("cut_dependencies", rank.cut_edges);
  json.field("measured_us", to_us(rank.measured_ps)).field("replayed_us", to_us(rank.replayed_ps));
  json.field("residual_pct", rank.residual_percent());
  json.key("worst").begin_array();
  for (const Offender& offender : worst_offenders(program, rank.begin_ps)) {
    json.begin_object()
        .field("node", program.ids[offender.activity])
        .field("name", job.workload.strings.text(program.names[offender.activity]));
    json.field("error_us", to_us(offender.error)).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void report_link(Invocation& invocation, const LinkedJob& job) {
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    json.key("ranks").begin_array();
    for (std::size_t r = 0; r < job.ranks.size(); ++r) write_rank(json, job, r);
    json.end_array();
    return;
  }
  double worst = 0;
  for (const LinkedRank& rank : job.ranks) worst = std::max(worst, rank.residual_percent());
  std::string& text = invocation.text();
  text = invocation.style().paint(report::Tone::strong,
                                  fmt::format("{} {} linked; replayed from dependencies and durations alone {} off by at most {:.4f} %.",
                                              format_count(job.ranks.size()), job.ranks.size() == 1 ? "rank" : "ranks",
                                              job.ranks.size() == 1 ? "it is" : "they are", worst));
  text += "\n" + coverage_text(job) + "\n" + rank_table(invocation, job) + "\n" + counts_table(invocation, job);
  if (invocation.verbose()) text += "\n" + offender_table(invocation, job);
}

}  // namespace orrery::cli
