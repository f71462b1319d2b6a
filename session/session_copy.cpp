#include "session/session_copy.h"

namespace tl {

SessionSnapshot snapshot_of(Session& session, const Camera& camera) {
    SessionSnapshot shot{std::make_shared<const Scene>(session.scene()),
                         &session.device(),
                         session.renderer_id(),
                         session.builder_id(),
                         camera,
                         session.seed,
                         session.time,
                         {}};
    for (auto& section : session.settings().sections())
        for (auto& setting : section.settings)
            shot.settings.push_back({section.id, setting->id, setting.text()});
    return shot;
}

std::unique_ptr<Session> session_of(const SessionSnapshot& shot, Extent size) {
    auto session = std::make_unique<Session>(*shot.device);
    session->set_scene(shot.scene);
    if (session->renderer_id() != shot.renderer) session->set_renderer(shot.renderer);
    if (session->builder_id() != shot.builder) session->set_builder(shot.builder);
    for (auto& value : shot.settings) session->settings().set(value.section, value.id, value.text);
    session->camera = shot.camera;
    session->seed = shot.seed;
    session->time = shot.time;
    session->resize(size);
    return session;
}

}  // namespace tl
