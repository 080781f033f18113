#include "formats/otf2/archive_reader.h"

#ifdef ORRERY_OTF2
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <iterator>
#include <unordered_map>

#include "formats/otf2/archive_definitions.h"

// Definitions first: they say which locations there are. Then each location's own definitions, by which the library
// maps its numbers to those of the archive, and its events. A call is what lies between entering and leaving a region
// of MPI; records in between say what it did. A request that a later call completes is known only then whom it was
// with.

namespace orrery::otf2 {
namespace {

/// The calls of one location while its events are read.
struct LocationCalls {
  const Collected* all = nullptr;
  std::vector<Call> calls;
  std::vector<Call> open;  // the innermost last
  std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::size_t>>
      requests;                                           // open ones: number, place of the call
  std::unordered_map<std::int64_t, std::size_t> made_by;  // number of a request: place in `calls` once it was left
  std::int64_t made = 0;
  std::size_t stray = 0;
  std::uint32_t thread = 0;  // of its process
  std::vector<Region> regions, open_regions;
  std::vector<Sample> samples;

  Call* current() {
    if (!open.empty()) return &open.back();
    ++stray;
    return nullptr;
  }
  void make_request(std::uint64_t id) {
    Call* const call = current();
    if (call == nullptr) return;
    call->request = made;
    requests[id] = {made++, 0};
  }
  /// The call that made the request, if it was recorded; it is marked as completed by the one at hand.
  Call* complete(std::uint64_t id) {
    Call* const call = current();
    const auto at = requests.find(id);
    if (at == requests.end()) return nullptr;
    const std::int64_t number = at->second.first;
    requests.erase(at);
    if (call != nullptr) call->completed.push_back(number);
    // A call may complete what it has begun itself.
    if (call != nullptr && call->request == number) return call;
    const auto place = made_by.find(number);
    return place == made_by.end() ? nullptr : &calls[place->second];
  }
};

LocationCalls& calls_of(void* user) { return *static_cast<LocationCalls*>(user); }

void set_event_callbacks(OTF2_EvtReaderCallbacks* callbacks) {
  using Attributes = OTF2_AttributeList*;
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t position,
                                                         void* user, Attributes, OTF2_RegionRef region) {
    LocationCalls& calls = calls_of(user);
    const TimePs start = calls.all->time(time);
    if (calls.all->region_names.count(region) != 0)
      calls.open.push_back({.function = region, .start = start, .position = position});
    else calls.open_regions.push_back({region, calls.thread, start, start, position});
    return kGoOn;
  });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                         void* user, Attributes, OTF2_RegionRef region) {
    LocationCalls& calls = calls_of(user);
    if (!calls.open_regions.empty() && calls.open_regions.back().region == region) {
      Region left = calls.open_regions.back();
      calls.open_regions.pop_back();
      left.end = std::max(left.start, calls.all->time(time));
      calls.regions.push_back(left);
      return kGoOn;
    }
    if (calls.open.empty() || calls.open.back().function != region) return kGoOn;
    Call call = std::move(calls.open.back());
    calls.open.pop_back();
    call.end = std::max(call.start, calls.all->time(time));
    if (call.request) calls.made_by[*call.request] = calls.calls.size();
    calls.calls.push_back(std::move(call));
    return kGoOn;
  });
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint32_t receiver,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t length) {
        if (Call* const call = calls_of(user).current())
          call->destination = receiver, call->communicator = communicator, call->tag = tag, call->bytes = length;
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint32_t receiver,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
        LocationCalls& calls = calls_of(user);
        if (Call* const call = calls.current()) {
          call->destination = receiver, call->communicator = communicator, call->tag = tag, call->bytes = length;
          calls.make_request(request);
        }
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint64_t request) {
        calls_of(user).complete(request);
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint64_t request) {
        calls_of(user).make_request(request);
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint32_t sender,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t length) {
        Call* const call = calls_of(user).current();
        if (call == nullptr) return kGoOn;
        call->source = sender, call->communicator = communicator;
        // A call that sends and receives has both.
        if (call->destination) call->receive_tag = tag, call->receive_bytes = length;
        else call->tag = tag, call->bytes = length;
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint32_t sender,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t length, std::uint64_t request) {
        if (Call* const call = calls_of(user).complete(request))
          call->source = sender, call->communicator = communicator, call->tag = tag, call->bytes = length;
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint64_t request) {
        if (Call* const call = calls_of(user).complete(request)) call->is_cancelled = true;
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, OTF2_CollectiveOp,
                    OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        if (Call* const call = calls_of(user).current()) {
          call->communicator = communicator, call->bytes = sent, call->receive_bytes = received;
          if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP) call->root = root;  // above are words for none and self
        }
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, std::uint64_t request) {
        calls_of(user).make_request(request);
        return kGoOn;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, Attributes, OTF2_CollectiveOp,
                    OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                    std::uint64_t request) {
        if (Call* const call = calls_of(user).complete(request)) {
          call->communicator = communicator, call->bytes = sent, call->receive_bytes = received;
          if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP) call->root = root;
        }
        return kGoOn;
      });
}

void set_metric_callback(OTF2_EvtReaderCallbacks* callbacks) {
  OTF2_EvtReaderCallbacks_SetMetricCallback(
      callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList*,
                    OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types, const OTF2_MetricValue* values) {
        LocationCalls& calls = calls_of(user);
        const std::vector<std::uint32_t>* const members = calls.all->members_of_metric(metric);
        for (std::size_t i = 0; members != nullptr && i < std::min<std::size_t>(count, members->size()); ++i) {
          const auto member = calls.all->metric_members.find((*members)[i]);
          if (member == calls.all->metric_members.end()) continue;
          const double value = types[i] == OTF2_TYPE_DOUBLE || types[i] == OTF2_TYPE_FLOAT ? values[i].floating_point
                               : types[i] == OTF2_TYPE_INT64 ? static_cast<double>(values[i].signed_int)
                                                             : static_cast<double>(values[i].unsigned_int);
          calls.samples.push_back({member->first, calls.all->time(time), value * member->second.scale});
        }
        return kGoOn;
      });
}

Error damaged(const std::string& anchor, OTF2_ErrorCode code, const char* what) {
  return {std::string("the OTF2 library cannot read ") + what + ": " + OTF2_Error_GetDescription(code), anchor,
          Error::kNoOffset, "an archive is its .otf2 file, the .def beside it and the folder of the same name"};
}

/// Reads what it can, and closes it.
class OpenArchive {
 public:
  explicit OpenArchive(const std::string& anchor) : anchor_(anchor) {
    // It prints what it finds wrong; we say it in our words.
    OTF2_Error_RegisterCallback([](void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                                   std::va_list) { return code; },
                                nullptr);
    reader_ = OTF2_Reader_Open(anchor.c_str());
  }
  OpenArchive(const OpenArchive&) = delete;
  OpenArchive& operator=(const OpenArchive&) = delete;
  ~OpenArchive() {
    if (reader_ != nullptr) OTF2_Reader_Close(reader_);
  }

  Result<Archive> read() {
    if (reader_ == nullptr)
      return Error{"the OTF2 library cannot open this archive", anchor_, 0, "is it whole? otf2-print reads it, too"};
    OTF2_Reader_SetSerialCollectiveCallbacks(reader_);
    if (const OTF2_ErrorCode code = read_definitions(); code != OTF2_SUCCESS)
      return damaged(anchor_, code, "its definitions");
    list_processes();
    for (const auto& [location, group] : all_.process_of_location) OTF2_Reader_SelectLocation(reader_, location);
    const bool has_definitions = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    if (const OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(reader_); code != OTF2_SUCCESS)
      return damaged(anchor_, code, "its events");
    for (const auto& [location, group] : all_.process_of_location) {
      if (const OTF2_ErrorCode code = read_location(location, has_definitions); code != OTF2_SUCCESS)
        return damaged(anchor_, code, "the events of a location");
    }
    finish();
    return std::move(all_.archive);
  }

 private:
  OTF2_ErrorCode read_definitions() {
    OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader_);
    if (definitions == nullptr) return OTF2_ERROR_INVALID;
    OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
    set_definition_callbacks(callbacks);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader_, definitions, callbacks, &all_);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    return OTF2_Reader_ReadAllGlobalDefinitions(reader_, definitions, &count);
  }

  void list_processes() {
    for (const auto& [group, name] : all_.group_of_processes) {
      place_of_group_[group] = all_.archive.processes.size();
      all_.archive.processes.emplace_back().name = name;
    }
    // Threads of what is no process (a metric's, say) have no calls of MPI.
    std::erase_if(all_.process_of_location, [&](const auto& one) { return place_of_group_.count(one.second) == 0; });
    for (const auto& [location, group] : all_.process_of_location) {
      if (all_.threads.count(location) != 0)
        all_.archive.processes[place_of_group_[group]].locations.push_back(location);
    }
  }

  OTF2_ErrorCode read_location(std::uint64_t location, bool has_definitions) {
    std::uint64_t count = 0;
    if (has_definitions) {
      if (OTF2_DefReader* const own = OTF2_Reader_GetDefReader(reader_, location); own != nullptr) {
        const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader_, own, &count);
        OTF2_Reader_CloseDefReader(reader_, own);
        if (code != OTF2_SUCCESS) return code;
      }
    }
    OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_, location);
    if (events == nullptr) return OTF2_ERROR_INVALID;
    Process& process = all_.archive.processes[place_of_group_[all_.process_of_location[location]]];
    LocationCalls calls;
    calls.all = &all_;
    calls.thread = static_cast<std::uint32_t>(std::find(process.locations.begin(), process.locations.end(), location) -
                                              process.locations.begin());
    OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
    set_event_callbacks(callbacks);
    set_metric_callback(callbacks);
    OTF2_Reader_RegisterEvtCallbacks(reader_, events, callbacks, &calls);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader_, events, &count);
    OTF2_Reader_CloseEvtReader(reader_, events);
    all_.archive.open_calls += calls.open.size() + calls.open_regions.size();
    all_.archive.stray_records += calls.stray;
    // Requests of a second thread are not those of the first.
    const auto base = static_cast<std::int64_t>(requests_of_process_[all_.process_of_location[location]]);
    for (Call& call : calls.calls) {
      if (call.request) *call.request += base;
      for (std::int64_t& number : call.completed) number += base;
    }
    requests_of_process_[all_.process_of_location[location]] += static_cast<std::size_t>(calls.made);
    std::move(calls.calls.begin(), calls.calls.end(), std::back_inserter(process.calls));
    process.regions.insert(process.regions.end(), calls.regions.begin(), calls.regions.end());
    process.samples.insert(process.samples.end(), calls.samples.begin(), calls.samples.end());
    return code;
  }

  void finish() {
    Archive& archive = all_.archive;
    for (Process& process : archive.processes) {
      std::stable_sort(process.calls.begin(), process.calls.end(),
                       [](const Call& a, const Call& b) { return a.end < b.end; });
      std::stable_sort(process.samples.begin(), process.samples.end(),
                       [](const Sample& a, const Sample& b) { return a.time < b.time; });
    }
    for (const auto& [region, name] : all_.region_names) archive.functions[region] = all_.text(name);
    for (const auto& [region, kind] : all_.program_regions)
      archive.regions[region] = {all_.text(kind.name), kind.is_of_user, kind.is_of_recorder};
    for (const auto& [member, metric] : all_.metric_members)
      archive.metrics[member] = {all_.text(metric.name), all_.text(metric.unit)};
    for (const auto& [communicator, group] : all_.group_of_communicator) {
      const auto members = all_.groups.find(group);
      if (members == all_.groups.end() || members->second.is_self) continue;
      std::vector<std::size_t> list;
      for (const std::uint64_t rank : members->second.members) {
        const auto location =
            rank < all_.world.size() ? all_.process_of_location.find(all_.world[rank]) : all_.process_of_location.end();
        if (location == all_.process_of_location.end()) break;
        list.push_back(place_of_group_[location->second]);
      }
      if (list.size() == members->second.members.size()) archive.communicators[communicator] = std::move(list);
    }
  }

  const std::string& anchor_;
  OTF2_Reader* reader_ = nullptr;
  Collected all_;
  std::map<std::uint32_t, std::size_t> place_of_group_;
  std::map<std::uint32_t, std::size_t> requests_of_process_;
};

}  // namespace

Result<Archive> collect_archive(const std::string& anchor) { return OpenArchive(anchor).read(); }
std::string_view library_version() { return OTF2_VERSION; }

}  // namespace orrery::otf2

#else

namespace orrery::otf2 {

Result<Archive> collect_archive(const std::string& anchor) {
  return Error{"this program was built without the OTF2 library", anchor, Error::kNoOffset,
               "install libopen-trace-format2-dev and build it again"};
}
std::string_view library_version() { return {}; }

}  // namespace orrery::otf2

#endif
