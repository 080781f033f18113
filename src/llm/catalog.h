// All that ships as data and that the model is made of: devices, architectures, frameworks, clusters, ways of
// measuring. Read once; a plain value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/architecture.h"
#include "llm/frameworks.h"
#include "llm/measurements.h"
#include "machine/device/device.h"

namespace orrery::llm {

struct Catalog {
  std::vector<machine::Device> devices;     ///< by file name
  std::vector<Architecture> architectures;  ///< by file name
  std::vector<Cluster> clusters;
  std::vector<MeasuringMethod> methods;
  EagerConstants eager;
  MegatronConstants megatron;
  FsdpConstants fsdp;
  CoreConstants core;
  CoreConstants nemo, nanotron;  ///< the same layers, by other software
  ServingConstants serving;
  StackConstants stacks;
  ShardMemoryConstants shard_memory;
  PairConstants pairs;
  Accuracy accuracy;
};

/// Reads devices/, models/, clusters/, benchmarks/, frameworks/ and accuracy/ below `folder`. The Error is that of the
/// first file that cannot be used.
Result<Catalog> read_catalog(const std::string& folder);

/// A model that a user describes: docs/formats/model.md.
Result<Architecture> read_architecture(const std::string& path);

/// Constants of serving stacks, as `orrery llm calibrate` writes them.
Result<StackConstants> read_stacks(const std::string& path);

/// The device that a text like "DGX-H100" or "A100-SXM4-40GB" means: the one with the longest name or alias of which
/// every word occurs in it, whatever the case. Null: none.
const machine::Device* find_device(const Catalog& catalog, std::string_view text);
/// An Error lists the devices there are, and the nearest.
Result<const machine::Device*> device_called(const Catalog& catalog, std::string_view text);

const Cluster* find_cluster(const Catalog& catalog, std::string_view name);
const MeasuringMethod* find_method(const Catalog& catalog, std::string_view name);

}  // namespace orrery::llm
