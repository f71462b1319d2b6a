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

Json machine_report() {
    utsname system{};
    uname(&system);
    Json list = Json::array();
    for (Device* device : devices()) {
        auto memory = device->memory_stats();
        list.push_back({{"id", device_id(device->kind())},
                        {"name", device->name()},
                        {"memory_mb", memory.bytes_total >> 20}});
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
    auto extent = session.film().extent();
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
            {"device", session.device().name()},
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

}  // namespace tl
