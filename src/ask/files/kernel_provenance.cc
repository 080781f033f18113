#include "ask/files/kernel_provenance.h"

#include <filesystem>
#include <map>

#include "base/io/file_content.h"

namespace orrery::ask {
namespace {

using ProvenanceTable = std::shared_ptr<const analyze::KernelProvenance>;

constexpr DiagnosticKind kUnusableProvenance{
    "G104", Severity::warning, "a file with the name of a compiler's provenance beside the recording cannot be used",
    "names of kernels tell what they fuse; give the right one with --provenance"};

/// Later versions of PyTorch write other files than earlier ones; what lies there counts together.
constexpr const char* kProvenanceNames[] = {
    "kernel_information.json",
    "inductor_triton_kernel_to_post_grad_nodes.json",
    "inductor_generated_kernel_to_post_grad_nodes.json",
    "inductor_provenance_tracking_node_mappings.json",
    "inductor_provenance_tracking_kernel_stack_traces.json",
};

Status add_file(const std::string& file, analyze::KernelProvenance& table) {
  const Result<FileContent> content = FileContent::open(file);
  if (!content) return content.error();
  return table.add(content->bytes(), file);
}

Result<ProvenanceTable> find_beside(Context& context, const std::filesystem::path& folder) {
  auto table = std::make_shared<analyze::KernelProvenance>();
  for (const char* const name : kProvenanceNames) {
    const std::filesystem::path file = folder / name;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) continue;
    if (const Status added = add_file(file.string(), *table); !added) {
      context.diagnostics().add(kUnusableProvenance, [&] { return added.error().to_string(); });
      continue;
    }
    if (const Status told = context.add_input(file.string()); !told) return told.error();
  }
  return table->size() == 0 ? ProvenanceTable() : ProvenanceTable(std::move(table));
}

}  // namespace

Result<ProvenanceTable> read_provenance(Context& context, const std::vector<std::string>& files) {
  if (files.empty()) return ProvenanceTable();
  auto table = std::make_shared<analyze::KernelProvenance>();
  for (const std::string& file : files) {
    if (const Status told = context.add_input(file); !told) return told.error();
    if (const Status added = add_file(file, *table); !added) return added.error();
  }
  return ProvenanceTable(std::move(table));
}

Result<std::vector<ProvenanceTable>> provenance_of_ranks(Context& context, const ProvenanceTable& given,
                                                         const trace::Trace& trace) {
  std::vector<ProvenanceTable> tables;
  std::map<std::filesystem::path, ProvenanceTable> by_folder;
  for (const trace::RankTrace& rank : trace.ranks) {
    if (given != nullptr) {
      tables.push_back(given);
      continue;
    }
    const auto [at, is_new] = by_folder.try_emplace(std::filesystem::path(rank.source.path).parent_path());
    if (is_new) {
      Result<ProvenanceTable> found = find_beside(context, at->first);
      if (!found) return found.error();
      at->second = std::move(*found);
    }
    tables.push_back(at->second);
  }
  return tables;
}

}  // namespace orrery::ask
