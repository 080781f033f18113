#include "llm/kernels/free_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "llm/kernels/kernel_kinds.h"
#include "machine/device/device_fields.h"

// The numbers of a device are listed by visiting its description, so that what can be fitted is never spelled twice.
// Kinds of kernels are mapped to the part of the description that they can tell about, and a constant is found again in
// any copy of the device by its group and place.

namespace orrery::llm {
namespace {

using machine::Device;

/// Visits a part of a description and lists its numbers with their paths.
class ConstantLister {
 public:
  ConstantLister(std::string path, std::vector<std::string>& paths, std::vector<double*>& values,
                 std::vector<double>& most)
      : path_(std::move(path)), paths_(paths), values_(values), most_(most) {}

  void text(std::string_view, const std::string&) {}
  void number(std::string_view key, double& value, machine::Range range) {
    paths_.push_back(fmt::format("{}.{}", path_, key));
    values_.push_back(&value);
    most_.push_back(range.high);
  }
  /// Exponents and the widths that they count from: the shape of a model, not a constant of it.
  template <typename T>
  void number(std::string_view, double&, machine::Range, machine::Default<T>) {}
  void count(std::string_view, std::int64_t&, machine::Range) {}
  template <typename T>
  void list(std::string_view key, std::vector<T>& values, machine::Required) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ConstantLister inner(fmt::format("{}.{}[{}]", path_, key, i), paths_, values_, most_);
      describe(inner, values[i]);
    }
  }

 private:
  std::string path_;
  std::vector<std::string>& paths_;
  std::vector<double*>& values_;
  std::vector<double>& most_;
};

struct Listed {
  std::vector<std::string> paths = {};
  std::vector<double*> values = {};
  std::vector<double> most = {};
};

template <typename T>
Listed listed(const std::string& path, T& part) {
  Listed list;
  ConstantLister lister(path, list.paths, list.values, list.most);
  describe(lister, part);
  return list;
}

constexpr std::string_view kKindGroup = "standalone.kinds.";
constexpr std::string_view kShareGroup = "elementwise.";

/// Every number of the part that `group` names, in the order of its description.
Listed numbers_of(const std::string& group, Device& device) {
  if (group == "gemm") {
    Listed list = listed(group, device.gemm);
    list.paths.emplace_back("cache.bandwidth_gb_per_s");
    list.values.push_back(&*device.cache.bandwidth_gb_per_s);
    list.most.push_back(machine::kRate.high);
    return list;
  }
  if (group == "attention") return listed(group, device.attention);
  if (group.starts_with(kShareGroup)) {
    Listed all = listed("elementwise", device.elementwise);
    const auto at = static_cast<std::size_t>(std::find(all.paths.begin(), all.paths.end(), group) - all.paths.begin());
    return {{all.paths[at]}, {all.values[at]}, {all.most[at]}};
  }
  machine::StandaloneKernels& alone = *device.standalone;
  if (group == "standalone.add") return listed(group, alone.add);
  if (group == "standalone.gelu") return listed(group, alone.gelu);
  if (group == "standalone.softmax") return listed(group, alone.softmax);
  if (group == "standalone.norm") return listed(group, alone.norm);
  if (group == "standalone.host_copy") return listed(group, alone.host_copy);
  if (group == "standalone.device_copy") return listed(group, alone.device_copy);
  if (group == "standalone.attention") return listed(group, alone.attention);
  if (group == "standalone.block") return listed(group, alone.block);
  for (std::size_t i = 0; i < alone.kinds.size(); ++i) {
    if (group == std::string(kKindGroup) + alone.kinds[i].kind)
      return listed(fmt::format("standalone.kinds[{}]", i), alone.kinds[i].kernel);
  }
  return {};
}

std::string share_group(ElementwiseRate rate) {
  machine::ElementwiseShares shares;
  const Listed all = listed("elementwise", shares);
  const auto at = std::find(all.values.begin(), all.values.end(), &(shares.*rate)) - all.values.begin();
  return all.paths[static_cast<std::size_t>(at)];
}

std::string step_group(const KernelKind& kind, const KernelSizes& sizes) {
  if (kind.traffic != nullptr) return share_group(kind.share(sizes));
  if (kind.name == "softmax" || kind.name.ends_with("norm"))
    return share_group(&machine::ElementwiseShares::norm_forward);
  if (kind.name == "sdpa_fwd" || kind.name == "sdpa_bwd" || kind.name == "sdpa_fwd_bwd") return "attention";
  return {};
}

std::string alone_group(const KernelKind& kind) {
  const std::string name(kind.name);
  if (kind.traffic != nullptr) return kind.timed ? "standalone." + name : std::string(kKindGroup) + name;
  if (name == "softmax") return "standalone.softmax";
  if (name.ends_with("norm")) return "standalone.norm";
  if (name == "copy_h2d" || name == "copy_d2h") return "standalone.host_copy";
  if (name == "copy_d2d") return "standalone.device_copy";
  if (name == "sdpa_fwd" || name == "sdpa_bwd" || name == "sdpa_fwd_bwd") return "standalone.attention";
  if (name.starts_with("gpt_layer")) return "standalone.block";
  return {};  // decode, cells: made of constants that other rows say more about
}

}  // namespace

std::string group_of(const KernelRow& row) {
  const KernelKind& kind = *find_kernel_kind(row.kind);
  if (kind.name.ends_with("gemm")) return "gemm";
  return row.sizes.run == KernelRun::step ? step_group(kind, row.sizes) : alone_group(kind);
}

std::vector<FreeConstant> constants_of(const std::string& group, const machine::Device& device) {
  Device copy = device;
  const Listed list = numbers_of(group, copy);
  std::vector<FreeConstant> constants;
  for (std::size_t i = 0; i < list.paths.size(); ++i) {
    // A constant that is 0 stays so: factors do not move it.
    if (*list.values[i] <= 0) continue;
    constants.push_back({.path = list.paths[i],
                         .at = [group, i](Device& of) -> double& { return *numbers_of(group, of).values[i]; },
                         .most = list.most[i]});
  }
  return constants;
}

void name_timed_kinds(machine::Device& device, const std::vector<KernelRow>& rows) {
  for (const KernelRow& row : rows) {
    const KernelKind& kind = *find_kernel_kind(row.kind);
    if (kind.traffic == nullptr || kind.timed || row.sizes.run != KernelRun::alone) continue;
    if (device.standalone->find(kind.name) != nullptr) continue;
    device.standalone->kinds.push_back({std::string(kind.name), alone_kernel(kind, device, row.sizes)});
  }
}

}  // namespace orrery::llm
