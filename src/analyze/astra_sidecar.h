// ASTRA-sim itself as a network model: the user's own binary is asked what an operation takes.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "base/diagnostics.h"
#include "machine/astra_export.h"
#include "simulate/network_model.h"

namespace orrery::analyze {

struct SidecarOptions {
  std::string binary;                          ///< ASTRA-sim with an analytical backend
  std::chrono::milliseconds timeout{600'000};  ///< per run
  std::string cache_folder = {};               ///< answers are kept here across runs; empty: in memory only
};

/// Writes network.yml, system.json, communicator groups and the ranks' execution traces for one operation, runs the binary, and takes the cycles
/// at which the last participant finished. Answers are kept by a signature of all that was written and of the binary.
class AstraSidecar {
 public:
  /// An Error if ASTRA-sim has no words for the machine.
  static Result<AstraSidecar> open(const machine::Machine& machine, SidecarOptions options);

  /// What ASTRA-sim says. An Error if it does not support the operation, fails, or takes too long.
  Result<simulate::Price> ask(const simulate::CommOp& op);

  /// How often the binary was run, and how often an answer was known.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t known() const { return known_; }

 private:
  AstraSidecar(machine::AstraFiles files, std::uint32_t devices, SidecarOptions options)
      : files_(std::move(files)), devices_(devices), options_(std::move(options)) {}

  Result<TimePs> run(const workload::Workload& workload, std::span<const std::uint32_t> ranks);
  [[nodiscard]] std::string cache_path(std::uint64_t signature) const;

  machine::AstraFiles files_;
  std::uint32_t devices_;
  SidecarOptions options_;
  std::unordered_map<std::uint64_t, TimePs> answers_;
  std::uint64_t runs_ = 0, known_ = 0;
};

/// The last "sys[R] finished, C cycles" among `ranks` in ASTRA-sim's output; an Error if one of them did not finish.
Result<TimePs> parse_astra_output(std::string_view output, std::span<const std::uint32_t> ranks);

}  // namespace orrery::analyze
