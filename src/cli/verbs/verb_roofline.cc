// orrery roofline: how far each operator is from the device's roof.
#include "ask/devices/roofline.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_roofline(Invocation& invocation) {
  ask::RooflineRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& roofline_verb() {
  static const Verb verb = {
      .name = "roofline",
      .summary = "how far each operator is from what the device can do",
      .description =
          "FLOPs and bytes of each call of an operator follow from its recorded shapes: each operand read once, the "
          "result written once. The roof is the longer of FLOPs at the device's peak rate and bytes at its memory "
          "bandwidth; the share is what the roof allows of what was measured. Above 100 per cent the formula counts "
          "more than was done, or data stayed in the cache: it is kept and flagged. Operators without a formula are "
          "listed without a roof.\n\n"
          "Shapes must have been recorded (record_shapes=True). Work of captured graphs has operators with --capture.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_device_flags({
          device_flag(),
          Flag{.name = "top",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "the N largest operators; 0: all",
               .default_text = "10"},
          Flag{.name = "sort",
               .value_name = "WHAT",
               .help = "what makes an operator large: its time, the time lost beyond the roof, or a low share of it",
               .default_text = "time",
               .choices = "time lost share"},
      }),
      .examples = {{"orrery roofline trace.json.gz", "the ten operators that take longest"},
                   {"orrery roofline decode.json.gz --capture capture.json.gz --device mi300x --sort lost",
                    "what captured decoding loses, by operator"}},
      .run = run_roofline,
  };
  return verb;
}

}  // namespace orrery::cli
