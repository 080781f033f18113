#include "ask/workloads/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/io/output_file.h"
#include "generate/chakra_families.h"
#include "generate/micro_benchmarks.h"
#include "generate/mpi_patterns.h"
#include "generate/pipeline_step.h"
#include "generate/training_step.h"
#include "job/write/workload_export.h"
#include "report/counted.h"
#include "workload/resolve_roles.h"

namespace orrery::ask {
namespace {

using GeneratedSets = std::vector<job::GeneratedFiles>;

constexpr std::uint32_t kMostGeneratedRanks = 1 << 20;

Result<std::uint32_t> generated_ranks(const GenerateRequest& request, std::uint32_t usual) {
  const std::int64_t ranks = request.ranks.value_or(usual);
  if (ranks < 1 || ranks > kMostGeneratedRanks)
    return Error{fmt::format("{}: from 1 to {} can be made", report::counted(ranks, "rank"), kMostGeneratedRanks)};
  return static_cast<std::uint32_t>(ranks);
}

std::optional<workload::Collective> collective_to_generate(std::string_view name) {
  for (std::size_t i = 0; i < workload::kCollectives; ++i) {
    const auto collective = static_cast<workload::Collective>(i);
    if (workload::to_string(collective) == name) return collective;
  }
  return std::nullopt;
}

TimePs generated_forward_time(const GenerateRequest& request) {
  return static_cast<TimePs>(request.layer_us * static_cast<double>(kPsPerUs));
}

Result<workload::Workload> make_training_step(const GenerateRequest& request) {
  generate::TrainingStep step;
  const auto ranks = generated_ranks(request, 8);
  if (!ranks) return ranks.error();
  step.tensor_parallel = static_cast<std::uint32_t>(std::max<std::int64_t>(1, request.tensor_parallel));
  if (*ranks % step.tensor_parallel != 0)
    return Error{fmt::format("{} cannot be split into tensor-parallel groups of {}", report::counted(*ranks, "rank"),
                             step.tensor_parallel)};
  step.data_parallel = *ranks / step.tensor_parallel;
  step.layers = static_cast<std::uint32_t>(request.layers);
  step.forward_ps = generated_forward_time(request);
  step.backward_ps = 2 * step.forward_ps;
  step.gradient_bytes = request.bytes.value_or(step.gradient_bytes);
  return generate::training_step(step);
}

Result<generate::PipelineStep> pipeline_to_generate(const GenerateRequest& request) {
  // What is out of range by far is told as what is just out of range.
  const auto count = [](std::int64_t number) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, kMostGeneratedRanks));
  };
  generate::PipelineStep step;
  step.tensor_parallel = count(request.tensor_parallel);
  step.pipeline_parallel = count(request.pipeline_parallel);
  step.microbatches = count(request.microbatches);
  step.layers = count(request.layers);
  step.kernels_per_layer = count(request.kernels_per_layer);
  step.steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, request.steps));
  step.forward_ps = generated_forward_time(request);
  step.gradient_bytes = request.bytes.value_or(step.gradient_bytes);
  step.activation_bytes = request.activation_bytes.value_or(step.activation_bytes);
  const std::uint64_t model = std::uint64_t{step.tensor_parallel} * step.pipeline_parallel;
  const auto usual = static_cast<std::uint32_t>(std::min<std::uint64_t>(model, kMostGeneratedRanks));
  const auto ranks = generated_ranks(request, usual);
  if (!ranks) return ranks.error();
  if (model == 0 || *ranks % model != 0) {
    return Error{fmt::format("{} cannot be split into {} of tensor-parallel groups of {}",
                             report::counted(*ranks, "rank"), report::counted(step.pipeline_parallel, "stage"),
                             step.tensor_parallel)};
  }
  step.data_parallel = static_cast<std::uint32_t>(*ranks / model);
  return step;
}

Result<workload::Workload> make_pipeline(const GenerateRequest& request) {
  const auto step = pipeline_to_generate(request);
  if (!step) return step.error();
  const auto workload = generate::pipeline_step(*step);
  if (!workload) return workload.error();
  return workload::resolve_roles(*workload);  // a file lists groups and names ranks
}

Result<workload::Workload> make_generated(const GenerateRequest& request) {
  const std::string& what = request.what;
  if (what == "training") return make_training_step(request);
  if (what == "pipeline") return make_pipeline(request);
  const auto ranks = generated_ranks(request, 8);
  if (!ranks) return ranks.error();
  const std::int64_t bytes =
      request.default_comm_bytes ? *request.default_comm_bytes : request.bytes.value_or(std::int64_t{1} << 20);
  const auto repetitions = static_cast<std::uint32_t>(request.repetitions);
  if (what == "pingpong") return generate::ping_pong(bytes, repetitions);
  if (what == "incast") return generate::incast(*ranks, bytes);
  if (what == "permutation")
    return generate::random_permutation(*ranks, bytes, static_cast<std::uint64_t>(request.seed));
  if (what == "all_pairs") return generate::all_pairs(*ranks, bytes);
  if (const auto collective = collective_to_generate(what))
    return generate::collective_benchmark({*collective, *ranks, bytes, repetitions});
  return generate::mpi_pattern(what, {*ranks, bytes});
}

Result<GeneratedSets> write_families(const GenerateRequest& request) {
  generate::ChakraFamilyOptions options;
  const auto ranks = generated_ranks(request, options.ranks);
  if (!ranks) return ranks.error();
  options.ranks = *ranks;
  options.runtime_us = request.default_runtime_us.value_or(options.runtime_us);
  options.tensor_bytes = request.default_tensor_bytes.value_or(options.tensor_bytes);
  options.collective_bytes = request.default_comm_bytes.value_or(options.collective_bytes);
  return job::write_chakra_families(options, *request.output);
}

Result<GeneratedSets> write_one_generated(const GenerateRequest& request) {
  const auto write = [&]() -> Result<job::GeneratedFiles> {
    if (request.recipe) {
      const auto step = pipeline_to_generate(request);
      if (!step) return step.error();
      return job::write_recipe(*step, *request.output);
    }
    const auto workload = make_generated(request);
    if (!workload) return workload.error();
    return job::write_generated(*workload, *request.output, request.what);
  };
  const auto written = write();
  if (!written) return written.error();
  return GeneratedSets{*written};
}

Status check_generate(const GenerateRequest& request) {
  if (!request.output) return misuse("no folder given", "-o DIR: the files are DIR/NAME.0.et, DIR/NAME.1.et, ...");
  if (is_standard_output(*request.output))
    return misuse("the files of all ranks go to a folder, not to standard output", "-o DIR");
  if (request.what == "micro" && !request.like_chakra)
    return misuse("micro is what Chakra's generator makes",
                  "add --compat chakra, or name one: orrery generate all_reduce -o DIR");
  if (request.recipe && request.what != "pipeline") return misuse("only a pipeline has a recipe", "leave out --recipe");
  return {};
}

}  // namespace

std::string_view generator_names() {
  static const std::string names = [] {
    std::string text = "micro training pipeline pingpong incast permutation all_pairs";
    for (std::size_t i = 0; i < workload::kCollectives; ++i)
      text += fmt::format(" {}", workload::to_string(static_cast<workload::Collective>(i)));
    for (const std::string_view name : generate::mpi_pattern_names()) {
      if (!collective_to_generate(name))
        text += fmt::format(" {}", name);  // gather and scatter are there as collectives
    }
    return text;
  }();
  return names;
}

Result<report::Answer> run(const GenerateRequest& request, Context& context) {
  if (const Status checked = check_generate(request); !checked) return checked.error();
  const auto written = request.what == "micro" ? write_families(request) : write_one_generated(request);
  // What is no file's fault is that of the numbers given.
  if (!written && written.error().file.empty()) return misuse(written.error().message, written.error().hint);
  if (!written) return written.error();
  // Nothing else is left to chance.
  if (request.what == "permutation") context.set_seed(static_cast<std::uint64_t>(request.seed));
  report::Answer answer = context.answer();
  report::Sheet sheet("workloads");
  sheet.add({.name = "prefix"})
      .add({.name = "ranks", .type = report::Type::integer})
      .add({.name = "nodes", .type = report::Type::integer});
  for (const job::GeneratedFiles& one : *written) {
    sheet.add_row({one.prefix, one.ranks, one.nodes});
    answer.line(
        fmt::format("{}: {}, {}", one.prefix, report::counted(one.ranks, "rank"), report::counted(one.nodes, "node")));
  }
  answer.table(std::move(sheet), {.readers = report::Readers::programs_and_tables});
  return answer;
}

}  // namespace orrery::ask
