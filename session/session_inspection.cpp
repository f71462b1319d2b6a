#include "session/session_inspection.h"

#include "accel/bvh/inspect/tree_stats.h"
#include "core/base/error.h"
#include "session/session.h"
#include "session/split/split_frames.h"

namespace tl {

std::vector<FrameCount> SessionInspection::frame_counts() {
    return session_.renderer().counts(session_.stream());
}

std::vector<PictureFigure> SessionInspection::picture_figures() {
    return session_.renderer().figures(session_.stream());
}

std::optional<std::uint32_t> SessionInspection::unfinished_pixels() {
    auto* convergence = session_.convergence();
    if (session_.samples() == 0 || !convergence) return {};
    try {
        return convergence->undone_pixels();
    } catch (const UserError&) {
        return {};  // the device has failed, which the next frame will report
    }
}

bool SessionInspection::builds_ahead() const {
    return session_.live_scene().taking_turns();
}

std::string SessionInspection::take_warning(bool wait) {
    auto of_devices = session_.split_ ? session_.split_->take_warning() : std::string();
    auto of_tree = take_tree_warning(wait);
    return of_devices + (of_devices.empty() || of_tree.empty() ? "" : "; ") + of_tree;
}

std::string SessionInspection::take_tree_warning(bool wait) {
    auto& tree = session_.live_scene().tree();
    if (told_tree_warning_ || tree.header().empty()) return "";
    TreeHeader header;
    if (wait)
        session_.device().download(session_.stream(), &header, tree.header().data, sizeof header);
    else if (tree.latest_header())
        header = *tree.latest_header();
    auto warning = warning_of(header);
    told_tree_warning_ = !warning.empty();
    return warning;
}

std::uint64_t SessionInspection::points_version() {
    auto* source = session_.renderer().points();
    return source && session_.samples() > 0 ? source->points_version() : 0;
}

PointList SessionInspection::collect_points(std::uint32_t most) {
    auto* source = session_.renderer().points();
    if (!source || session_.samples() == 0) return {};
    return source->collect_points(session_.scratch(), session_.live_scene().view().tree,
                                  session_.newest_frame().camera.eye, most);
}

OctreeView SessionInspection::point_octree() {
    auto version = session_.versions().scene;
    if (!points_ || points_of_ != version) {
        points_ = std::make_unique<LivePoints>();
        points_of_ = 0;  // unless it can be built
        points_->build(session_.scratch(), session_.live_scene());
        points_of_ = version;
    }
    return points_->octree();
}

TransportSource* SessionInspection::transport() {
    return session_.samples() > 0 ? dynamic_cast<TransportSource*>(&session_.renderer()) : nullptr;
}

PixelTree SessionInspection::pixel_tree(int x, int y) {
    auto* source = session_.renderer().pixel_trees();
    Extent picture = session_.extent();
    bool inside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
    if (!source || session_.samples() == 0 || !inside) return {};
    return source->pixel_tree(session_.newest_frame(), session_.live_scene(), picture, x, y,
                              session_.scratch());
}

RecordedRays SessionInspection::record_rays(std::uint64_t most_bytes) {
    auto* recorder = session_.renderer().ray_recorder();
    if (!recorder)
        throw UserError("the renderer '" + session_.renderer_id() +
                        "' records no rays: choose one that does, such as whitted");
    if (session_.samples() == 0)
        throw UserError("no frame has been rendered yet, so there are no rays to record");
    FilmView film = session_.film().view();
    auto* convergence = session_.convergence();
    film.done = convergence ? convergence->done() : nullptr;  // the rays of all shares
    return recorder->record_rays(session_.newest_frame(), session_.live_scene(), film,
                                 session_.scratch(), most_bytes);
}

}  // namespace tl
