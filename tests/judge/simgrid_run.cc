#include "judge/simgrid_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <span>

namespace orrery::judge {
namespace {

namespace sg4 = simgrid::s4u;

std::string platform_xml(const Case& what) {
  return fmt::format(
      R"(<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><zone id="w" routing="Full">)"
      R"(<cluster id="c" prefix="h" radical="0-{}" suffix="" speed="1Gf" bw="1GBps" lat="{}us" {} sharing_policy="SPLITDUPLEX"/></zone></platform>)",
      what.platform.devices - 1, what.latency_us, what.platform.simgrid_topology);
}

void run(const Case& what, const std::string& platform_file, const std::vector<std::string>& settings,
         std::span<double> finishes) {
  char name[] = "simgrid_judge", quiet[] = "--log=root.thres:error";
  char* arguments[] = {name, quiet, nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments);
  for (const std::string& setting : settings) sg4::Engine::set_config(setting);
  engine.load_platform(platform_file);
  const auto host = [&](std::uint32_t device) { return engine.host_by_name(fmt::format("h{}", device)); };
  sg4::Actor::create("start", host(0), [&] {
    std::vector<sg4::CommPtr> messages;
    for (const auto& message : what.messages) {
      messages.push_back(sg4::Comm::sendto_async(host(message.source), host(message.target),
                                                 static_cast<std::uint64_t>(message.bytes)));
    }
    for (const sg4::CommPtr& message : messages) message->wait();
    for (std::size_t i = 0; i < messages.size(); ++i) finishes[i] = messages[i]->get_finish_time();
  });
  engine.run();
}

}  // namespace

std::vector<double> simgrid_finishes(const Case& what, const std::vector<std::string>& settings) {
  char platform_file[] = "/tmp/orrery_judge_XXXXXX.xml";
  const int descriptor = mkstemps(platform_file, 4);
  if (descriptor < 0) return {};
  close(descriptor);
  std::ofstream(platform_file) << platform_xml(what);

  const std::size_t count = what.messages.size();
  void* memory = mmap(nullptr, count * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  const std::span<double> finishes(static_cast<double*>(memory), count);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    run(what, platform_file, settings, finishes);
    _exit(0);
  }
  int status = -1;
  if (child > 0) waitpid(child, &status, 0);
  std::remove(platform_file);
  const std::vector<double> result(finishes.begin(), finishes.end());
  munmap(memory, count * sizeof(double));
  return status == 0 ? result : std::vector<double>{};
}

}  // namespace orrery::judge
