#include "scrub/rules.h"

#include <vector>

// One table per kind of object: a member, what happens to it, and which words of it are everybody's. Nothing is decided
// elsewhere, so that reading this file is knowing what leaves the house; the report and the documents are made from it.

namespace orrery::scrub {
namespace {

using enum Treatment;

constexpr MemberRule renamed(std::string_view key, Domain domain, Vocabulary words = Vocabulary::none) {
  return {key, rename, domain, words};
}
constexpr MemberRule word(std::string_view key, Vocabulary words) { return {key, rename, Domain::text, words}; }
constexpr MemberRule inside(std::string_view key, Treatment treatment, const ObjectRules& inner) {
  return {key, treatment, Domain::text, Vocabulary::none, &inner};
}

std::vector<NumberedRule>& numbered_rules() {
  static std::vector<NumberedRule> rules;
  return rules;
}

// pg_config of distributedInfo, and the text of "## process_group:init ##".
constexpr MemberRule kProcessGroup[] = {
    renamed("pg_name", Domain::group, Vocabulary::group),
    renamed("pg_desc", Domain::description, Vocabulary::group),
    word("backend_config", Vocabulary::backend),
    {"pg_size", keep_number},
    {"group_size", keep_number},
    {"group_count", keep_number},
    {"ranks", keep_numbers},
    {"global_ranks", keep_numbers},
};

constexpr MemberRule kDevice[] = {
    {"id", keep_number},
    {"name", device_name},
    {"totalGlobalMem", keep_number},
    {"numSms", keep_number},
    {"computeMajor", drop},
    {"computeMinor", drop},
    {"maxThreadsPerBlock", drop},
    {"maxThreadsPerMultiprocessor", drop},
    {"maxThreadsPerMultiProcessor", drop},
    {"regsPerBlock", drop},
    {"regsPerMultiprocessor", drop},
    {"warpSize", drop},
    {"sharedMemPerBlock", drop},
    {"sharedMemPerBlockOptin", drop},
    {"sharedMemPerMultiprocessor", drop},
};

constexpr MemberRule kEventArguments[] = {
    // What ties events together.
    {"External id", keep_number},
    {"external id", keep_number},
    {"correlation", keep_number},
    {"Ev Idx", keep_number},
    {"Record function id", keep_number},
    {"Sequence number", keep_number},
    {"Fwd thread id", keep_number},
    {"Python id", keep_number},
    {"Python parent id", keep_number},
    {"Python module id", keep_number},
    {"Python thread", keep_number},
    {"graph id", keep_number},
    {"graph node id", keep_number},
    {"stream", keep_number},
    {"device", keep_number},
    {"context", keep_number},
    {"wait_on_stream", keep_number},
    {"wait_on_cuda_event_record_corr_id", keep_number},
    {"wait_on_cuda_event_id", keep_number},
    word("cuda_sync_kind", Vocabulary::sync),
    // Copies and memory.
    {"bytes", size},
    {"memory bandwidth (GB/s)", size},
    {"Bytes", size},
    {"Total Allocated", size},
    {"Total Reserved", size},
    {"Device Type", keep_number},
    {"Device Id", keep_number},
    {"Addr", drop},
    // Communication.
    word("Collective name", Vocabulary::collective),
    word("dtype", Vocabulary::data_type),
    {"In msg nelems", size},
    {"Out msg nelems", size},
    {"In msg size", size},
    {"Out msg size", size},
    {"Group size", keep_number},
    {"Seq", keep_number},
    {"Rank", keep_number},
    {"Src Rank", keep_number},
    {"Dst Rank", keep_number},
    {"Global rank start", keep_number},
    {"Global rank stride", keep_number},
    renamed("Process Group Name", Domain::group, Vocabulary::group),
    renamed("Process Group Description", Domain::description, Vocabulary::group),
    {"Process Group Ranks", keep_ranks},
    {"In split size", drop},
    {"Out split size", drop},
    // Names of processes and threads.
    {"name", label},
    {"labels", label},
    {"sort_index", sort_index},
    {"Op count", keep_number},
    // What tells the model: shapes, values, source code, the geometry of kernels.
    {"Input Dims", call_sizes},
    {"Input dims", drop},
    {"Input Strides", drop},
    {"Input type", call_types},
    {"Input Type", drop},
    {"Concrete Inputs", call_inputs},
    {"Kwinputs", drop},
    {"Call stack", drop},
    {"Module Hierarchy", drop},
    {"kernel_file", drop},
    {"kernel_backend", drop},
    {"kernel_hash", drop},
    {"grid", drop},
    {"block", drop},
    {"registers per thread", drop},
    {"shared memory", drop},
    {"blocks per SM", drop},
    {"warps per SM", drop},
    {"est. achieved occupancy %", drop},
    {"queued", drop},
    {"cbid", drop},
};

const ObjectRules& event_arguments() {
  static const ObjectRules rules("event.args.", kEventArguments);
  return rules;
}

// {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1306, "tid": 1306, "ts": 3843505893493.716, "dur": 348.337,
// "args": {...}}
std::span<const MemberRule> event_members() {
  static const MemberRule members[] = {
      word("ph", Vocabulary::phase),
      renamed("cat", Domain::category, Vocabulary::category),
      renamed("name", Domain::name),
      {"pid", process, Domain::lane, Vocabulary::lane},
      {"tid", thread, Domain::lane, Vocabulary::lane},
      {"ts", moment},
      {"dur", duration},
      {"id", flow, Domain::flow},
      word("bp", Vocabulary::flow),
      word("s", Vocabulary::flow),
      inside("args", object, event_arguments()),
  };
  return members;
}

// Attributes of a host node, by their names.
constexpr MemberRule kAttributes[] = {
    {"rf_id", keep_number},
    {"fw_parent", keep_number},
    {"seq_id", keep_number},
    {"scope", keep_number},
    {"tid", keep_number},
    {"fw_tid", keep_number},
    {"op_schema", schema},
    {"kernel_backend", empty_text},
    {"kernel_file", empty_text},
    {"tensor_range", empty_text},
    {"is_cpu_op", keep_number},
    {"stream", keep_number},
    word("collective_name", Vocabulary::collective),
    word("dtype", Vocabulary::data_type),
    {"in_msg_nelems", size},
    {"out_msg_nelems", size},
    {"in_split_size", empty_text},
    {"out_split_size", empty_text},
    {"global_rank_start", keep_number},
    {"global_rank_stride", keep_number},
    {"pg_size", keep_number},
    renamed("pg_name", Domain::group, Vocabulary::group),
    renamed("pg_desc", Domain::description, Vocabulary::group),
};

constexpr MemberRule kOperands[] = {{"values", tensors}, {"shapes", hollow}, {"strides", hollow}, {"types", types}};

// {"id": 6, "name": "aten::empty", "ctrl_deps": 5, "inputs": {...}, "outputs": {...}, "attrs": [...]}; linking adds
// times. Schema 1.0.1 is flat.
std::span<const MemberRule> host_node_members() {
  static const ObjectRules attributes("node.attrs.", kAttributes);
  static const ObjectRules inputs("node.inputs.", kOperands);
  static const ObjectRules outputs("node.outputs.", kOperands);
  static const MemberRule members[] = {
      {"id", keep_number},
      renamed("name", Domain::name),
      {"ctrl_deps", keep_number},
      {"inputs", object, Domain::text, Vocabulary::none, &inputs},
      {"outputs", object, Domain::text, Vocabulary::none, &outputs},
      inside("attrs", Treatment::attributes, attributes),
      // Linked traces.
      {"ts", moment},
      {"inclusive_dur", duration},
      {"exclusive_dur", duration},
      {"inter_thread_dep", keep_number},
      {"sync_dep", keep_numbers},
      renamed("cat", Domain::category, Vocabulary::category),
      word("ph", Vocabulary::phase),
      {"stream", keep_number},
      renamed("pg_name", Domain::group, Vocabulary::group),
      // Schema 1.0.1.
      {"parent", keep_number},
      {"rf_id", keep_number},
      {"fw_parent", keep_number},
      {"seq_id", keep_number},
      {"scope", keep_number},
      {"tid", keep_number},
      {"fw_tid", keep_number},
      {"op_schema", schema},
      {"input_shapes", hollow},
      {"output_shapes", hollow},
      {"input_types", types},
      {"output_types", types},
  };
  return members;
}

// {"Id": 0, "Name": "...", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 5, "comm_size": 1024}
constexpr MemberRule kFeederNode[] = {
    {"Id", keep_number},
    renamed("Name", Domain::name),
    {"NodeType", keep_number},
    {"ctrlDeps", keep_numbers},
    {"ctrl_deps", keep_numbers},
    {"dataDeps", keep_numbers},
    {"data_deps", keep_numbers},
    {"runtime", duration},
    {"is_cpu_op", keep_number},
    {"num_ops", size},
    {"tensor_size", size},
    {"comm_type", keep_number},
    {"comm_priority", keep_number},
    {"comm_size", size},
    {"comm_src", keep_number},
    {"comm_dst", keep_number},
    {"comm_tag", keep_number},
    {"root_rank", keep_number},
    {"involved_dim", keep_numbers},
    renamed("pg_name", Domain::group, Vocabulary::group),
};

// Messages of the schema, docs/formats/chakra.md.
constexpr MemberRule kChakraNode[] = {
    {"id", keep_number},           renamed("name", Domain::name),
    {"type", keep_number},         {"ctrl_deps", keep_numbers},
    {"data_deps", keep_numbers},   {"start_time_micros", moment},
    {"duration_micros", duration}, {"inputs", of_operators},
    {"outputs", of_operators},     {"attr", Treatment::attributes},
};

constexpr MemberRule kChakraAttribute[] = {
    {"is_cpu_op", keep_number},
    {"num_ops", size},
    {"tensor_size", size},
    {"comm_type", keep_number},
    {"comm_priority", keep_number},
    {"comm_size", size},
    {"comm_parts", size},
    {"comm_src", keep_number},
    {"comm_dst", keep_number},
    {"comm_tag", keep_number},
    {"root_rank", keep_number},
    {"involved_dim", keep_numbers},
    renamed("pg_name", Domain::group, Vocabulary::group),
    {"rf_id", keep_number},
    {"caller_rf_id", keep_number},
    {"fw_parent", keep_number},
    {"seq_id", keep_number},
    {"scope", keep_number},
    {"duration_ps", duration},
    {"tid", thread},
    {"fw_tid", thread},
    {"stream", keep_number},
    {"op_schema", of_operators},
    {"input_strides", of_operators},
    {"output_strides", of_operators},
    {"runtime", duration},
    {"simulated_run_time", duration},
};

constexpr MemberRule kChakraMetadata[] = {
    renamed("version", Domain::text, Vocabulary::schema),
    renamed("schema", Domain::text, Vocabulary::schema),
    word("world_size", Vocabulary::group),  // a number: without it nobody notices that ranks are missing
    {"pid", drop},
    {"time", drop},
    {"start_ts", drop},
    {"finish_ts", drop},
    {"input_file", drop},
};

// TRACE 14 -> 15 165.7 MPI_Isend p2p 64 to 1:1
constexpr MemberRule kAmpipRecord[] = {
    {"function", keep_number}, {"callsite", keep_number}, {"time", keep_number},           {"bytes", keep_number},
    {"ranks", keep_number},    {"handle", process},       renamed("region", Domain::text),
};

constexpr MemberRule kMpipReport[] = {
    {"function", keep_number},
    {"numbers", keep_number},
    {"version", keep_number},
    renamed("host", Domain::label),
    renamed("file", Domain::text),
    renamed("frame", Domain::text),
    {"property", drop},
};

std::span<const MemberRule> distributed_members() {
  static const MemberRule members[] = {
      word("backend", Vocabulary::backend),
      {"rank", keep_number},
      {"world_size", keep_number},
      {"pg_count", keep_number},
      inside("pg_config", objects, process_group_rules()),
      {"nccl_version", drop},
  };
  return members;
}

std::span<const MemberRule> document_members() {
  static const ObjectRules devices("deviceProperties.", kDevice);
  static const ObjectRules distributed("distributedInfo.", distributed_members());
  static const MemberRule members[] = {
      // Kineto.
      {"schemaVersion", keep_number},
      word("displayTimeUnit", Vocabulary::time_unit),
      {"baseTimeNanoseconds", epoch_ns},
      inside("deviceProperties", objects, devices),
      inside("distributedInfo", object, distributed),
      {"traceName", drop},
      {"trace_id", drop},
      {"record_shapes", drop},
      {"with_stack", drop},
      {"with_modules", drop},
      {"with_flops", drop},
      {"profile_memory", drop},
      {"cuda_driver_version", drop},
      {"cuda_runtime_version", drop},
      {"cupti_version", drop},
      {"hip_driver_version", drop},
      {"hip_runtime_version", drop},
      // Host and linked traces.
      renamed("schema", Domain::text, Vocabulary::schema),
      {"pid", process, Domain::lane, Vocabulary::lane},
      {"time", wall_clock},
      {"start_ts", clock_ms},
      {"finish_ts", clock_ms},
  };
  return members;
}

}  // namespace

std::string_view describe(const MemberRule& rule) {
  switch (rule.treatment) {
    case drop: return "left out";
    case keep_number:
    case keep_numbers:
    case keep_ranks: return "kept";
    case size: return "kept, rounded on request";
    case moment:
    case epoch_ns:
    case clock_ms: return "moved by a constant";
    case duration: return "kept, jittered on request";
    case wall_clock: return "replaced by 1970";
    case process:
    case thread:
    case sort_index: return "renumbered";
    case rename:
      if (rule.words == Vocabulary::none)
        return rule.domain == Domain::name ? "renamed, but for names every trace has" : "renamed";
      return "words every trace has are kept, others renamed";
    case flow: return "numbers kept, texts renamed";
    case label: return "numbers of streams and devices kept, the rest renamed";
    case device_name: return "renamed, kept on request";
    case empty_text: return "emptied";
    case hollow: return "emptied; of PyTorch's operators kept on request";
    case object:
    case objects:
    case attributes: return "by its members";
    case tensors: return "ids and sizes of tensors kept, other values emptied; of PyTorch's operators kept on request";
    case types: return "words every trace has are kept, others replaced";
    case schema: return "which arguments are written is kept; of PyTorch's operators all of it on request";
    case of_operators: return "left out; of PyTorch's operators kept on request";
    case call_inputs: return "left out, but for integers of communication (peer, root, tag)";
    case call_sizes: return "left out, but for the size of communication";
    case call_types: return "left out, but for the type of what is communicated";
  }
  return "left out";
}

bool is_removed(const MemberRule& rule) {
  switch (rule.treatment) {
    case drop:
    // What is left of these is a number, a public word or nothing: a reader of the report counts them as gone.
    case label:
    case device_name:
    case empty_text:
    case hollow:
    case of_operators:
    case wall_clock: return true;
    // Numbers of groups are kept, but a group may have a name.
    case rename: return rule.words == Vocabulary::none || rule.words == Vocabulary::group;
    default: return false;
  }
}

bool is_of_calls(const MemberRule& rule) {
  return rule.treatment == call_inputs || rule.treatment == call_sizes || rule.treatment == call_types;
}

bool is_container(const MemberRule& rule) {
  return rule.treatment == object || rule.treatment == objects || rule.treatment == Treatment::attributes;
}

ObjectRules::ObjectRules(std::string_view place_, std::span<const MemberRule> rules_) : place(place_), rules(rules_) {
  first_index = numbered_rules().size();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    numbered_rules().push_back({this, &rules[i]});
    std::size_t slot = hash(rules[i].key);
    // Tables have at most a hundred keys in 256 slots: an empty one is near.
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i + 1);
  }
}

const ObjectRules& process_group_rules() {
  static const ObjectRules rules("process group.", kProcessGroup);
  return rules;
}

const ObjectRules& document_rules() {
  static const ObjectRules rules("", document_members());
  return rules;
}

const ObjectRules* record_rules(std::string_view list) {
  static const ObjectRules events("event.", event_members());
  static const ObjectRules host_nodes("node.", host_node_members());
  static const ObjectRules feeder_nodes("workload_graph.", kFeederNode);
  if (list == "traceEvents") return &events;
  if (list == "nodes") return &host_nodes;
  if (list == "workload_graph") return &feeder_nodes;
  return nullptr;
}

const ObjectRules& chakra_node_rules() {
  static const ObjectRules rules("Chakra node.", kChakraNode);
  return rules;
}

const ObjectRules& chakra_attribute_rules() {
  static const ObjectRules rules("Chakra node.attr.", kChakraAttribute);
  return rules;
}

const ObjectRules& chakra_metadata_rules() {
  static const ObjectRules rules("Chakra metadata.", kChakraMetadata);
  return rules;
}

const ObjectRules& ampip_record_rules() {
  static const ObjectRules rules("A-mpiP record.", kAmpipRecord);
  return rules;
}

const ObjectRules& mpip_report_rules() {
  static const ObjectRules rules("mpiP report.", kMpipReport);
  return rules;
}

std::span<const NumberedRule> all_rules() {
  // Made once, before anything is counted by number.
  // The order in which the tables are made is the order of the report; it must not depend on which file came first.
  static const bool made = (document_rules(), record_rules({}), chakra_node_rules(), chakra_attribute_rules(),
                            chakra_metadata_rules(), ampip_record_rules(), mpip_report_rules(), true);
  static_cast<void>(made);
  return numbered_rules();
}

}  // namespace orrery::scrub
