#include "app/viewer/picture_notes.h"

#include <algorithm>

#include "app/jobs/format.h"
#include "app/viewer/viewer_model.h"
#include "renderer/unshown_content.h"

namespace tl {
namespace {

/// Why a heat map has one colour, or "".
std::string note_on_heat_map(const ViewerModel& model) {
    auto& side = model.view.legend.sides[0];
    bool heat = model.session.renderer_id() == "heat-map" && side.known && side.scale.is_ramp();
    if (!heat || side.scale.minimum < side.scale.maximum) return "";
    return formatted(
        "The heat map has one colour, since every ray costs the same here (%.3g). The scene has %u "
        "primitives: a larger one shows more. Shift+H counts something else; H shows the picture.",
        static_cast<double>(side.scale.maximum), model.status.measured.n_primitives);
}

/// Why no boxes are drawn, or "".
std::string note_on_boxes(const ViewerModel& model) {
    auto& boxes = model.view.boxes;
    if (!boxes.shown || boxes.stale || boxes.found[0].n_total > 0) return "";
    if (boxes.octree && count_points(model.session.scene()).all() == 0)
        return "The scene has no points: no spheres, splats or vertices of its own.";
    if (boxes.leaves) return "The tree has no leaves, so there are no boxes to draw.";
    auto& stats = model.status.tree_report.stats;
    bool known = stats && !boxes.octree && model.status.tree_report.scene == &model.session.scene();
    auto depth = known ? formatted(" (its deepest has number %d)", static_cast<int>(stats->depth))
                       : std::string();
    return formatted("The tree has no boxes at level %d: it is not that deep%s. ", boxes.level,
                     depth.c_str()) +
           "Press - for the boxes of one level up, Shift+B for those of all leaves, or B for none.";
}

/// Why glass, mirrors and what lies in shadow are black by a renderer that follows few rays, or "".
std::string note_on_depth(const ViewerModel& model) {
    constexpr int kEnough = 3;
    auto& session = model.session;
    if (session.renderer_id() != "bezier" || session.samples() == 0) return "";
    auto settings = session.settings().renderer();
    int depth = static_cast<int>(find_setting(settings, "max-depth", "bezier").number());
    double ambient = find_setting(settings, "ambient", "bezier").number();
    auto bends = [](const Material& m) {
        return m.kind == MaterialKind::dielectric || m.kind == MaterialKind::mirror;
    };
    bool shallow = depth < kEnough && std::ranges::any_of(session.scene().materials, bends);
    if (!shallow && ambient > 0) return "";
    std::string text = "The renderer 'Bezier patches' ";
    if (shallow)
        text += formatted("follows %d %s of light, so that glass and mirrors may be black", depth,
                          depth == 1 ? "bounce" : "bounces");
    if (shallow && ambient <= 0) text += "; it ";
    if (ambient <= 0) text += "adds no ambient light, so that what no lamp reaches is black";
    return text + ". Raise 'Max depth' and 'Ambient' in the tab Render.";
}

/// A note on content of the scene that the renderer leaves out; "" if it shows all.
std::string note_on_content(const ViewerModel& model) {
    auto unshown = unshown_content(model.session.scene(), model.session.renderer_id());
    if (unshown.what.empty()) return "";
    std::string text = "The scene has " + unshown.what + ", which this renderer does not show.";
    if (unshown.show.empty()) return text;
    text += " Press Ctrl+R until the renderer is ";
    for (auto* row : unshown.show)
        text += (row == unshown.show.front()  ? "'"
                 : row == unshown.show.back() ? " or '"
                                              : ", '") +
                row->title + "'";
    return text + ".";
}

}  // namespace

std::vector<std::string> picture_notes(const ViewerModel& model) {
    std::vector<std::string> notes;
    if (!model.gate.open()) return model.status.notes;
    for (auto& note : {note_on_heat_map(model), note_on_boxes(model), note_on_depth(model),
                       note_on_content(model)})
        if (!note.empty() &&
            std::ranges::find(model.status.closed_notes, note) == model.status.closed_notes.end())
            notes.push_back(note);
    return notes;
}

}  // namespace tl
