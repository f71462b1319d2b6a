// A second session that renders the pictures of another one, in a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session/session.h"

namespace tl {

/// State from which a session renders its pictures. Owns a copy of the scene, since edits change
/// the session's own scene.
struct SessionSnapshot {
    std::shared_ptr<const Scene> scene;
    Device* device = nullptr;
    std::string renderer, builder;
    Camera camera;
    std::uint64_t seed = 0;
    float time = 0;
    struct Value {
        std::string section, id, text;
    };
    std::vector<Value> settings;
};

/// Copies the session's state. Takes a while for a large scene; no frame of the session may run
/// meanwhile. `camera` replaces the session's.
[[nodiscard]] SessionSnapshot snapshot_of(Session& session, const Camera& camera);
/// Creates a session with a stream of its own, for pictures of this size. Throws UserError where
/// the scene does not fit on the device a second time.
[[nodiscard]] std::unique_ptr<Session> session_of(const SessionSnapshot& shot, Extent size);

}  // namespace tl
