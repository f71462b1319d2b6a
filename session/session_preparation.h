// Slow parts of replacing a session's scene or device, apart from the replacement itself. They
// change nothing of the session, and may run in another thread while no frame does.
#pragma once

#include <memory>
#include <string>

#include "core/base/read_progress.h"
#include "session/session.h"

namespace tl {

/// A scene on a session's device, with the renderer and builder of its file. Belongs to that
/// session alone.
struct PreparedScene {
    std::shared_ptr<const Scene> scene;
    std::string renderer_id, builder_id;
    std::unique_ptr<LiveScene> live;
    std::unique_ptr<Renderer> renderer;
};
/// Copies the scene to the session's device, with reports to `progress`. `renderer`: id of the
/// renderer to use; "": that of the scene's file, else the session's. Throws UserError if the scene
/// does not fit or its file requests what does not exist.
[[nodiscard]] PreparedScene prepare_scene(const Session& session,
                                          std::shared_ptr<const Scene> scene,
                                          const ReadProgress& progress = {},
                                          const std::string& renderer = "");
/// Whether the scene's file says that its renderer replaces SessionSettings::kept_renderer().
[[nodiscard]] bool requires_renderer(const Scene& scene);
/// Builds the scene's trees for time 0 with its future settings, so that the first frame need not,
/// with reports to `progress`. Throws UserError if they do not fit, and Cancelled where
/// Session::cancellation requests cancellation.
void build_trees(const Session& session, PreparedScene& prepared,
                 const ReadProgress& progress = {});

/// Copies the session's scene, whose geometry was edited, to the session's device. Throws UserError
/// if it does not fit.
[[nodiscard]] std::unique_ptr<LiveScene> prepare_edited(const Session& session);

/// A session's objects on another device.
struct PreparedDevice {
    Device* device = nullptr;
    std::shared_ptr<Stream> stream;
    std::unique_ptr<Scratch> scratch;
    std::unique_ptr<StageTimer> timer;
    std::unique_ptr<LiveScene> live;
    std::unique_ptr<Renderer> renderer;
    Film film;
};
/// Copies the session's scene to the device, with reports to `progress`. `stream` as for the
/// constructor of Session. Throws
/// UserError if the scene does not fit.
[[nodiscard]] PreparedDevice prepare_device(const Session& session, Device& device,
                                            std::shared_ptr<Stream> stream = nullptr,
                                            const ReadProgress& progress = {});

}  // namespace tl
