// The actions of one rank into a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "workload/program_builder.h"

namespace orrery::simgrid_ti {

// What can be odd about a TI trace. Codes are listed in docs/DIAGNOSTICS.md.

inline constexpr DiagnosticKind kWithoutEffect{"I830", Severity::note,
                                               "TI trace: action on communicators, which replay passes over",
                                               "all collectives are of all ranks, as in SimGrid's replay"};
inline constexpr DiagnosticKind kNothingToWaitFor{
    "I831", Severity::warning, "TI trace: wait for a request that nobody made", "it waits for nothing"};
inline constexpr DiagnosticKind kUnknownAction{"I832", Severity::warning, "TI trace: action that is not known",
                                               "it was left out"};
inline constexpr DiagnosticKind kScan{"I833", Severity::warning, "TI trace: scan or exscan, which no workload has",
                                      "taken as an all-reduce of the same size"};

/// One line: "3 send 1 42 1024 6".
struct Action {
  std::string_view name;
  std::vector<std::string_view> arguments;  ///< behind the name
  std::uint64_t offset = 0;
};

/// Whether SimGrid's replay knows an action of this name.
bool is_action(std::string_view name);

class ActionProgram {
 public:
  ActionProgram(std::int64_t rank, std::int64_t ranks, const std::string& path, Interner& strings,
                Diagnostics* diagnostics)
      : rank_(rank), ranks_(ranks), path_(path), strings_(strings), diagnostics_(diagnostics) {}

  Status take(const Action& action);
  /// Of a scatterv only the root knows the sizes: the how-manieth collective it is, its activity, and its root.
  struct Scatter {
    std::size_t collective = 0, activity = 0, root = 0;
  };
  [[nodiscard]] const std::vector<Scatter>& scatters() const { return scatters_; }
  Result<workload::Program> build() && { return std::move(builder_).build(); }

 private:
  Status take_message(bool is_send, bool is_blocking);
  Status take_exchange();
  Status take_wait(bool is_test);
  Status take_compute(bool is_sleep);
  Status take_collective();
  [[nodiscard]] std::size_t type_of_allgatherv() const;
  Status take_counts(std::string_view name, workload::Activity& activity);
  Status remark(const DiagnosticKind& kind);
  [[nodiscard]] Error error(std::string message) const;

  /// The i-th argument as a number of at least `least`; false if it is none.
  bool number(std::size_t i, std::int64_t least, std::int64_t& out) const;
  /// Bytes of one element of the datatype at argument i; the default if there is none.
  [[nodiscard]] bool element(std::size_t i, std::int64_t& out) const;
  bool counts(std::size_t first, std::vector<std::int64_t>& out) const;
  std::uint64_t add(workload::Activity activity);
  void go_on_after(std::vector<std::uint64_t> ids) { frontier_ = std::move(ids); }
  void add_operations(std::size_t argument);

  using RequestKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // source, destination, tag

  std::int64_t rank_, ranks_;
  const std::string& path_;
  Interner& strings_;
  Diagnostics* diagnostics_;
  const Action* action_ = nullptr;
  workload::ProgramBuilder builder_;
  std::uint64_t last_id_ = 0;
  std::int64_t default_bytes_ = 1;       // of an element whose type is not written
  std::vector<std::uint64_t> frontier_;  // what the next activity waits for
  std::map<RequestKey, std::vector<std::uint64_t>> open_;
  std::size_t collectives_ = 0;
  std::vector<Scatter> scatters_;
  std::vector<std::int64_t> list_;  // parts of the collective at hand
};

}  // namespace orrery::simgrid_ti
