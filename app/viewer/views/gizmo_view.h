// State of the gizmo: what it shows, and the drag in progress. No GL, no ImGui.
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
    bool local = false;  ///< along the object's own axes, else the scene's

    /// The gizmo as it was last drawn.
    struct Shown {
        GizmoTarget target;
        Gizmo gizmo;
        PictureProjection projection;
        std::vector<GizmoShape> shapes;
        float reach;  ///< pixels around a line in which it is hit
    };
    std::optional<Shown> shown{};
    GizmoHandle hovered = GizmoHandle::none;

    struct Drag {
        GizmoTarget target;
        GizmoDrag drag;
        std::variant<Transform, Light> before;  ///< the target at the start
        GizmoChange change{};
        bool moved = false;    ///< the target has changed since the start
        bool stale = false;    ///< the newest change is not requested yet
        bool pictured = true;  ///< a picture shows the last requested change
    };
    std::optional<Drag> drag{};

    /// Centre of an object's bounds before its edits.
    struct Center {
        const Scene* scene = nullptr;
        ObjectId object{};
        std::uint64_t edits = 0;  ///< of the gate, when it was found
        vec3 center{0};
    };
    Center center{};
};

}  // namespace tl
