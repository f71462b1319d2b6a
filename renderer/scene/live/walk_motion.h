// Positions of walking instances at a time.
#pragma once

#include "renderer/scene/live/scene_view.h"

TL_DEVICE_BEGIN

/// A rigid motion and its inverse.
struct WalkMotion {
    AffineRows forth, back;
};

/// The motion from an instance's rest position to that at `phase`: turned about the axis of its
/// circle, and lifted.
TL_HD inline WalkMotion walk_motion(const InstanceSource& source, float phase) {
    const vec4* rows = source.object_to_world.rows;
    vec3 ahead(rows[0].z, 0, rows[2].z);
    float length = glm::length(ahead);
    ahead = length > 0 ? ahead / length : vec3(0, 0, 1);
    float x = rows[0].w + source.walk.radius * ahead.z;
    float z = rows[2].w - source.walk.radius * ahead.x;
    auto part = [&](float cycles) { return cycles * phase - floorf(cycles * phase); };
    float angle = copysignf(2 * kPi, source.walk.radius) * part(source.walk.turns);
    float c = cosf(angle), s = sinf(angle);
    float lift = source.walk.bob * sinf(kPi * part(source.walk.steps));
    WalkMotion m;
    m.forth = {{{c, 0, s, x - (c * x + s * z)}, {0, 1, 0, lift}, {-s, 0, c, z - (c * z - s * x)}}};
    m.back = {{{c, 0, -s, x - (c * x - s * z)}, {0, 1, 0, -lift}, {s, 0, c, z - (c * z + s * x)}}};
    return m;
}

/// The instance at a phase, 0 to 1, of the scene's duration.
TL_HD inline InstanceSource placed_at(const InstanceSource& rest, float phase) {
    if (phase == 0 || rest.walk.radius == 0) return rest;
    WalkMotion motion = walk_motion(rest, phase);
    InstanceSource now = rest;
    now.object_to_world = motion.forth.after(rest.object_to_world);
    now.world_to_object = rest.world_to_object.after(motion.back);
    now.is_identity = 0;
    return now;
}

TL_DEVICE_END
