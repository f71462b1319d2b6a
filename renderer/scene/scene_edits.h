// Edits of an open scene: materials, lights, the environment, and transforms of objects. They are
// kept apart from the scene, so that they can be undone and saved.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/read_observer.h"
#include "renderer/scene/transform.h"

namespace tl {

[[nodiscard]] bool operator==(const SurfaceLayers& a, const SurfaceLayers& b);
[[nodiscard]] bool operator==(const Material& a, const Material& b);
[[nodiscard]] bool operator==(const Light& a, const Light& b);

enum class ObjectKind : std::int32_t { mesh, patches, sphere, instance };

/// An object that can be transformed: an index into the scene's list of its kind.
struct ObjectId {
    ObjectKind kind = ObjectKind::mesh;
    std::uint32_t index = 0;
    auto operator<=>(const ObjectId&) const = default;
};

/// Choice of an environment map by its file; "": none.
struct EnvironmentChoice {
    std::string file{};
    float rotation = 0;  ///< EnvironmentMap::rotation, degrees
    vec3 scale{1};
    bool operator==(const EnvironmentChoice&) const = default;
};

/// All edits; empty: the scene is as it was opened.
struct SceneEdits {
    std::map<std::uint32_t, Material> materials{};  ///< replaced materials, by index
    std::map<std::uint32_t, Light> lights{};        ///< replaced lights, by index
    /// Transforms about the centres of the objects' bounds.
    std::map<ObjectId, Transform> objects{};
    std::optional<EnvironmentChoice> environment{};
    std::optional<vec3> background{};

    bool operator==(const SceneEdits&) const = default;
};

/// "mesh", "patches", "sphere" or "instance".
[[nodiscard]] const char* name_of(ObjectKind kind);

/// Kinds of data changed by apply().
struct SceneChange {
    bool any = false;
    bool geometry = false;  ///< anything but materials, lights and environment
    bool environment = false;
};

/// A scene together with its edits, and the original values.
class EditedScene {
  public:
    EditedScene() = default;
    /// `environment_file`: file of the scene's own map, "" without one.
    explicit EditedScene(std::shared_ptr<Scene> scene, std::string environment_file = "")
        : scene_(std::move(scene)),
          environment_before_{std::move(environment_file), scene_->environment.rotation,
                              scene_->environment.scale} {}

    [[nodiscard]] const std::shared_ptr<Scene>& scene() const { return scene_; }
    [[nodiscard]] const SceneEdits& edits() const { return edits_; }
    using Object = std::variant<Mesh, PatchSet, Sphere, Instance>;
    /// Transformed objects and a loaded environment, ready to be put into the scene.
    struct PreparedEdits {
        std::map<ObjectId, Transform> transforms;
        std::map<ObjectId, Object> moved, before;
        std::string environment_file;
        std::optional<EnvironmentMap> environment;  ///< read from that file
        Warnings warnings;                          ///< warnings of reading it
    };
    /// Does the slow part of apply(): transforms objects, reads a map. Changes nothing; may run in
    /// another thread while the scene is only read. Throws like apply().
    [[nodiscard]] PreparedEdits prepare(const SceneEdits& edits) const;

    /// Restores the scene as it was opened and applies these edits. The caller must notify all
    /// other users of the scene; none may be reading it. `prepared`: result of prepare() for these
    /// edits, or null; it is consumed. `observer`: of reading a map. Throws UserError, before
    /// anything changes, for an environment that cannot be read, indices that the scene lacks, and
    /// a sphere scaled unevenly.
    SceneChange apply(const SceneEdits& edits, PreparedEdits* prepared = nullptr,
                      const ReadObserver& observer = {});
    /// Throws UserError where these edits cannot be applied; reads no file.
    void check(const SceneEdits& edits) const;

    // Values of the scene as it was opened.
    [[nodiscard]] const Material& material_before(std::uint32_t index) const;
    [[nodiscard]] const Light& light_before(std::uint32_t index) const;
    /// Centre of an object's bounds, about which it is transformed.
    [[nodiscard]] vec3 center_before(const ObjectId& id) const;
    [[nodiscard]] const EnvironmentChoice& environment_before() const {
        return environment_before_;
    }
    [[nodiscard]] vec3 background_before() const {
        return background_.value_or(scene_->background);
    }
    /// The current environment.
    [[nodiscard]] EnvironmentChoice environment() const {
        return edits_.environment.value_or(environment_before_);
    }

  private:
    /// Removes edits that equal the original values.
    [[nodiscard]] SceneEdits without_idle(SceneEdits edits) const;
    [[nodiscard]] Object copy_of(const ObjectId& id) const;
    void put(const ObjectId& id, Object object);
    /// The original object, transformed about its centre.
    [[nodiscard]] static Object moved(const Object& before, const Box& bounds,
                                      const Transform& transform);
    [[nodiscard]] Box bounds_before(const Object& before) const;
    void change_object(const ObjectId& id, const Transform* transform, PreparedEdits* prepared);
    void change_environment(const std::optional<EnvironmentChoice>& choice, PreparedEdits* prepared,
                            const ReadObserver& observer);

    std::shared_ptr<Scene> scene_;
    SceneEdits edits_;
    std::map<std::uint32_t, Material> materials_;  // the replaced ones, as they were
    std::map<std::uint32_t, Light> lights_;
    std::map<ObjectId, Object> objects_;
    EnvironmentChoice environment_before_;
    std::optional<EnvironmentMap> environment_;  // the scene's own, while it is replaced
    std::optional<vec3> background_;
};

// Edits of materials, in a file and by hand alike, so that both give the same material. `before` is
// the material as the scene was opened: a material set back to its values equals it.
/// A material of a kind without layers; mirrors and glass without a colour become white.
[[nodiscard]] Material with_kind(const Material& before, Material now, MaterialKind kind);
/// A material with these layers; `ior`: index of refraction of the dielectric base.
[[nodiscard]] Material with_layers(const Material& before, Material now,
                                   const SurfaceLayers& layers, float ior);
/// A material with its textures shown or hidden.
[[nodiscard]] Material with_textures(const Material& before, Material now, bool shown);
[[nodiscard]] bool has_textures(const Material& material);

/// Bounds of an object at rest. For an instance, the transformed bounds of its mesh.
[[nodiscard]] Box bounds_of(const Scene& scene, const ObjectId& id);

}  // namespace tl
