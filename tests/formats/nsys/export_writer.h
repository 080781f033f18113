// Small exports of Nsight Systems for tests: the tables and columns that matter, as 2026.2 names them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "support/sqlite_writer.h"

namespace orrery::testing {

/// globalPid of a process, globalTid with a thread: one virtual machine, as single nodes have it.
inline std::int64_t global(int pid, int thread = 0) { return std::int64_t{1} << 48 | std::int64_t{pid} << 24 | thread; }

/// x'…' of bytes.
inline std::string hex_of(const std::string& bytes) {
  std::string text = "x'";
  char digits[3];
  for (const char c : bytes) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += digits;
  }
  return text + "'";
}

inline void put(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

/// The header of 32 bytes before a payload of one of NCCL's schemas.
inline std::string nccl_payload(int schema, const std::string& body) {
  std::string bytes;
  put(bytes, 1, 4), put(bytes, 0, 4), put(bytes, (1u << 24) + static_cast<unsigned>(schema), 4), put(bytes, 0, 4);
  put(bytes, body.size(), 8), put(bytes, 32 + body.size(), 8);
  return hex_of(bytes + body);
}

inline std::string nccl_init(std::uint64_t communicator, int ranks, int rank) {
  std::string body;
  put(body, communicator, 8), put(body, static_cast<unsigned>(ranks), 4), put(body, static_cast<unsigned>(rank), 4);
  return nccl_payload(0, body);
}

inline std::string nccl_call(int schema, std::uint64_t communicator, std::uint64_t bytes, int peer = 0) {
  std::string body;
  put(body, communicator, 8), put(body, bytes, 8), put(body, static_cast<unsigned>(peer), 4), put(body, 0, 4);
  return nccl_payload(schema, body);
}

class ExportWriter {
 public:
  void call(int pid, int thread, std::int64_t start, std::int64_t end, int correlation, const std::string& name) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" +
        numbers({start, end, 0, global(pid, thread), correlation, text(name), 0}) + ")");
  }
  void kernel(int pid, int device, int stream, std::int64_t start, std::int64_t end, int correlation,
              const std::string& name, int context = 1) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" +
        numbers({start, end, device, context, stream, correlation, global(pid), text(name)}) + ")");
  }
  void wait(int pid, int context, std::int64_t stream, std::int64_t start, std::int64_t end, int correlation, int type,
            int record) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (" +
        numbers({start, end, 0, context, stream, correlation, global(pid), type, 2, record}) + ")");
  }
  void range(int pid, int thread, std::int64_t start, std::int64_t end, const std::string& name, int domain = 0,
             const std::string& payload = "NULL") {
    sql("INSERT INTO NVTX_EVENTS VALUES (" + numbers({start, end, 59}) + ", '" + name + "', " +
        numbers({global(pid, thread), domain}) + ", " + payload + ")");
  }
  void context(int pid, int number, int device) {
    sql("INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (" + numbers({0, 1, pid, device, number}) + ")");
  }
  /// Those of NCCL that the tests use: what every schema has at its front.
  void nccl_schemas() {
    for (const int schema : {5, 9, 10}) {
      entry(schema, 18, "NCCL communicator ID", "NULL");
      entry(schema, 22, "Message size [bytes]", "8");
    }
    for (const int schema : {9, 10}) entry(schema, 5, "Peer rank", "16");
    entry(0, 18, "NCCL communicator ID", "NULL");
    entry(0, 5, "No. of ranks", "8");
    entry(0, 5, "Rank", "12");
  }
  void sql(const std::string& statement) { statements_ += statement + ";"; }

  std::string write(const std::string& path) const {
    std::string script =
        "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value "
        "TEXT);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
        "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
        "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (hwId INTEGER, vmId INTEGER, processId INTEGER, deviceId INTEGER, "
        "contextId INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
        "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, "
        "eventSyncId INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "eventId INTEGER, eventSyncId INTEGER);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, "
        "domainId INTEGER, binaryData TEXT);"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, type INTEGER, name TEXT, offset "
        "INTEGER);";
    for (const auto& [name, id] : texts_)
      script += "INSERT INTO StringIds VALUES (" + std::to_string(id) + ", '" + name + "');";
    write_database(path, "BEGIN;" + script + statements_ + "COMMIT");
    return path;
  }

 private:
  static std::string numbers(std::initializer_list<std::int64_t> values) {
    std::string list;
    for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
    return list;
  }
  std::int64_t text(const std::string& name) {
    return texts_.try_emplace(name, static_cast<std::int64_t>(texts_.size()) + 1).first->second;
  }
  void entry(int schema, int type, const std::string& name, const std::string& offset) {
    sql("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, " + std::to_string((1 << 24) + schema) + ", " +
        std::to_string(type) + ", '" + name + "', " + offset + ")");
  }

  std::string statements_;
  std::map<std::string, std::int64_t> texts_;
};

}  // namespace orrery::testing
