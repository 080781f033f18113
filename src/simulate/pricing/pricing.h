// Who prices the communication of a run (simulate/run.h), as a value: which model, and how it is asked: once per
// operation, once per set of operations that ran together, or at every moment of the run. A configuration says it as
// `network: {model: fluid, mode: snapshot, ...}`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/units.h"
#include "machine/communication.h"
#include "machine/machine.h"
#include "machine/yaml/field_kinds.h"
#include "machine/yaml/machine_fields.h"
#include "simulate/loggops/loggops.h"
#include "simulate/models/measured_collectives.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

enum class PricingModel : std::uint8_t {
  fluid,       ///< transfers that meet on a link share it max-min fairly
  analytical,  ///< closed forms, alpha + beta, over the machine's dimensions: what many planners use. Isolated only
  astra,       ///< ASTRA-sim's analytical backends: embedded and exact, or the user's own program
  loggops,     ///< LogGOPS parameters instead of links, by LogGOPSim's rules. In the loop only
  oracle,  ///< whoever Pricing::open_oracle opens says what each operation takes. Isolated only; not of a configuration
};
inline constexpr std::array<std::string_view, 5> kPricingModelNames = {"fluid", "analytical", "astra", "loggops",
                                                                       "oracle"};
/// Those that a configuration can name.
inline constexpr std::span<const std::string_view> kConfiguredModelNames{kPricingModelNames.data(), 4};

enum class PricingMode : std::uint8_t {
  in_loop,   ///< the model runs with the workload
  isolated,  ///< every operation as if it had the network to itself
  snapshot,  ///< an isolated run says which operations are under way together; they are priced as such, and the
             ///< workload is run again
};
inline constexpr std::array<std::string_view, 3> kPricingModeNames = {"in-loop", "isolated", "snapshot"};

/// Which of ASTRA-sim's backends. `automatic`: the congestion-aware one, for as many dimensions as the machine has.
enum class AstraBackend : std::uint8_t { automatic, unaware, aware, aware_multi_dim };
inline constexpr std::array<std::string_view, 4> kAstraBackendNames = {"auto", "unaware", "aware", "aware-md"};

/// Who says what collectives inside a node take, beside the model of links.
enum class CollectiveSource : std::uint8_t {
  links,    ///< the model, as for everything else
  measured  ///< what was measured of the machine's devices (machine/device/collective_lines.h). Fluid only, no
            ///< snapshots
};
inline constexpr std::array<std::string_view, 2> kCollectiveSourceNames = {"links", "measured"};

/// What a configuration can say. A plain value; check() says whether it makes sense.
struct PricingOptions {
  PricingModel model = PricingModel::fluid;
  PricingMode mode = PricingMode::in_loop;
  CollectiveSource collectives = CollectiveSource::links;

  // Of snapshots.
  double merge_us = 0;  ///< starts and ends at most this far after another count as one moment
  std::int64_t coalesce_below_bytes =
      0;                         ///< smaller operations take their isolated price, cut no snapshot and load no link
  double reprice_threshold = 0;  ///< an inflation of at most 1 + this counts as none
  std::int64_t passes = 2;       ///< the most times that sets are taken from a schedule and priced: 1 or 2
  double second_pass_share =
      0.01;  ///< a start that moved by more than this share of the makespan asks for the second pass
  bool partition_by_fabric = false;            ///< operations meet only those whose outermost dimension is theirs
  std::optional<std::string> cache_file = {};  ///< prices of sets and operations, kept across runs

  // Of the model astra.
  AstraBackend astra_backend = AstraBackend::automatic;
  std::optional<machine::AstraSimProgram> astra_sim = {};  ///< is asked instead of the embedded model

  /// An Error says which mode the model cannot do and what it can, or which option belongs to another model.
  [[nodiscard]] Status check() const;

  friend bool operator==(const PricingOptions&, const PricingOptions&) = default;
};

/// Somebody outside who is asked for prices: another simulator, the user's own program.
struct PriceOracle {
  /// How long each of `ops` takes when all start at the same moment, by place. A single operation is asked for alone.
  /// An Error: it has no answer.
  std::function<Result<std::vector<TimePs>>(std::span<const CommOp> ops)> ask = {};
  std::string version =
      {};  ///< part of the key of whatever it says, so that another program's answers are not taken for its own
  std::function<void(Diagnostics& diagnostics)> finish =
      {};  ///< if there is one: called when the run is over, however it ended
};

/// Who prices, with what no configuration can say.
struct Pricing : PricingOptions {
  Pricing(PricingOptions options = {})
      : PricingOptions(std::move(options)) {}  // NOLINT(google-explicit-constructor): one is the other

  /// Runs the program of astra_sim, or whoever else answers for the model oracle: job/astra_sidecar.h knows how. Opened
  /// anew for every run.
  std::function<Result<PriceOracle>(const PricingOptions& options, const machine::Machine& machine,
                                    Diagnostics& diagnostics)>
      open_oracle = {};
  /// Of CollectiveSource::measured: what is known of the machine's devices; job/shipped/measured_collectives.h knows.
  /// An Error: nothing is.
  std::function<Result<MeasuredDevice>(const machine::Machine& machine)> open_collectives = {};
  loggops::Placement placement = loggops::Placement::by_kind;  ///< of the model loggops
  /// Of the mode snapshot: also what sharing cost (PricingReport) and what was priced (SnapshotManifest); some 200
  /// bytes per operation.
  bool keep_snapshots = true;
};

/// What `communication: {network_model: ...}` of a machine and --network-model mean: fluid and astra are in the loop,
/// isolated and snapshot modes of fluid. This snapshot looks at the isolated run once, and keeps nothing of it. Of
/// astra-sidecar the caller opens the oracle.
Pricing pricing_of(machine::NetworkModelKind kind);

inline constexpr machine::Range kPassCount = {1, 2, true};

/// The fields, for the visitors of machine/yaml/field_kinds.h: reader and checker give errors with "did you mean". Left
/// out, the mode is the one that is most like the machine: in-loop, or isolated where the model knows nothing else.
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<PricingOptions> auto& options) {
  using machine::Default;
  const PricingOptions usual;
  visitor.choice("model", options.model, kConfiguredModelNames, Default{PricingModel::fluid});
  visitor.choice("mode", options.mode, kPricingModeNames,
                 Default{options.model == PricingModel::analytical ? PricingMode::isolated : PricingMode::in_loop});
  visitor.choice("collectives", options.collectives, kCollectiveSourceNames, Default{CollectiveSource::links});
  visitor.number("merge_us", options.merge_us, machine::kDelay, Default{usual.merge_us});
  visitor.count("coalesce_below_bytes", options.coalesce_below_bytes, machine::kByteCount,
                Default{usual.coalesce_below_bytes});
  visitor.number("reprice_threshold", options.reprice_threshold, machine::kDelay, Default{usual.reprice_threshold});
  visitor.count("passes", options.passes, kPassCount, Default{usual.passes});
  visitor.number("second_pass_share", options.second_pass_share, machine::kRemainingShare,
                 Default{usual.second_pass_share});
  visitor.flag("partition_by_fabric", options.partition_by_fabric);
  visitor.text("cache_file", options.cache_file);
  visitor.choice("astra_backend", options.astra_backend, kAstraBackendNames, Default{AstraBackend::automatic});
  visitor.object("astra_sim", options.astra_sim);
}

}  // namespace orrery::simulate
