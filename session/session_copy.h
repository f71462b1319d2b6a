// A second session that makes the pictures of another one, in a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session/session.h"

namespace tl {

/// What makes a session's pictures, with a copy of its scene, which edits change in place.
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

/// The copy of a large scene takes a while; no frame of the session may run meanwhile. `camera`: in
/// place of the session's.
[[nodiscard]] SessionSnapshot snapshot_of(Session& session, const Camera& camera);
/// A session with a stream of its own, for pictures of this size. Throws UserError where the scene
/// does not fit on the device a second time.
[[nodiscard]] std::unique_ptr<Session> session_of(const SessionSnapshot& shot, Extent size);

}  // namespace tl
