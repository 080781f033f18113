// Numbers of fields of Perfetto's messages, as perfetto/protos/perfetto/trace has them, under the names of
// docs/formats/perfetto.md.
#pragma once

#include <cstdint>

namespace orrery::perfetto {

namespace trace_field {
inline constexpr std::uint32_t kPacket = 1;
}

namespace packet_field {
inline constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                               kSequenceFlags = 13, kMarker = 36, kStateCleared = 41, kPacketDropped = 42,
                               kCompressed = 50, kGpuCounter = 52, kRenderStage = 53, kClock = 58, kDefaults = 59,
                               kTrackDescriptor = 60, kZstdCompressed = 133;
}  // namespace packet_field

/// Bits of sequence_flags: the names so far count no more; names are needed to read the packet.
inline constexpr std::uint64_t kStateClearedFlag = 1, kNeedsStateFlag = 2;

namespace defaults_field {
inline constexpr std::uint32_t kTrackEvent = 11, kClock = 58;                     // of TracePacketDefaults
inline constexpr std::uint32_t kTrack = 11, kExtraTracks = 31, kExtraReals = 45;  // of TrackEventDefaults
}  // namespace defaults_field

namespace clock_field {
inline constexpr std::uint32_t kClocks = 1;  // of ClockSnapshot
inline constexpr std::uint32_t kId = 1, kTimestamp = 2, kIncremental = 3, kMultiplier = 4;
}  // namespace clock_field

namespace track_field {
inline constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                               kStaticName = 10, kAtraceName = 13;
inline constexpr std::uint32_t kPid = 1, kProcessName = 6, kTid = 2, kThreadName = 5;        // of process and thread
inline constexpr std::uint32_t kUnit = 3, kMultiplier = 4, kIncremental = 5, kUnitName = 6;  // of counter
}  // namespace track_field

namespace event_field {
inline constexpr std::uint32_t kDeltaUs = 1, kCategoryNumbers = 3, kAnnotation = 4, kLegacy = 6, kType = 9,
                               kNameNumber = 10, kTrack = 11, kExtraValues = 12, kAbsoluteUs = 16, kCategory = 22,
                               kName = 23, kCounterValue = 30, kExtraTracks = 31, kOldFlows = 36, kOldEndingFlows = 42,
                               kRealValue = 44, kExtraRealTracks = 45, kExtraReals = 46, kFlows = 47, kEndingFlows = 48;
// of legacy_event
inline constexpr std::uint32_t kPhase = 2, kDurationUs = 3, kUnscopedId = 6, kLocalId = 10, kGlobalId = 11,
                               kPidOverride = 18, kTidOverride = 19;
}  // namespace event_field

enum EventType : std::uint8_t { kNoType = 0, kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4, kState = 5 };

namespace annotation_field {
inline constexpr std::uint32_t kKeyNumber = 1, kBool = 2, kUnsigned = 3, kInteger = 4, kReal = 5, kText = 6,
                               kPointer = 7, kNested = 8, kJson = 9, kKey = 10, kDictionary = 11, kArray = 12,
                               kTextNumber = 17;
// of the old nested values: kind (1 dictionary, 2 array), keys and values of a dictionary, values of an array, and one
inline constexpr std::uint32_t kNestedType = 1, kNestedKeys = 2, kNestedValues = 3, kNestedArray = 4,
                               kNestedInteger = 5, kNestedReal = 6, kNestedBool = 7, kNestedText = 8;
}  // namespace annotation_field

namespace interned_field {
inline constexpr std::uint32_t kCategories = 1, kEventNames = 2, kKeys = 3, kContexts = 23, kSpecifications = 24,
                               kTexts = 29, kCounters = 47, kKernels = 1000;
inline constexpr std::uint32_t kNumber = 1, kText = 2;                  // of each entry
inline constexpr std::uint32_t kDemangled = 3;                          // of a kernel
inline constexpr std::uint32_t kSpecificationCategory = 4;              // of a specification: 2 compute
inline constexpr std::uint32_t kDescriptor = 2, kDescriptorGpu = 3;     // of counters
inline constexpr std::uint32_t kSpecs = 1, kSpecId = 1, kSpecName = 2;  // of a descriptor of counters
}  // namespace interned_field

namespace stage_field {
inline constexpr std::uint32_t kEventId = 1, kDuration = 2, kOldQueue = 3, kOldStage = 4, kContext = 5, kExtra = 6,
                               kGpu = 11, kQueue = 13, kStage = 14, kName = 17, kKernel = 19, kNameNumber = 20,
                               kLaunch = 21;
inline constexpr std::uint32_t kExtraName = 1, kExtraValue = 2;
inline constexpr std::uint32_t kGrid = 1, kWorkgroup = 2;  // of launch; each {1 x, 2 y, 3 z}
}  // namespace stage_field

namespace gpu_counter_field {
inline constexpr std::uint32_t kDescriptor = 1, kCounters = 2, kGpu = 3, kDescriptorNumber = 4;
inline constexpr std::uint32_t kId = 1, kInteger = 2, kReal = 3;  // of each counter
}  // namespace gpu_counter_field

}  // namespace orrery::perfetto
