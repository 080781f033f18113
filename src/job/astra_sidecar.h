// ASTRA-sim itself as a network model: the user's own binary is asked what an operation takes, and who prices a run may
// be that binary.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/diagnostics.h"
#include "machine/astra_export.h"
#include "simulate/network_model.h"
#include "simulate/pricing/pricing.h"

namespace orrery::job {

struct SidecarOptions {
  std::string binary;                          ///< ASTRA-sim with an analytical backend
  std::chrono::milliseconds timeout{600'000};  ///< per run
  std::string cache_folder = {};               ///< answers are kept here across runs; empty: in memory only
  /// The user's own files, handed on as they are; else they are made from the machine.
  std::optional<machine::AstraFiles> files = {};
};

/// Writes network.yml, system.json, communicator groups and the ranks' execution traces for one operation, runs the
/// binary, and takes the cycles at which the last participant finished. Answers are kept by a signature of all that was
/// written and of the binary's content; failures and time-outs are remembered for the run, so that nothing is asked in
/// vain twice.
class AstraSidecar {
 public:
  /// A program that has failed this often without a single answer is not asked again.
  static constexpr std::uint64_t kFailuresInVain = 3;

  /// An Error if ASTRA-sim has no words for the machine, or if the program is the congestion-aware one, which takes one
  /// dimension only, and the machine has several.
  static Result<AstraSidecar> open(const machine::Machine& machine, SidecarOptions options);

  /// What ASTRA-sim says. An Error if it does not support the operation, fails, or takes too long.
  Result<simulate::Price> ask(const simulate::CommOp& op);

  /// How long each takes when all start together, by place. The program says when ranks finish, not operations: one
  /// whose ranks all do others too is taken to end with the last of them, which is late rather than early. Nothing is
  /// kept.
  Result<std::vector<TimePs>> ask_together(std::span<const simulate::CommOp> ops);

  /// How often the binary was run, how often an answer or a failure was known, and how many different questions it
  /// answered.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t known() const { return known_; }
  [[nodiscard]] std::uint64_t answered() const { return answers_.size(); }
  /// Complete answers of runs that ended badly all the same: ASTRA-sim is seen to crash while it exits.
  [[nodiscard]] std::uint64_t crashed_after_answer() const { return crashed_after_answer_; }
  [[nodiscard]] const machine::AstraFiles& files() const { return files_; }
  /// The program, by name and content, and the files it is given: whatever its answers depend on besides operations.
  [[nodiscard]] std::string version() const;

 private:
  AstraSidecar(machine::AstraFiles files, std::uint32_t devices, SidecarOptions options, std::uint64_t binary_hash)
      : files_(std::move(files)), devices_(devices), options_(std::move(options)), binary_hash_(binary_hash) {}

  [[nodiscard]] std::uint64_t signature_of(const simulate::CommOp& op) const;
  std::optional<TimePs> cached(std::uint64_t signature);
  void keep(std::uint64_t signature, TimePs answer);
  /// When each of `ranks` finished.
  Result<std::vector<TimePs>> run(const workload::Workload& workload, std::span<const std::uint32_t> ranks);
  [[nodiscard]] Status check_worth_asking() const;
  [[nodiscard]] std::string cache_path(std::uint64_t signature) const;

  machine::AstraFiles files_;
  std::uint32_t devices_;
  SidecarOptions options_;
  std::uint64_t binary_hash_;
  std::unordered_map<std::uint64_t, TimePs> answers_;
  std::unordered_map<std::uint64_t, Error> failures_;
  std::uint64_t runs_ = 0, known_ = 0, crashed_after_answer_ = 0;
};

inline constexpr DiagnosticKind kCrashedAfterAnswer{
    "S108", Severity::warning, "run of ASTRA-sim that ended badly after a complete answer", "the answer is used"};

/// For Pricing::open_oracle, of whatever PricingOptions::astra_sim names. Runs of the program that ended badly after a
/// complete answer are counted (S108), and a machine that had to be described to it differently is told (S109). An
/// Error as of AstraSidecar::open.
Result<simulate::PriceOracle> open_astra_sim(const simulate::PricingOptions& options, const machine::Machine& machine,
                                             Diagnostics& diagnostics);

/// What came of asking.
struct SidecarUse {
  bool answered = true;             ///< false: the program was asked, and answered nothing: the times are not its own
  std::uint64_t runs = 0;           ///< of the program
  std::uint64_t known_answers = 0;  ///< questions that did not need one
};

/// Each operation takes what the program says (the network model astra-sidecar). `use` is written when the run is over,
/// and must be there until then.
simulate::Pricing sidecar_pricing(SidecarOptions options, SidecarUse& use);

/// The last "sys[R] finished, C cycles" among `ranks` in ASTRA-sim's output; an Error if one of them did not finish.
Result<TimePs> parse_astra_output(std::string_view output, std::span<const std::uint32_t> ranks);

}  // namespace orrery::job
