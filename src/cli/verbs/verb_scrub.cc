// orrery scrub: make a trace safe to share.
#include "ask/files/scrub.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_scrub(Invocation& invocation) {
  ask::ScrubRequest request;
  request.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& scrub_verb() {
  static const Verb verb = {
      .name = "scrub",
      .summary = "make a trace safe to share: names hashed, shapes and metadata gone, times the same",
      .description =
          "Writes the files of one job again without what they give away. Names of operators, kernels, annotations, "
          "process groups and "
          "functions become a word for the sort of work and a hash whose key is thrown away; shapes, values, source "
          "lines, paths and "
          "metadata "
          "are left out; "
          "process numbers and the time of day are replaced. What analyses need stays, so that path, replay and "
          "simulate give the same "
          "times before and after.\n\n"
          "Takes PyTorch profiler traces, execution traces, linked traces, Chakra files (.et), A-mpiP traces and files "
          "of communicators; "
          "all files of one "
          "call "
          "are renamed alike. Anything it does not know is left out.",
      .operands = {.name = "FILE...",
                   .help = "files, folders or globs: all files of one job",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags =
          {
              csv_flag(),
              Flag{.name = "dry-run", .help = "write nothing; list what would go and what would stay"},
              Flag{.name = "key-file",
                   .value_name = "FILE",
                   .kind = ValueKind::file,
                   .help =
                       "keep the key in FILE, or use the one in it, so that several calls agree; keep it to yourself"},
              Flag{.name = "keep-file-names", .help = "instead of rank_0.kineto.json.gz and the like"},
              Flag{.name = "keep-device-names", .help = "\"NVIDIA H200\" stays"},
              Flag{.name = "keep-operators",
                   .help = "names, schemas, shapes and numbers of PyTorch's own operators stay, so that replay --emit "
                           "calls them again; "
                           "those of "
                           "the job stay hidden"},
              Flag{.name = "round-sizes",
                   .value_name = "BITS",
                   .kind = ValueKind::count,
                   .help = "round message and tensor sizes to so many leading bits (1: powers of two)",
                   .group = "Coarser"},
              Flag{.name = "jitter",
                   .value_name = "TIME",
                   .help = "move every moment by up to TIME (5us); the order of all moments stays",
                   .group = "Coarser"},
              Flag{.name = "fuse",
                   .help = "join chains of compute nodes of Chakra files to one node",
                   .group = "Coarser"},
          },
      .examples = {{"orrery scrub traces/ --dry-run", "what would go and what would stay"},
                   {"orrery scrub traces/ -o public/", "all ranks of a job, renamed alike"},
                   {"orrery scrub traces/ -o public/ --keep-operators", "for replay --emit torch"},
                   {"orrery scrub et/ -o public/ --fuse --round-sizes 3 --jitter 5us",
                    "a workload for a simulator, coarser still"}},
      .output_help = "the folder to write to; made if it is not there",
      .run = run_scrub,
  };
  return verb;
}

}  // namespace orrery::cli
