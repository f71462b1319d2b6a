#include "app/viewer/actions/overlay_search.h"

#include <utility>

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

std::array<Session*, 2> sides(ViewerModel& model) {
    auto& second = model.view.compare.second;
    bool is_rendered = second && !second->picture();
    return {&model.session, is_rendered ? &second->session() : nullptr};
}

/// False until a frame of what is shown has been made on each side: before, there is no tree of it
/// to look into.
bool has_frames(ViewerModel& model) {
    for (auto* session : sides(model))
        if (session && session->samples() == 0) return false;
    return true;
}

std::array<std::uint64_t, 2> point_versions(ViewerModel& model) {
    auto [first, second] = sides(model);
    return {first->inspection().points_version(),
            second ? second->inspection().points_version() : 0};
}

TreeBoxes find_boxes(Session& session, bool octree, int level) {
    auto tree = session.live_scene().view().tree;
    if (octree)
        return collect_octree_boxes(session.scratch(), session.inspection().point_octree(), tree,
                                    level, session.camera.eye);
    return collect_tree_boxes(session.scratch(), tree, session.live_scene().tree().nodes().size(),
                              level, session.camera.eye);
}

ControlNets find_nets(Session& session) {
    auto n_patches = static_cast<std::uint32_t>(session.scene().patch_count());
    return collect_control_nets(session.scratch(), session.live_scene().view().tree, n_patches,
                                session.camera.eye);
}

}  // namespace

bool overlays_stale(const ViewerView& view) {
    auto stale = [](const OverlayView& overlay) { return overlay.shown && overlay.stale; };
    return stale(view.boxes) || stale(view.points) || stale(view.net);
}

bool OverlaySearch::due(ViewerModel& model, bool at_once) {
    // Nets are those of exactly the displayed frame: on animated scenes older ones would lag
    // behind.
    constexpr std::chrono::milliseconds kEvery{50}, kAlways{0};
    auto now = Clock::now();
    auto wanted = [&](const OverlayView& view, auto every) {
        return model.status.stopped_by.empty() && view.shown &&
               (at_once || now - view.found_at >= every);
    };
    boxes_.wanted = wanted(model.view.boxes, kEvery);
    points_.wanted = wanted(model.view.points, kEvery);
    nets_.wanted = wanted(model.view.net, kAlways);
    if (points_.wanted && point_versions(model) != model.view.points.versions)
        model.view.points.stale = true;
    bool stale = (boxes_.wanted && model.view.boxes.stale) ||
                 (points_.wanted && model.view.points.stale) ||
                 (nets_.wanted && model.view.net.stale);
    return stale && has_frames(model);
}

void OverlaySearch::begin(ViewerView& view) {
    auto take = [](auto& search, OverlayView& overlay) {
        search.stale = search.wanted && std::exchange(overlay.stale, false);
        search.done = false;
        search.error.clear();
    };
    take(boxes_, view.boxes);
    take(points_, view.points);
    take(nets_, view.net);
    octree_ = view.boxes.octree;
    level_ = view.boxes.leaves ? kAllLeaves : view.boxes.level;
    most_points_ = static_cast<std::uint32_t>(view.points.most);
    versions_ = view.points.versions;
    seconds_ = 0;
}

template <class Found, class Find>
void OverlaySearch::look(Search<Found>& search, bool anew, Find find) {
    if (!search.wanted || !(search.stale || anew)) return;
    search.done = true;
    try {
        find(search.found);
    } catch (const std::exception& error) {
        search.error = message_of(error);
    }
}

void OverlaySearch::run(ViewerModel& model, bool anew) {
    if (!wanted() || !has_frames(model)) return;
    auto began = Clock::now();
    auto sessions = sides(model);
    look(boxes_, anew, [&](std::array<TreeBoxes, 2>& found) {
        for (std::size_t i = 0; i < 2; ++i)
            found[i] = sessions[i] ? find_boxes(*sessions[i], octree_, level_) : TreeBoxes{};
    });
    auto versions = points_.wanted ? point_versions(model) : versions_;
    look(points_, anew || versions != versions_, [&](std::array<PointList, 2>& found) {
        for (std::size_t i = 0; i < 2; ++i)
            found[i] =
                sessions[i] ? sessions[i]->inspection().collect_points(most_points_) : PointList{};
        versions_ = versions;
    });
    look(nets_, anew, [&](ControlNets& found) { found = find_nets(model.session); });
    seconds_ = std::chrono::duration<float>(Clock::now() - began).count();
}

template <class Found, class View>
void OverlaySearch::hand_over(Messages& messages, Search<Found>& search, View& view,
                              const char* failure, bool anew) {
    if (!search.done) {
        view.stale |= search.stale || anew;
        return;
    }
    Found found = std::exchange(search.found, {});
    if (!view.shown) return;
    view.shown = attempt(messages, failure, [&] {
        if (!search.error.empty()) throw UserError(search.error);
    });
    view.found = std::move(found);
    view.found_at = Clock::now();
    ++view.found_count;
}

void OverlaySearch::end(ViewerModel& model, bool anew) {
    hand_over(model.status.messages, boxes_, model.view.boxes, "Cannot show the boxes", anew);
    hand_over(model.status.messages, points_, model.view.points, "Cannot show the photons", anew);
    hand_over(model.status.messages, nets_, model.view.net, "Cannot show the control net", anew);
    model.view.points.versions = versions_;
}

}  // namespace tl
