// Perfetto's packets taken apart by another implementation of protobuf than ours: what its trace processor would make
// of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::testing {

struct DecodedTrack {
  std::string name;
  std::uint64_t parent = 0;
  std::int64_t pid = 0, tid = 0;
  bool is_counter = false;
};

struct DecodedSlice {
  std::uint64_t track = 0;
  std::int64_t begin = 0, end = 0;
  std::string name, category = {};
  std::vector<std::uint64_t> flows = {}, ending_flows = {};
  std::map<std::string, std::string> annotations = {};
  bool is_moment = false;
  std::size_t depth = 0;
};

struct DecodedTrace {
  std::map<std::uint64_t, DecodedTrack> tracks;
  std::vector<DecodedSlice> slices;  ///< in the order in which they end, moments as they come
  std::vector<std::pair<std::int64_t, std::int64_t>> counts;

  [[nodiscard]] std::vector<DecodedSlice> on(std::string_view track_name) const {
    std::vector<DecodedSlice> found;
    for (const DecodedSlice& slice : slices) {
      if (tracks.at(slice.track).name == track_name) found.push_back(slice);
    }
    return found;
  }
  [[nodiscard]] const DecodedSlice& called(std::string_view name) const {
    for (const DecodedSlice& slice : slices) {
      if (slice.name == name) return slice;
    }
    throw std::runtime_error("no slice " + std::string(name));
  }
};

class PacketDecoder {
 public:
  static DecodedTrace decode(const std::string& bytes) {
    PacketDecoder decoder;
    protozero::pbf_reader trace(bytes);
    while (trace.next()) {
      if (trace.tag() != 1) throw std::runtime_error("not a packet");
      decoder.take_packet(trace.get_message());
    }
    for (const auto& [track, open] : decoder.open_) {
      if (!open.empty()) throw std::runtime_error("a slice does not end");
    }
    return std::move(decoder.out_);
  }

 private:
  using Names = std::map<std::uint64_t, std::string>;

  static void take_names(protozero::pbf_reader entry, Names& names) {
    std::uint64_t number = 0;
    std::string text;
    while (entry.next()) {
      if (entry.tag() == 1) number = entry.get_uint64();
      else if (entry.tag() == 2) text = entry.get_string();
      else entry.skip();
    }
    names[number] = text;
  }

  void take_packet(protozero::pbf_reader packet) {
    std::int64_t time = 0;
    std::vector<protozero::pbf_reader> events;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8: time = static_cast<std::int64_t>(packet.get_uint64()); break;
        case 11: events.push_back(packet.get_message()); break;
        case 12: {
          protozero::pbf_reader data = packet.get_message();
          while (data.next()) {
            if (data.tag() < 1 || data.tag() > 3) throw std::runtime_error("names of nothing");
            Names& names = names_[data.tag()];  // first: whoever has got the message has no tag any more
            take_names(data.get_message(), names);
          }
          break;
        }
        case 60: take_track(packet.get_message()); break;
        default: packet.skip();
      }
    }
    for (const protozero::pbf_reader& event : events) take_event(event, time);
  }

  void take_track(protozero::pbf_reader descriptor) {
    std::uint64_t uuid = 0;
    DecodedTrack track;
    const auto take_numbers = [&](protozero::pbf_reader numbers, bool is_thread) {
      while (numbers.next()) {
        if (numbers.tag() == 1) track.pid = numbers.get_int32();
        else if (numbers.tag() == 2 && is_thread) track.tid = numbers.get_int32();
        else numbers.skip();
      }
    };
    while (descriptor.next()) {
      switch (descriptor.tag()) {
        case 1: uuid = descriptor.get_uint64(); break;
        case 2: track.name = descriptor.get_string(); break;
        case 3: take_numbers(descriptor.get_message(), false); break;
        case 4: take_numbers(descriptor.get_message(), true); break;
        case 5: track.parent = descriptor.get_uint64(); break;
        case 8: track.is_counter = true, descriptor.skip(); break;
        default: descriptor.skip();
      }
    }
    if (!out_.tracks.emplace(uuid, track).second) throw std::runtime_error("two tracks of one number");
  }

  void take_event(protozero::pbf_reader event, std::int64_t time) {
    DecodedSlice slice{.track = 0, .begin = time, .end = time, .name = {}};
    std::uint64_t type = 0;
    while (event.next()) {
      switch (event.tag()) {
        case 3: slice.category = names_[1].at(event.get_uint64()); break;
        case 4: take_annotation(event.get_message(), slice); break;
        case 9: type = event.get_uint64(); break;
        case 10: slice.name = names_[2].at(event.get_uint64()); break;
        case 11: slice.track = event.get_uint64(); break;
        case 30: out_.counts.emplace_back(time, event.get_int64()); break;
        case 47: slice.flows.push_back(event.get_fixed64()); break;
        case 48: slice.ending_flows.push_back(event.get_fixed64()); break;
        default: throw std::runtime_error("a field of a track event that is not known");
      }
    }
    if (!out_.tracks.contains(slice.track)) throw std::runtime_error("an event of no track");
    std::vector<DecodedSlice>& open = open_[slice.track];
    if (type == 1) {
      slice.depth = open.size();
      open.push_back(slice);
    } else if (type == 2) {
      if (open.empty() || time < open.back().begin) throw std::runtime_error("an end without a begin");
      open.back().end = time;
      out_.slices.push_back(open.back());
      open.pop_back();
    } else if (type == 3) {
      slice.is_moment = true;
      out_.slices.push_back(slice);
    } else if (type != 4) {
      throw std::runtime_error("an event of no type");
    }
  }

  void take_annotation(protozero::pbf_reader annotation, DecodedSlice& slice) {
    std::string key, value;
    while (annotation.next()) {
      switch (annotation.tag()) {
        case 1: key = names_[3].at(annotation.get_uint64()); break;
        case 4: value = std::to_string(annotation.get_int64()); break;
        case 5: value = std::to_string(annotation.get_double()); break;
        case 6: value = annotation.get_string(); break;
        default: throw std::runtime_error("a field of an annotation that is not known");
      }
    }
    slice.annotations[key] = value;
  }

  DecodedTrace out_;
  std::map<std::uint32_t, Names> names_;
  std::map<std::uint64_t, std::vector<DecodedSlice>> open_;
};

}  // namespace orrery::testing
