// How long a collective takes, by lines that measurements gave.
//
// A library has several protocols, and takes the one that it holds for the fastest: one with short latencies and a poor
// bandwidth for small messages, one that fills the links for large ones. Each is a line in the bytes B of the buffer of
// a rank, n ranks, and the link L of the device to its neighbours:
//
//   t_i = base_i + rank_i (n - 1) + B/L (f(n)/wire_i + 1/local_i),   f = 2(n-1)/n all-reduce, (n-1)/n the others
//
// f B is what crosses the link of a rank at least; `local` is the passes over the buffer that do not depend on the
// ranks (copies into and out of the library's buffers, the sums), without which two and eight ranks of one device need
// different lines. The time is the smallest line, rounded where two are alike (a p-norm with p = -16), times what
// measurements of that size, number of ranks and width of elements lay beside it: libraries switch protocols too late
// or too early, where no line tells. Between two sizes that were measured the time grows in proportion to the bytes, as
// one protocol does, and bulges by a third of what the lines do, should there be a switch between. Corrections of
// ranks lie between neighbours in logarithms; outside of sizes and ranks they stay as they are. A longer message never
// takes less: prices are made at powers of two, of which none is below the one before it, and lie between on straight
// lines in logarithms.
//
// `bytes` counts as CommOp does (simulate/network_model.h): the whole buffer of a rank, for all_gather that of the
// result, for reduce_scatter and all_to_all that of what is put in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::machine {

enum class NodeCollective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
inline constexpr std::array<std::string_view, 4> kNodeCollectiveNames = {"all_reduce", "all_gather", "reduce_scatter",
                                                                         "all_to_all"};

/// f(n): the share of the buffer that the link of a rank has to carry at least, by which nccl-tests defines the bus
/// bandwidth.
double wire_factor(NodeCollective op, double ranks);
/// Whether elements are added up, so that their width and format count and not only the bytes.
bool adds_up(NodeCollective op);

struct ProtocolLine {
  std::string protocol;    ///< "LL", "Simple", "in-switch"
  double base_us = 0;      ///< a launch, and the first hop
  double rank_us = 0;      ///< each further rank
  double wire_share = 1;   ///< of the link's rate, for what crosses it
  double local_share = 1;  ///< likewise, for what every rank does with its own buffer

  friend bool operator==(const ProtocolLine&, const ProtocolLine&) = default;
};

/// What was measured beside the lines, at some sizes.
struct LineCorrection {
  std::int64_t ranks = 0;
  std::int64_t element_bytes = 0;            ///< 0: of any width
  std::vector<std::int64_t> bytes = {};      ///< ascending
  std::vector<std::int64_t> per_mille = {};  ///< 1000 log(measured / lines), by place in `bytes`

  friend bool operator==(const LineCorrection&, const LineCorrection&) = default;
};

/// One collective by one version of a library.
struct CollectiveLaw {
  NodeCollective op = NodeCollective::all_reduce;
  std::string library = {};  ///< "nccl"
  std::string version = {};  ///< "2.27.3"
  std::vector<ProtocolLine> lines = {};
  std::vector<LineCorrection> corrections = {};

  friend bool operator==(const CollectiveLaw&, const CollectiveLaw&) = default;
};

/// Eight of ten measurements of messages up to a size, on which the law had not been fitted, lay between these ratios
/// of measured to predicted.
struct CollectiveAccuracy {
  std::int64_t up_to_bytes = 0;
  std::int64_t rows = 0;
  double low_ratio = 0;
  double high_ratio = 0;
  double unseen_pct = 0;  ///< the mean error of the same measurements

  friend bool operator==(const CollectiveAccuracy&, const CollectiveAccuracy&) = default;
};

/// All that was measured of a device; shares are of its own link, so that they fit a relative with another link.
struct CollectiveLines {
  std::string source = {};  ///< where the measurements are from, and under which licence
  std::vector<CollectiveLaw> laws = {};
  std::vector<CollectiveAccuracy> accuracy = {};  ///< by up_to_bytes, ascending; the last also holds beyond

  friend bool operator==(const CollectiveLines&, const CollectiveLines&) = default;
};

struct CollectiveCall {
  NodeCollective op = NodeCollective::all_reduce;
  std::int64_t ranks = 2;
  double bytes = 0;
  double element_bytes = 2;
  std::string_view library = {}, version = {};  ///< empty: whichever is the latest that was measured
};

struct CollectivePrice {
  double us = 0;
  std::string_view protocol = {};  ///< of the smallest line; lives as long as the law
};

/// The law of an operation: of that library and version, else of the version nearest to it (the newer of two), else of
/// another library. Null: the operation was not measured.
const CollectiveLaw* nearest_law(const CollectiveLines& lines, NodeCollective op, std::string_view library,
                                 std::string_view version);

/// The smallest line alone, rounded.
double line_us(const CollectiveLaw& law, double ranks, double bytes, double link_bytes_per_s);

/// `call` by a law of its operation, on a link of that rate. Does not decrease with the bytes.
CollectivePrice price(const CollectiveLaw& law, const CollectiveCall& call, double link_bytes_per_s);

/// A measurement of that size would lie between `us` times these, eight times of ten. `widening`: a factor on the
/// logarithms of both, for what was not measured itself. None without measurements.
struct CollectiveInterval {
  double low_us = 0;
  double high_us = 0;
  double unseen_pct = 0;  ///< as CollectiveAccuracy has it
};
std::optional<CollectiveInterval> interval(const CollectiveLines& lines, double bytes, double us, double widening);

/// Another link out of each device, beside that to its neighbours.
struct RailLink {
  double bytes_per_s = 0;
  double latency_us = 0;  ///< of one message
};

struct RailPrice {
  double us = 0;
  double inside_us = 0;            ///< of `us`, inside the nodes
  std::string_view protocol = {};  ///< inside the nodes; "rails" where they have one device
};
/// The same over `nodes` of call.ranks / nodes devices each: inside the nodes, and rail by rail, each device with those
/// of its own place in the other nodes, so that each port carries one part in (devices of a node) of the buffer. An
/// all-reduce scatters inside, adds up along the rails in rings and gathers inside; of an all_to_all everything that is
/// not for the own node leaves by the own port. One after the other, which is an assumption: how much of one NCCL hides
/// behind the other was not measured. None: an operation inside the nodes was not measured; nodes of one device need
/// none.
std::optional<RailPrice> rail_price(const CollectiveLines& lines, const CollectiveCall& call, std::int64_t nodes,
                                    double link_bytes_per_s, const RailLink& rail);

}  // namespace orrery::machine
