// The fields of a device's collectives.yaml, each said once: reader, writer and checker are visitors of this list.
#pragma once

#include "machine/device/collective_lines.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::machine {

inline constexpr std::string_view kCollectivesFormat = "orrery.collectives/1";
inline constexpr Range kLineTime = {0, 1e9, true};
inline constexpr Range kLineShare = {0, 1e6};
inline constexpr Range kLineRanks = {2, 1LL << 24, true};
inline constexpr Range kElementWidth = {0, 16, true};
inline constexpr Range kMessageBytes = {1, 1LL << 60, true};
inline constexpr Range kPerMille = {-10000, 10000, true};
inline constexpr Range kMeasuredRows = {1, 1LL << 40, true};
inline constexpr Range kMeasuredRatio = {0, 1e6};

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<ProtocolLine> auto& value) {
  visitor.text("protocol", value.protocol);
  visitor.number("base_us", value.base_us, kLineTime);
  visitor.number("rank_us", value.rank_us, kLineTime);
  visitor.number("wire_share", value.wire_share, kLineShare);
  visitor.number("local_share", value.local_share, kLineShare);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<LineCorrection> auto& value) {
  visitor.count("ranks", value.ranks, kLineRanks);
  visitor.count("element_bytes", value.element_bytes, kElementWidth, Default{std::int64_t{0}});
  visitor.counts("bytes", value.bytes, kMessageBytes);
  visitor.counts("per_mille", value.per_mille, kPerMille);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<CollectiveLaw> auto& value) {
  visitor.choice("op", value.op, kNodeCollectiveNames);
  visitor.text("library", value.library);
  visitor.text("version", value.version);
  visitor.list("lines", value.lines, Required{});
  visitor.list("corrections", value.corrections);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<CollectiveAccuracy> auto& value) {
  visitor.count("up_to_bytes", value.up_to_bytes, kMessageBytes);
  visitor.count("rows", value.rows, kMeasuredRows);
  visitor.number("low_ratio", value.low_ratio, kMeasuredRatio);
  visitor.number("high_ratio", value.high_ratio, kMeasuredRatio);
  visitor.number("unseen_pct", value.unseen_pct, kLineTime);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<CollectiveLines> auto& value) {
  visitor.format("format", kCollectivesFormat);
  visitor.text("source", value.source);
  visitor.list("laws", value.laws, Required{});
  visitor.list("accuracy", value.accuracy);
}

}  // namespace orrery::machine
