// orrery generate: workloads to simulate, as Chakra execution traces.
#include "ask/workloads/generate.h"
#include "cli/frame/answer.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kGeneratorFlags = "Flags of Chakra's generator, so that scripts keep working";

ExitCode run_generate(Invocation& invocation) {
  ask::GenerateRequest request;
  request.what = invocation.operands()[0];
  return answer(invocation, std::move(request));
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
      .operands = {.name = "WHAT", .help = "what to make", .min = 1, .max = 1, .choices = ask::generator_names()},
      .flags =
          {Flag{.name = "ranks",
                .value_name = "N",
                .kind = ValueKind::count,
                .help = "how many ranks; if not given 8, of a pipeline as many as hold the model once, of micro 64"},
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
