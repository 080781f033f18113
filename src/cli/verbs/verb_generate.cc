// orrery generate: workloads to simulate, as Chakra execution traces.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/io/output_file.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"
#include "generate/chakra_families.h"
#include "generate/micro_benchmarks.h"
#include "generate/mpi_patterns.h"
#include "generate/pipeline_step.h"
#include "generate/training_step.h"
#include "job/write/generated_files.h"
#include "report/counted.h"
#include "report/sheet.h"
#include "report/sheet_json.h"
#include "workload/resolve_roles.h"

namespace orrery::cli {
namespace {

constexpr std::uint32_t kMostRanks = 1 << 20;

constexpr std::string_view kGeneratorFlags = "Flags of Chakra's generator, so that scripts keep working";

Result<std::uint32_t> rank_count(const Invocation& invocation, std::uint32_t usual) {
  const std::string_view flag = invocation.has("num_npus")   ? "num_npus"
                                : invocation.has("num-npus") ? "num-npus"
                                                             : "ranks";
  const std::int64_t ranks = invocation.has(flag) ? invocation.integer(flag) : usual;
  if (ranks < 1 || ranks > kMostRanks)
    return Error{fmt::format("{}: from 1 to {} can be made", report::counted(ranks, "rank"), kMostRanks)};
  return static_cast<std::uint32_t>(ranks);
}

std::optional<workload::Collective> collective_called(std::string_view name) {
  for (std::size_t i = 0; i < workload::kCollectives; ++i) {
    const auto collective = static_cast<workload::Collective>(i);
    if (workload::to_string(collective) == name) return collective;
  }
  return std::nullopt;
}

Result<workload::Workload> make_training_step(const Invocation& invocation) {
  generate::TrainingStep step;
  const auto ranks = rank_count(invocation, 8);
  if (!ranks) return ranks.error();
  step.tensor_parallel = static_cast<std::uint32_t>(std::max<std::int64_t>(1, invocation.integer("tensor-parallel")));
  if (*ranks % step.tensor_parallel != 0)
    return Error{fmt::format("{} cannot be split into tensor-parallel groups of {}", report::counted(*ranks, "rank"),
                             step.tensor_parallel)};
  step.data_parallel = *ranks / step.tensor_parallel;
  step.layers = static_cast<std::uint32_t>(invocation.integer("layers"));
  step.forward_ps = static_cast<TimePs>(invocation.number("layer-us") * static_cast<double>(kPsPerUs));
  step.backward_ps = 2 * step.forward_ps;
  if (invocation.has("bytes")) step.gradient_bytes = invocation.bytes("bytes");
  return generate::training_step(step);
}

Result<generate::PipelineStep> pipeline_of(const Invocation& invocation) {
  generate::PipelineStep step;
  const auto count = [&](std::string_view flag) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(invocation.integer(flag), 0, kMostRanks));
  };
  step.tensor_parallel = count("tensor-parallel");
  step.pipeline_parallel = count("pipeline-parallel");
  step.microbatches = count("microbatches");
  step.layers = count("layers");
  step.kernels_per_layer = count("kernels-per-layer");
  step.steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, invocation.integer("steps")));
  step.forward_ps = static_cast<TimePs>(invocation.number("layer-us") * static_cast<double>(kPsPerUs));
  if (invocation.has("bytes")) step.gradient_bytes = invocation.integer("bytes");
  if (invocation.has("activation-bytes")) step.activation_bytes = invocation.integer("activation-bytes");
  const std::uint64_t model = std::uint64_t{step.tensor_parallel} * step.pipeline_parallel;
  const auto ranks = rank_count(invocation, static_cast<std::uint32_t>(std::min<std::uint64_t>(model, kMostRanks)));
  if (!ranks) return ranks.error();
  if (model == 0 || *ranks % model != 0) {
    return Error{fmt::format("{} cannot be split into {} of tensor-parallel groups of {}",
                             report::counted(*ranks, "rank"), report::counted(step.pipeline_parallel, "stage"),
                             step.tensor_parallel)};
  }
  step.data_parallel = static_cast<std::uint32_t>(*ranks / model);
  return step;
}

Result<workload::Workload> make_pipeline(const Invocation& invocation) {
  const auto step = pipeline_of(invocation);
  if (!step) return step.error();
  const auto workload = generate::pipeline_step(*step);
  if (!workload) return workload.error();
  return workload::resolve_roles(*workload);  // a file lists groups and names ranks
}

std::uint64_t seed_of(const Invocation& invocation) { return static_cast<std::uint64_t>(invocation.integer("seed")); }

Result<workload::Workload> make_workload(const Invocation& invocation, const std::string& what) {
  if (what == "training") return make_training_step(invocation);
  if (what == "pipeline") return make_pipeline(invocation);
  const auto ranks = rank_count(invocation, 8);
  if (!ranks) return ranks.error();
  const std::string_view size = invocation.has("default_comm_size") ? "default_comm_size" : "bytes";
  const std::int64_t bytes = invocation.has(size) ? invocation.bytes(size) : 1 << 20;
  if (what == "pingpong")
    return generate::ping_pong(bytes, static_cast<std::uint32_t>(invocation.integer("repetitions")));
  if (what == "incast") return generate::incast(*ranks, bytes);
  if (what == "permutation") return generate::random_permutation(*ranks, bytes, seed_of(invocation));
  if (what == "all_pairs") return generate::all_pairs(*ranks, bytes);
  if (const auto collective = collective_called(what)) {
    return generate::collective_benchmark(
        {*collective, *ranks, bytes, static_cast<std::uint32_t>(invocation.integer("repetitions"))});
  }
  return generate::mpi_pattern(what, {*ranks, bytes});
}

using Files = std::vector<job::GeneratedFiles>;

Result<Files> generate_families(const Invocation& invocation, const std::string& folder) {
  generate::ChakraFamilyOptions options;
  const auto ranks = rank_count(invocation, options.ranks);
  if (!ranks) return ranks.error();
  options.ranks = *ranks;
  if (invocation.has("default_runtime")) options.runtime_us = invocation.integer("default_runtime");
  if (invocation.has("default_tensor_size")) options.tensor_bytes = invocation.bytes("default_tensor_size");
  if (invocation.has("default_comm_size")) options.collective_bytes = invocation.bytes("default_comm_size");
  return job::write_chakra_families(options, folder);
}

Result<Files> generate_recipe(const Invocation& invocation, const std::string& folder) {
  const auto step = pipeline_of(invocation);
  if (!step) return step.error();
  const auto written = job::write_recipe(*step, folder);
  if (!written) return written.error();
  return Files{*written};
}

Result<Files> generate_one(const Invocation& invocation, const std::string& what, const std::string& folder) {
  const auto workload = make_workload(invocation, what);
  if (!workload) return workload.error();
  const auto written = job::write_generated(*workload, folder, what);
  if (!written) return written.error();
  return Files{*written};
}

ExitCode run_generate(Invocation& invocation) {
  if (!invocation.has("output"))
    return invocation.fail_usage({"no folder given", "-o DIR: the files are DIR/NAME.0.et, DIR/NAME.1.et, ..."});
  const std::string folder = invocation.text("output");
  if (is_standard_output(folder))
    return invocation.fail_usage({"the files of all ranks go to a folder, not to standard output", "-o DIR"});
  const std::string& what = invocation.operands()[0];
  const bool families = what == "micro";
  if (families && invocation.text("compat") != "chakra") {
    return invocation.fail_usage({"micro is what Chakra's generator makes",
                                  "add --compat chakra, or name one: orrery generate all_reduce -o DIR"});
  }
  const bool recipe = invocation.has("recipe");
  if (recipe && what != "pipeline")
    return invocation.fail_usage({"only a pipeline has a recipe", "leave out --recipe"});
  const auto written = families ? generate_families(invocation, folder)
                       : recipe ? generate_recipe(invocation, folder)
                                : generate_one(invocation, what, folder);
  // What is no file's fault is that of the numbers given.
  if (!written && written.error().file.empty())
    return invocation.fail_usage({written.error().message, written.error().hint});
  if (!written) return invocation.fail(written.error());
  if (what == "permutation") invocation.set_seed(seed_of(invocation));  // nothing else is left to chance
  report::Sheet sheet("workloads");
  sheet.add({.name = "prefix"})
      .add({.name = "ranks", .type = report::Type::integer})
      .add({.name = "nodes", .type = report::Type::integer});
  for (const job::GeneratedFiles& one : *written) {
    sheet.add_row({one.prefix, one.ranks, one.nodes});
    invocation.text() +=
        fmt::format("{}: {}, {}\n", one.prefix, report::counted(one.ranks, "rank"), report::counted(one.nodes, "node"));
  }
  write_sheet(invocation.data(), sheet);
  return ExitCode::ok;
}

std::string_view generator_names() {
  static const std::string names = [] {
    std::string text = "micro training pipeline pingpong incast permutation all_pairs";
    for (std::size_t i = 0; i < workload::kCollectives; ++i)
      text += fmt::format(" {}", workload::to_string(static_cast<workload::Collective>(i)));
    for (const std::string_view name : generate::mpi_pattern_names()) {
      if (!collective_called(name)) text += fmt::format(" {}", name);  // gather and scatter are there as collectives
    }
    return text;
  }();
  return names;
}

}  // namespace

const Verb& generate_verb() {
  static const Verb verb = {
      .name = "generate",
      .summary = "make workloads to simulate",
      .description =
          "Writes Chakra execution traces, one file per rank: a collective of a size, messages in a pattern, one step "
          "of data- and "
          "tensor-parallel "
          "training, one in the 1F1B order of pipeline parallelism, the message patterns of MPI collectives, or, as "
          "micro with --compat "
          "chakra, the families of Chakra's own generator, "
          "byte for byte.",
      .operands = {.name = "WHAT", .help = "what to make", .min = 1, .max = 1, .choices = generator_names()},
      .flags =
          {Flag{.name = "ranks",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "how many ranks",
                .default_text = "8"},
           Flag{
               .name = "bytes",
               .value_name = "SIZE",
               .kind = ValueKind::bytes,
               .help = "of the collective or message, like 4096, 64kB, 1GB or 1GiB; of training: gradients of a layer"},
           Flag{.name = "repetitions",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a collective or ping-pong",
                .default_text = "1"},
           Flag{.name = "layers",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of training",
                .default_text = "24"},
           Flag{.name = "layer-us",
                .value_name = "X",
                .kind = ValueKind::number,
                .help = "forward compute of a layer; backward takes twice that",
                .default_text = "1000"},
           Flag{.name = "tensor-parallel",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "ranks that share a layer",
                .default_text = "1"},
           Flag{.name = "pipeline-parallel",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "stages of a pipeline",
                .default_text = "2"},
           Flag{.name = "microbatches",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a pipeline",
                .default_text = "8"},
           Flag{.name = "kernels-per-layer",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a pipeline's forward pass; backward has twice as many",
                .default_text = "16"},
           Flag{.name = "activation-bytes",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a pipeline: of one microbatch, handed on and reduced in tensor-parallel groups"},
           Flag{.name = "steps",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a pipeline, one after the other",
                .default_text = "1"},
           Flag{.name = "recipe",
                .help =
                    "of a pipeline: write DIR/pipeline.json, which tells how to make it, instead of a file per rank"},
           Flag{.name = "seed",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "of a random permutation",
                .default_text = "1"},
           Flag{.name = "compat", .value_name = "TOOL", .help = "make what TOOL makes", .choices = "chakra"},
           Flag{.name = "num-npus",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "the same as --ranks",
                .group = kGeneratorFlags},
           Flag{.name = "num_npus",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "the same as --ranks",
                .group = kGeneratorFlags},
           Flag{.name = "default_runtime",
                .value_name = "US",
                .kind = ValueKind::count,
                .help = "of micro: how long computations take; 5 if not given",
                .group = kGeneratorFlags},
           Flag{.name = "default_tensor_size",
                .value_name = "SIZE",
                .kind = ValueKind::bytes,
                .help = "of micro: of memory nodes, sends and receives; 1024 if not given",
                .group = kGeneratorFlags},
           Flag{.name = "default_comm_size",
                .value_name = "SIZE",
                .kind = ValueKind::bytes,
                .help = "the same as --bytes; of micro: of collectives, 65536 if not given",
                .group = kGeneratorFlags}},
      .examples = {{"orrery generate all_reduce --ranks 64 --bytes 1GB -o et",
                    "et/all_reduce.0.et to et/all_reduce.63.et"},
                   {"orrery generate training --ranks 16 --tensor-parallel 4 -o et",
                    "a training step, with et/training.groups.json for --comm-group"},
                   {"orrery generate pipeline --ranks 16384 --tensor-parallel 8 --pipeline-parallel 16 --microbatches "
                    "64 --layers 96 "
                    "--recipe -o job",
                    "a job of 16,384 ranks in a few lines, for simulate --workload job/pipeline.json"},
                   {"orrery generate pipeline --steps 1000 --recipe -o job",
                    "a thousand steps, which simulate makes as it comes to them"}},
      .output_help = "the folder to write to",
      .run = run_generate,
  };
  return verb;
}

}  // namespace orrery::cli
