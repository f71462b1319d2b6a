// The key "animation" of [[mesh]], [[patches]] and [[generate]].
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include "renderer/scene/limits.h"
#include "renderer/scene/toml/toml_geometry.h"

namespace tl {
namespace {

constexpr Choices<Interpolation, 2> kInterpolations{{"linear", Interpolation::linear},
                                                    {"step", Interpolation::step}};
constexpr Choices<AnimationKind, 3> kAnimationKinds{{"explode", AnimationKind::explode},
                                                    {"wave", AnimationKind::wave},
                                                    {"rigid", AnimationKind::rigid}};

/// Moving geometry at rest, in the scene.
struct Resting {
    Box bounds;
    glm::dvec3 offset;  ///< offset that was subtracted from its positions
};

/// Reads the keys of a motion about a centre; the last key's time is the duration of a round.
void read_rigid(TomlContext& context, TomlTable& table, const Resting& resting, vec3 middle,
                Animation& animation) {
    table.require("keys");
    auto* keys = table.find("keys")->as_array();
    if (!keys || keys->size() < 2 || !keys->is_homogeneous(toml::node_type::table))
        table.fail("keys",
                   "'keys' wants two moments or more: [{ time = 0 }, { time = 2, "
                   "translate = [0, 1, 0] }]");
    glm::dvec3 center = table.place("center", middle, resting.offset);
    Interpolation interpolation = table.choice("interpolation", "interpolation", kInterpolations);
    Joint joint;
    for (auto& node : *keys) {
        TomlTable key(*node.as_table(), "animation keys", context.file);
        key.require("time");
        float time = key.real("time", 0, 0, 1e6);
        if (!joint.translation.times.empty() && !(time > joint.translation.times.back()))
            key.fail("time", "the times of keys must rise");
        Transform place = read_transform(key);
        joint.translation.times.push_back(time);
        joint.translation.values.push_back(vec3(place.translate));
        place.translate = glm::dvec3(0);
        joint.scale.values.push_back(std::exchange(place.scale, vec3(1)));
        joint.rotation.values.push_back(glm::quat_cast(place.matrix()));
        key.warn_about_unknown_keys(context.scene.warnings);
    }
    joint.rotation.times = joint.scale.times = joint.translation.times;
    for (auto* kind : {&joint.translation.interpolation, &joint.rotation.interpolation,
                       &joint.scale.interpolation})
        *kind = interpolation;
    joint.placement = glm::translate(glm::dmat4(1), center);
    animation.rigid.rest = glm::translate(glm::dmat4(1), -center);
    animation.rigid.joints = {joint};
    animation.period = animation.rigid.length();
    context.scene.duration = std::max(context.scene.duration, animation.period);
}

/// Reads a motion; lengths that are not given depend on the size of the moving geometry.
Animation read_motion(TomlContext& context, TomlTable& table, const Resting& resting) {
    Animation animation;
    const Box& bounds = resting.bounds;
    float size = bounds.empty() ? 1 : glm::length(bounds.hi - bounds.lo);
    vec3 middle = bounds.empty() ? vec3(0) : 0.5f * (bounds.lo + bounds.hi);
    table.require("kind");
    animation.kind = table.choice("kind", "kind of animation", kAnimationKinds);
    if (animation.kind == AnimationKind::explode) {
        animation.center = table.place("center", middle, resting.offset);
        animation.distance = table.real("distance", 0.5f * size, 0, kLargestCoordinate);
        animation.turns = table.real("turns", 1, -1000, 1000);
        animation.start = table.real("start", 0, 0, 0.99);
    } else if (animation.kind == AnimationKind::wave) {
        animation.height = table.real("height", 0.02f * size, 0, kLargestCoordinate);
        animation.wavelength = table.real("wavelength", 0.25f * size, 1e-9, kLargestCoordinate);
        vec3 lift = table.vector("lift", animation.lift);
        if (!(glm::length(lift) > 0)) table.fail("lift", "a direction of no length");
        animation.lift = glm::normalize(lift);
    } else {
        read_rigid(context, table, resting, middle, animation);
    }
    return animation;
}

}  // namespace

void read_animation(TomlContext& context, TomlTable& table, const SceneMark& mark,
                    const glm::dvec3& offset) {
    auto* inner =
        table.find_table("animation", "'animation' wants a table: { kind = \"explode\" }");
    if (!inner) return;
    auto& meshes = context.scene.meshes;
    auto& patches = context.scene.patches;
    if (meshes.size() == mark.meshes && patches.size() == mark.patches)
        table.fail("animation", "there is no mesh to move; spheres stand still");
    Box bounds;
    for (std::size_t i = mark.meshes; i < meshes.size(); ++i)
        for (auto& position : meshes[i].positions) bounds.extend(position);
    for (std::size_t i = mark.patches; i < patches.size(); ++i)
        for (auto& point : patches[i].points) bounds.extend(point);
    TomlTable keys(*inner, "animation", context.file);
    Animation animation = read_motion(context, keys, {bounds, offset});
    if (patches.size() > mark.patches && animation.kind == AnimationKind::explode)
        keys.fail("kind", "patches hang together and cannot explode; known: wave, rigid");
    auto move = [&](auto& objects, std::size_t first) {
        for (auto& object : std::span(objects).subspan(first)) {
            object.animation = animation;
            object.frames.clear();
        }
    };
    move(meshes, mark.meshes);
    move(patches, mark.patches);
    keys.warn_about_unknown_keys(context.scene.warnings);
}

}  // namespace tl
