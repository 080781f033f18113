// Feeds arbitrary host traces, linked or not, to the emitter of operation lists. Beyond not crashing: lists are sound.
// Every number in them is that of something that is there, and no storage is used before it is made or after it is
// freed.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/reader.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/source/linked_source.h"
#include "replay/torch/write/operation_writer.h"

namespace {

using namespace orrery;
using namespace orrery::replay::torch;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(const OperationList& list) {
  std::vector<bool> is_there;
  for (const Storage& storage : list.storages) is_there.push_back(storage.is_given);
  for (const Entry& entry : list.entries) {
    require(entry.thread < list.threads, "a thread that there is not");
    require(list.streams.empty() || entry.stream < list.streams.size(), "a stream that there is not");
    require(entry.kind != Entry::Kind::call || entry.number < list.forms.size(), "a form that there is not");
    const bool makes = entry.kind == Entry::Kind::make;
    for (const std::uint32_t storage : list.inputs_of(entry)) {
      require(storage < is_there.size(), "a storage that there is not");
      require(makes != is_there[storage] || (!makes && is_there[storage]),
              "a storage that is not there, or made twice");
      is_there[storage] = entry.kind != Entry::Kind::release || list.storages[storage].is_given;
    }
    for (const std::uint32_t storage : list.outputs_of(entry)) is_there[storage] = true;
    for (const std::uint32_t storage : list.freed_of(entry)) {
      require(is_there[storage], "what is freed is not there");
      is_there[storage] = false;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const int fd = ::memfd_create("replay_fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  require(::ftruncate(fd, 0) == 0 && ::pwrite(fd, data, size, 0) == static_cast<ssize_t>(size), "cannot write");
  Interner strings;
  Diagnostics diagnostics;
  const auto host = pytorch_et::read_host_trace(path, strings, diagnostics);
  if (!host) return 0;
  std::vector<RankSource> sources;
  sources.push_back(source_of_linked(*host, strings, 0, 2));
  std::vector<trace::HostArguments> arguments;
  arguments.push_back(pytorch_et::read_arguments(*sources[0].host, strings));
  EmitOptions options;
  options.keeps_pace = true;
  // By size, so that one input is one case: each sort of edit, with what it can be limited to.
  static const char* const kEdits[] = {"comm * 2.5",
                                       "op remove",
                                       "kernel:/a/ remove",
                                       "gpu * 0.5",
                                       "step:0-9 gpu remove",
                                       "delay 1ms",
                                       "cpu * 3",
                                       "kernel in \"*\" + 1us",
                                       "group:* collective:all_* remove",
                                       "comm:* stream 7 * 0.1"};
  options.edits.push_back(analyze::parse_edit(kEdits[size % std::size(kEdits)]));
  if (const auto job = emit_ranks({sources.begin(), sources.end()}, arguments, options); job) {
    check(job->ranks[0]);
    (void)to_json(job->ranks[0]);
  }
  options.edits.clear();
  const auto scaled = parse_scale(size % 2 == 0 ? "batch" : "sequence", size % 3 == 0 ? "0.5" : "2");
  for (const bool scales : {false, true}) {
    if (scales) options.scale = *scaled;
    const auto job = emit_ranks({sources.begin(), sources.end()}, arguments, options);
    require(job.ok() || scales, "refused though nothing is scaled");
    if (!job) continue;
    check(job->ranks[0]);
    (void)to_json(job->ranks[0]);
  }
  return 0;
}
