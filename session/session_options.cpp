#include "session/session_options.h"

#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {

Settings view_settings(SessionOptions& o) {
    static const SettingsOf<SessionOptions> all{
        {"fov", &SessionOptions::fov, kNarrowestFov, kWidestFov, "degrees",
         "vertical field of view; default: the scene's"},
        {"lens-radius", &SessionOptions::lens_radius, 0, 1e6f, "length",
         "radius of the camera's thin lens; 0: off, a pinhole, all is sharp; default: the "
         "scene's"},
        {"focus-distance", &SessionOptions::focus_distance, 0, 1e9f, "length",
         "distance of the plane in focus; 0: auto, the target's; default: the scene's"},
        {"time", &SessionOptions::time, 0, 1e6f, "seconds",
         "moment of the motion, which repeats; default: 0"},
    };
    return all.of(o);
}

void apply_view(Camera& camera, const SessionOptions& o) {
    auto set = [](vec3& to, const std::vector<float>& v) {
        if (v.size() == 3) to = vec3(v[0], v[1], v[2]);
    };
    set(camera.eye, o.eye);
    set(camera.target, o.target);
    set(camera.up, o.up);
    if (o.fov > 0) camera.vertical_fov = o.fov;
    if (o.lens_radius >= 0) camera.lens_radius = o.lens_radius;
    if (o.focus_distance >= 0) camera.focus_distance = o.focus_distance;
    // The scene's own camera has been checked, so the options are at fault.
    if (auto fault = camera_fault(camera); !fault.empty())
        throw UsageError("eye, target, up and fov: " + fault);
}

void apply_options(Session& session, const SessionOptions& o) {
    if (!o.renderer.empty() && o.renderer != session.renderer_id())
        session.set_renderer(o.renderer);
    if (!o.builder.empty() && o.builder != session.builder_id()) session.set_builder(o.builder);
    for (auto& [key, value] : o.settings) {
        auto dot = key.find('.');
        session.settings().set(key.substr(0, dot), key.substr(dot + 1), value);
    }
    session.time = o.time;
    apply_view(session.camera, o);
}

std::unique_ptr<Session> make_empty_session(const SessionOptions& o) {
    auto devices = find_devices(o.device);
    auto session = std::make_unique<Session>(*devices[0]);
    if (devices.size() > 1) session->split_over({devices.begin() + 1, devices.end()});
    session->seed = o.seed;
    if (!o.renderer.empty()) session->set_renderer(o.renderer);
    if (!o.builder.empty()) session->set_builder(o.builder);
    session->resize(o.size);
    return session;
}

SceneDocument open_document(Session& session, const SessionOptions& o,
                            const ReadObserver& observer) {
    auto document = load_document(o.scene, o.environment, o.allow_outside, observer);
    session.set_scene(document.scene(), observer.progress);
    apply_options(session, o);
    return document;
}

std::unique_ptr<Session> make_session(const SessionOptions& o, const ReadObserver& observer) {
    // Unknown ids are reported before a large scene is read.
    auto session = make_empty_session(o);
    (void)open_document(*session, o, observer);
    return session;
}

}  // namespace tl
