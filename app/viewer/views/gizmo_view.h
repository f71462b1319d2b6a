// State of the gizmo in the viewer: its mode, its last drawn handles and the drag in progress. No
// GL, no ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "app/viewer/views/gizmo_drag.h"
#include "renderer/scene/scene_edits.h"

namespace tl {

/// An object, or a light by its index.
using GizmoTarget = std::variant<ObjectId, std::uint32_t>;

struct GizmoView {
    GizmoMode mode = GizmoMode::move;
    bool local = false;  ///< handles along the object's own axes, else along the scene's
    bool snaps = false;  ///< drags go in whole steps, except while Ctrl is held

    /// The gizmo as it was last drawn.
    struct Shown {
        GizmoTarget target;
        Gizmo gizmo;
        PictureProjection projection;
        std::vector<GizmoShape> shapes;
        float reach;  ///< largest distance of a click from a line that it hits, pixels
    };
    std::optional<Shown> shown{};  ///< none while no handles are shown
    GizmoHandle hovered = GizmoHandle::none;

    /// A drag in progress.
    struct Drag {
        GizmoTarget target;
        GizmoDrag drag;
        std::variant<Transform, Light> before;  ///< the target at the start
        GizmoChange change{};                   ///< newest change since the start
        bool moved = false;                     ///< the handle has moved since the start
        bool stale = false;                     ///< no edit with the newest change is requested yet
        bool pictured = true;                   ///< a picture shows the last requested change
    };
    std::optional<Drag> drag{};

    /// Cached centre of an object's bounds before its edits, valid for these members alone.
    struct Center {
        const Scene* scene = nullptr;  ///< compared, never followed
        ObjectId object{};
        std::uint64_t edits = 0;  ///< SessionGate::edits() when the centre was computed
        vec3 center{0};
    };
    Center center{};
};

}  // namespace tl
