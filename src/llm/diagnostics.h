// Remarks about tables of kernels and of published measurements.
#pragma once

#include "base/diagnostics.h"

namespace orrery::llm {

inline constexpr DiagnosticKind kUnknownKernel{"M101", Severity::warning, "kernel of a kind that has no model",
                                               "it was not predicted; docs/LLM.md lists the kinds"};
inline constexpr DiagnosticKind kUnmeasuredKernel{
    "M102", Severity::warning, "kernel of which the device's description has no figures",
    "it was not predicted; measure it and add it under standalone (docs/formats/device.md)"};
inline constexpr DiagnosticKind kKernelWithoutSize{"M103", Severity::warning,
                                                   "kernel without a size that its kind needs",
                                                   "it was not predicted; docs/LLM.md says what each kind needs"};
inline constexpr DiagnosticKind kKernelFormat{"M104", Severity::warning,
                                              "kernel in a number format that has no model on the device",
                                              "it was not predicted; products need a rate for it in the device's "
                                              "description, norms, softmax and attention 16 bits"};
inline constexpr DiagnosticKind kEstimatedKernel{
    "M105", Severity::note, "kernel of a kind that was not timed alone on the device",
    "it was estimated; orrery llm calibrate fits a device to timings of your own"};
inline constexpr DiagnosticKind kKernelNotMeasured{
    "M120", Severity::warning, "kernel without a measured time",
    "nothing was learnt from it; times stand in the column us, in microseconds"};
inline constexpr DiagnosticKind kTooFewShapes{"M121", Severity::note,
                                              "constants for which there are too few measured shapes",
                                              "they stay as they were; three shapes are the fewest"};
inline constexpr DiagnosticKind kNotDistilled{
    "M123", Severity::warning, "kernel that tables are not distilled from",
    "nothing was learnt from it; tables are of warm kernels, of the kinds that docs/LLM.md lists for them"};
inline constexpr DiagnosticKind kBeyondRates{"M122", Severity::warning,
                                             "kernels read memory faster than the device's description allows",
                                             "it was fitted all the same; is it the description of this device?"};
inline constexpr DiagnosticKind kCollectiveNotMeasured{
    "M130", Severity::warning, "collective without a measured time inside a node",
    "nothing was learnt from it; times stand in the column us, in microseconds"};
inline constexpr DiagnosticKind kCollectiveWithoutSize{"M131", Severity::warning, "collective without ranks or bytes",
                                                       "it was not predicted; docs/LLM.md lists the columns"};
inline constexpr DiagnosticKind kUnmeasuredCollective{
    "M132", Severity::warning, "collective that nobody measured on the device or on any other",
    "it was not predicted; orrery llm distil makes lines of a table of measured ones"};
inline constexpr DiagnosticKind kUnknownDevice{"M110", Severity::warning, "measurement on a device that is not known",
                                               "it was not predicted; describe the device (docs/formats/device.md)"};
inline constexpr DiagnosticKind kIncompleteRow{"M111", Severity::warning,
                                               "measurement whose configuration is not complete",
                                               "it was not predicted; docs/LLM.md says what each kind of row needs"};
inline constexpr DiagnosticKind kUnknownArchitecture{
    "M112", Severity::warning, "measurement of a model whose shape is not known",
    "it was not predicted; give layers, hidden and heads, or describe the model"};

inline constexpr DiagnosticKind kNoNumber{"M113", Severity::warning, "cell that should hold a number and does not",
                                          "it was taken for empty"};
inline constexpr DiagnosticKind kUnknownFramework{"M114", Severity::warning,
                                                  "measurement by a framework that is not known",
                                                  "it was taken for empty; docs/LLM.md lists the frameworks"};
inline constexpr DiagnosticKind kUnknownStack{
    "M115", Severity::warning, "serving point of a stack that is not known",
    "it was not predicted; data/frameworks/serving_stacks.yaml has those that were measured"};
inline constexpr DiagnosticKind kUnknownPrecision{
    "M116", Severity::warning, "serving point in a precision that is not known",
    "it was not predicted; fp4, nvfp4, mxfp4, int4, fp8, int8, bf16 and fp16 are"};
inline constexpr DiagnosticKind kUnevenServer{
    "M117", Severity::warning, "serving point whose devices are not tensor x data",
    "it was not predicted; data counts replicas of attention, not ranks that share experts"};

}  // namespace orrery::llm
