// From the files that a question names to what the devices did: what breakdown, kernels, launches and memory share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyze/device/device_rank.h"
#include "ask/compat.h"
#include "ask/graphs/causal_source.h"
#include "report/answer.h"

namespace orrery::ask {

/// All ranks, or one; without a window all that was recorded. Instances alone count the profiler's steps.
struct DeviceRequest {
  RecordingRequest recording = {};
  WindowChoice window = {};
};
template <typename Visitor>
void fields(DeviceRequest& request, Visitor&& visit) {
  fields(request.recording, visit);
  fields(request.window, visit);
}

/// Which of the fields, and of a field `sort` beside them, belong to the other mode. HTA has no notion of ours.
std::optional<Error> check_device_mode(Compat compat, const DeviceRequest& request, bool has_sort,
                                       std::initializer_list<GivenField> of_hta);

struct DeviceJob {
  std::shared_ptr<const trace::Trace> trace;  ///< what `ranks` refer to
  std::vector<analyze::DeviceRank> ranks;
};

/// What of the recording is asked for beside the works of its devices.
struct DeviceDetail {
  bool operators = false;  ///< DeviceRank::operators
  bool operands = false;   ///< see formats::TraceOptions
};

Result<DeviceJob> load_devices(Context& context, const DeviceRequest& request, DeviceDetail detail = {});

/// Whether the ranks are several runs, which have nothing to do with one another (trace/names/rank_numbers.h).
bool are_runs(const DeviceJob& job);

/// "rank 0, whole trace, 58.2 ms", "4 ranks, ProfilerStep#3, 58.2 ms".
std::string window_in_words(const DeviceJob& job);
std::string window_in_words(const analyze::DeviceRank& rank);

/// The question to ask next, of the same ranks and window: "orrery path FILE --annotation ...".
void tell_next(report::Answer& answer, const DeviceRequest& request, std::string_view question, std::string_view verb);

/// Said to people instead of an answer where no rank has device work; the next command is about the host.
void tell_no_device_work(report::Answer& answer, const DeviceRequest& request, const DeviceJob& job);

/// How many rows of a table people see, unless they say otherwise.
inline constexpr std::size_t kRowsThatMatter = 10;
/// The same where 0 is all.
inline std::size_t rows_shown(std::size_t top) { return top == 0 ? ~std::size_t{0} : top; }

/// What a table cannot say, and why. Programs find null under its name, and the reason in the member "unavailable".
using Unavailable = std::vector<std::pair<std::string, std::string>>;
void tell_unavailable(report::Facts& facts, const Unavailable& unavailable);

/// The tables of an answer about devices. One that is empty is left out for people, unavailable for programs, and a
/// line of keys in CSV.
class DeviceTables {
 public:
  /// Tells programs whose devices these are: ranks, are_runs, windows (file, label and span of each).
  DeviceTables(report::Answer& answer, const DeviceJob& job);

  /// `why_empty`: that it has no rows though there is device work. `make` returns the sheet, if somebody reads it.
  template <typename Make>
    requires(std::is_invocable_r_v<report::Sheet, Make>)
  void add(Make&& make, std::string_view why_empty, const report::Shown& shown = {}) {
    if (answer_.reads(shown.readers)) add_sheet(make(), any_work_ ? why_empty : kNoWork, !any_work_, shown);
  }
  /// The same of one that does not need device work.
  template <typename Make>
    requires(std::is_invocable_r_v<report::Sheet, Make>)
  void add_of_host(Make&& make, std::string_view why_empty, const report::Shown& shown = {}) {
    if (answer_.reads(shown.readers)) add_sheet(make(), why_empty, false, shown);
  }
  /// The same of a list that may well have nothing in it: programs find it empty, and the reason beside it.
  template <typename Make>
    requires(std::is_invocable_r_v<report::Sheet, Make>)
  void add_list(Make&& make, std::string_view why_empty, const report::Shown& shown = {}) {
    if (!answer_.reads(shown.readers)) return;
    report::Sheet sheet = make();
    if (sheet.rows() > 0 || !answer_.for_programs()) return add_sheet(std::move(sheet), why_empty, false, shown);
    answer_.facts().key(sheet.name()).begin_array().end_array();
    unavailable_.emplace_back(sheet.name(), why_empty);
  }
  void add_unavailable(std::string_view name, std::string_view reason);
  /// Behind the last.
  void finish();

 private:
  static constexpr std::string_view kNoWork = "no device work was recorded in the window";
  void add_sheet(report::Sheet sheet, std::string_view why_empty, bool is_missing, const report::Shown& shown);

  report::Answer& answer_;
  bool any_work_;
  Unavailable unavailable_;
};

}  // namespace orrery::ask
