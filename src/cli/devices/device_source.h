// From the command line to what the devices did: what breakdown, kernels, launches and memory share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/device/device_rank.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"
#include "report/sheet.h"

namespace orrery::cli {

/// --rank, --annotation, --instance, --csv and the input flags, behind the verb's own.
std::vector<Flag> with_device_flags(std::vector<Flag> flags);

struct DeviceJob {
  std::shared_ptr<const trace::Trace> trace;  ///< what `ranks` refer to
  std::vector<analyze::DeviceRank> ranks;
};

/// Reads all ranks, or that of --rank; the window is all that was recorded, or --annotation and --instance.
Result<DeviceJob> load_devices(Invocation& invocation, bool with_operators);

/// What a key of the answer cannot say, and why.
using Unavailable = std::vector<std::pair<std::string, std::string>>;

/// Members of data: ranks, are_runs, windows (file, label and span of each), then each sheet under its name, null if
/// `unavailable` has it, and `unavailable`.
void write_devices_json(JsonWriter& json, const DeviceJob& job, const std::vector<report::Sheet>& sheets,
                        const Unavailable& unavailable);

/// Whether the ranks are several runs, which have nothing to do with one another (trace/rank_numbers.h).
bool are_runs(const DeviceJob& job);

/// "rank 0, whole trace, 58.2 ms", "4 ranks, ProfilerStep#3, 58.2 ms".
std::string window_in_words(const DeviceJob& job);
std::string window_in_words(const analyze::DeviceRank& rank);

/// Said instead of an answer where no rank has device work; the next command is about the host.
std::string no_device_work_text(const Invocation& invocation, const DeviceJob& job);

/// "Next: why? orrery path FILE --annotation ...\n", with the flags that choose the same window. Of several ranks, all
/// that were named.
std::string next_verb(const Invocation& invocation, std::string_view question, std::string_view verb);

/// A view of `rows` rows at most, in words of their own.
report::SheetView short_view(const Invocation& invocation, std::size_t rows, std::string_view rest);

inline constexpr std::size_t kRowsThatMatter = 10;

}  // namespace orrery::cli
