#include "llm/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "llm/architecture_fields.h"
#include "llm/catalog_fields.h"
#include "llm/kernels/relative.h"
#include "machine/device/device_yaml.h"
#include "machine/yaml/field_reader.h"

// Folders are read file by file, in the order of names, and every file is checked against its own rules; one that
// cannot be read makes the whole catalog unusable, so that no forecast is made with half of its constants. Devices are
// found by the words of their names.

namespace orrery::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDocument = "docs/LLM.md";

template <typename T>
Result<T> read_file(const std::string& path, std::string_view whole,
                    std::optional<machine::Violation> (*rule)(const T&) = nullptr) {
  auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  return machine::read_description<T>(*text, path, whole, kDocument, rule);
}

std::optional<machine::Violation> find_eager_violation(const EagerConstants& constants) {
  // Formulas ask for these two by name, whatever else a file has.
  for (const char* name : {"gpt", "llama"}) {
    const bool there = std::any_of(constants.styles.begin(), constants.styles.end(),
                                   [&](const EagerStyle& style) { return style.name == name; });
    if (!there) return machine::Violation{"styles", fmt::format("must have one that is called {}", name)};
  }
  return std::nullopt;
}

/// What varies with the generation of devices needs an entry to fall back on.
template <typename T>
std::optional<machine::Violation> find_rates_violation(const T& constants) {
  if (constants.rates.empty()) return machine::Violation{"rates", "must have an entry"};
  return std::nullopt;
}

std::optional<machine::Violation> find_core_violation(const CoreConstants& constants) {
  if (constants.precisions.empty()) return machine::Violation{"precisions", "must have an entry"};
  return find_rates_violation(constants);
}

/// Every *.yaml of a folder, by name, so that the order does not depend on the file system.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

template <typename T, typename Read>
Status read_all(const std::string& folder, std::vector<T>& into, Read&& read) {
  const std::vector<std::string> files = files_in(folder);
  // An empty folder is most likely the wrong one.
  if (files.empty())
    return Error{"the folder holds no descriptions", folder, Error::kNoOffset,
                 "reinstall, or run the program where it was built"};
  for (const std::string& file : files) {
    auto one = read(file);
    if (!one) return one.error();
    into.push_back(std::move(*one));
  }
  return {};
}

template <typename T>
Status read_one(const std::string& path, T& into, std::optional<machine::Violation> (*rule)(const T&) = nullptr) {
  auto one = read_file<T>(path, "the framework", rule);
  if (!one) return one.error();
  into = std::move(*one);
  return {};
}

Status read_frameworks(const std::string& folder, Catalog& catalog) {
  if (auto read = read_one(folder + "/pytorch_eager.yaml", catalog.eager, &find_eager_violation); !read) return read;
  if (auto read = read_one(folder + "/megatron_2021.yaml", catalog.megatron); !read) return read;
  if (auto read = read_one(folder + "/llm_foundry.yaml", catalog.fsdp, &find_rates_violation<FsdpConstants>); !read)
    return read;
  if (auto read = read_one(folder + "/megatron_core.yaml", catalog.core, &find_core_violation); !read) return read;
  if (auto read = read_one(folder + "/nemo.yaml", catalog.nemo, &find_core_violation); !read) return read;
  if (auto read = read_one(folder + "/nanotron_steps.yaml", catalog.nanotron, &find_core_violation); !read) return read;
  if (auto read = read_one(folder + "/serving.yaml", catalog.serving, &find_rates_violation<ServingConstants>); !read)
    return read;
  auto stacks = read_stacks(folder + "/serving_stacks.yaml");
  if (!stacks) return stacks.error();
  catalog.stacks = std::move(*stacks);
  if (auto read = read_one(folder + "/nanotron.yaml", catalog.shard_memory); !read) return read;
  return read_one(folder + "/paired_devices.yaml", catalog.pairs);
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Not as the begin of a longer number: "H200" is not in "H2000".
bool occurs_as_word(std::string_view word, std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end == text.size() || !is_digit(text[end]) || word.empty() || !is_digit(word.back())) return true;
  }
  return false;
}

/// Whether every word of `name` occurs in `text`, which is in capitals.
bool occurs(std::string_view name, std::string_view text) {
  const std::string words = upper(name);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (!occurs_as_word(std::string_view(words).substr(at, end - at), text)) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

Result<Catalog> read_catalog(const std::string& folder) {
  Catalog catalog;
  const auto device = [](const std::string& file) { return machine::read_device(file); };
  if (auto read = read_all(folder + "/devices", catalog.devices, device); !read) return read.error();
  for (machine::Device& one : catalog.devices) complete_constants(catalog.devices, one);
  if (auto read = read_all(folder + "/models", catalog.architectures, read_architecture); !read) return read.error();
  const auto cluster = [](const std::string& file) { return read_file<Cluster>(file, "the cluster"); };
  if (auto read = read_all(folder + "/clusters", catalog.clusters, cluster); !read) return read.error();
  const auto method = [](const std::string& file) { return read_file<MeasuringMethod>(file, "the way of measuring"); };
  if (auto read = read_all(folder + "/benchmarks", catalog.methods, method); !read) return read.error();
  if (auto read = read_frameworks(folder + "/frameworks", catalog); !read) return read.error();
  auto accuracy = read_file<Accuracy>(folder + "/accuracy/published.yaml", "the accuracy");
  if (!accuracy) return accuracy.error();
  catalog.accuracy = std::move(*accuracy);
  return catalog;
}

Result<Architecture> read_architecture(const std::string& path) { return read_file<Architecture>(path, "the model"); }

Result<StackConstants> read_stacks(const std::string& path) {
  return read_file<StackConstants>(path, "the serving stacks");
}

const machine::Device* find_device(const Catalog& catalog, std::string_view text) {
  const std::string wanted = upper(text);
  const machine::Device* best = nullptr;
  std::size_t longest = 0;
  const auto consider = [&](const machine::Device& device, const std::string& name) {
    // The longest name that occurs wins, since short names occur in longer ones.
    if (name.size() <= longest || !occurs(name, wanted)) return;
    best = &device;
    longest = name.size();
  };
  for (const machine::Device& device : catalog.devices) {
    consider(device, device.name);
    for (const std::string& alias : device.aliases) consider(device, alias);
  }
  return best;
}

Result<const machine::Device*> device_called(const Catalog& catalog, std::string_view text) {
  if (const machine::Device* found = find_device(catalog, text)) return found;
  std::vector<std::string> lower;
  for (const machine::Device& device : catalog.devices) {
    lower.push_back(device.name);
    for (char& c : lower.back()) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::vector<std::string_view> names(lower.begin(), lower.end());
  const std::string_view meant = nearest_word(text, names);
  return Error{
      fmt::format("there is no device called '{}'", text),
      {},
      Error::kNoOffset,
      meant.empty() ? fmt::format("shipped: {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", meant)};
}

const Cluster* find_cluster(const Catalog& catalog, std::string_view name) {
  const auto found = std::find_if(catalog.clusters.begin(), catalog.clusters.end(),
                                  [&](const Cluster& one) { return one.name == name; });
  return found == catalog.clusters.end() ? nullptr : &*found;
}

const MeasuringMethod* find_method(const Catalog& catalog, std::string_view name) {
  const auto found = std::find_if(catalog.methods.begin(), catalog.methods.end(),
                                  [&](const MeasuringMethod& one) { return one.name == name; });
  return found == catalog.methods.end() ? nullptr : &*found;
}

}  // namespace orrery::llm
