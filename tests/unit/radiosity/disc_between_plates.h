// Two plates that see each other past a disc, as points and as a scene.
#pragma once

#include "accel/tree_builder.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/unit/radiosity/linked_points.h"

namespace tl::TL_DEVICE_NAME {

/// Scene at a moment: two plates that face each other, and a disc between them that faces both.
struct Moment {
    static constexpr float kRadius = 0.2f;
    test::Surfels points;
    LiveScene live;
    std::vector<ScenePart> parts;

    /// `n_disc`: points on either side of the disc.
    Moment(Stream& stream, Scratch& scratch, vec3 center, int n_disc, float radius = kRadius)
        : live(stream, scene_of_disc(center, radius)), parts(parts_of(live.description(), 0)) {
        test::add_plate(points, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, 20, 20, {0, 1, 0});
        test::add_plate(points, {-1, 1, -1}, {2, 0, 0}, {0, 0, 2}, 20, 20, {0, -1, 0});
        const vec3 up(0, 1e-3f, 0);
        test::add_disc(points, center + up, radius, n_disc, {0, 1, 0});
        test::add_disc(points, center - up, radius, n_disc, {0, -1, 0});
        live.set_builder(make_tree_builder("hploc", stream.device()));
        StageTimer timer(stream);
        timer.enable(false);
        live.update(scratch, timer);
    }
};

inline std::uint64_t count_of(Linked& linked, const std::string& name) {
    for (auto& count : linked.counts())
        if (count.name == name) return count.value;
    ADD_FAILURE() << "no count of " << name;
    return 0;
}

}  // namespace tl::TL_DEVICE_NAME
