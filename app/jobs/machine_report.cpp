#include "app/jobs/machine_report.h"

#include <sys/utsname.h>

#include <cstdio>
#include <thread>

#include "app/jobs/output.h"
#include "app/version.h"
#include "core/base/files.h"
#include "session/session.h"

namespace tl {

using Json = nlohmann::ordered_json;

namespace {

/// Connections to the other GPUs.
Json links_of(const Device& device) {
    Json links = Json::array();
    for (Device* peer : devices()) {
        if (peer == &device || peer->kind() != DeviceKind::cuda || device.kind() != peer->kind())
            continue;
        auto link = device.link_to(*peer);
        links.push_back({{"to", peer->id()},
                         {"direct", link.is_direct},
                         {"atomics", link.has_atomics},
                         {"text", text_of(link)}});
    }
    return links;
}

}  // namespace

const char* text_of(const PeerLink& link) {
    if (!link.is_direct) return "through host memory";
    return link.has_atomics ? "direct, with atomics (NVLink)" : "direct";
}

Json machine_report() {
    utsname system{};
    uname(&system);
    Json list = Json::array();
    for (Device* device : devices()) {
        auto memory = device->memory_stats();
        list.push_back({{"id", device->id()},
                        {"name", device->name()},
                        {"memory_mb", memory.bytes_total >> 20},
                        {"links", links_of(*device)}});
    }
    return {{"version", version_text()},
            {"commit", git_commit()},
            {"host",
             {{"threads", std::thread::hardware_concurrency()},
              {"os", std::string(system.sysname) + " " + system.release},
              {"compiler", "g++ " __VERSION__}}},
            {"devices", list}};
}

Json session_report(Session& session) {
    Json settings = Json::object();
    for (auto& section : session.settings().sections())
        for (auto& setting : section.settings) settings[section.id][setting->id] = setting.text();
    auto& scene = session.scene();
    auto extent = session.extent();
    return {{"scene", scene.path.empty() ? scene.name : scene.path},
            {"triangles", scene.triangle_count()},
            {"spheres", scene.spheres.size()},
            {"gaussians", scene.gaussian_count()},
            {"splats", scene.splats.size()},
            {"patches", scene.patch_count()},
            {"instances", scene.instances.size()},
            {"offset", {scene.offset.x, scene.offset.y, scene.offset.z}},
            {"primitives", session.live_scene().primitive_count()},
            {"lights", scene.lights.size()},
            {"device", names_of(session.devices())},
            {"renderer", session.renderer_id()},
            {"builder", session.builder_id()},
            {"width", extent.width},
            {"height", extent.height},
            {"seed", session.seed},
            {"settings", settings}};
}

const char* text_of(const Json& json, const char* key) {
    return json.at(key).get_ref<const std::string&>().c_str();
}

void begin_report(const std::string& path) {
    if (path == "-")
        results_to_stderr();
    else if (!path.empty())
        require_writable(path);
}

std::string json_text(const Json& json) {
    // Names of files need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_json(const std::string& path, const Json& json) {
    std::string text = json_text(json);
    if (path == "-")
        std::fwrite(text.data(), 1, text.size(), stdout);
    else
        write_file(path, text);
}

std::string program_version() {
    return version_text();
}

}  // namespace tl
