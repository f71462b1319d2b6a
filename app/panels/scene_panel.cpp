#include <imgui/imgui.h>

#include <filesystem>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"
#include "renderer/scene/loaders/recentre.h"

namespace tl {
namespace {

/// "6 materials", "1 light".
std::string counted(std::size_t count, const std::string& what) {
    return grouped(count) + " " + plural(count, what);
}

}  // namespace

void draw_scene_panel(ViewerModel& model) {
    auto& scene = model.session.scene();
    if (begin_rows("scene")) {
        row("name", scene.name);
        if (!scene.path.empty())
            row("file", std::filesystem::path(scene.path).filename().string(), scene.path);
        std::string geometry = counted(scene.triangle_count(), "triangle");
        if (!scene.spheres.empty()) geometry += ", " + counted(scene.spheres.size(), "sphere");
        if (!scene.splats.empty()) geometry += ", " + counted(scene.splats.size(), "splat");
        row("geometry", geometry);
        if (scene.gaussian_count() > 0)
            row("Gaussians", counted(scene.gaussian_count(), "ellipsoid"));
        if (scene.patch_count() > 0) row("patches", counted(scene.patch_count(), "Bezier surface"));
        if (scene.offset != glm::dvec3(0))
            row("moved by", place_text(-scene.offset),
                "The file's coordinates lie so far from the origin that floats would lose details. "
                "Those of the camera and all others here are moved by this; what is saved or "
                "exported is moved back.");
        if (!scene.instances.empty())
            row("instances", counted(scene.instances.size(), "instance") + ", " +
                                 counted(scene.visible_triangle_count(), "triangle") + " seen");
        row("shading", counted(scene.materials.size(), "material") + ", " +
                           counted(scene.lights.size(), "light"));
        row("device memory", byte_text(model.status.measured.scene_bytes));
        end_rows();
    }
    for (auto& warning : scene.warnings) wrapped_text(warning_color(), warning);
}

}  // namespace tl
